"""New assets that propsync sent without an outcome: `ops.writes` has them too, or a second plan would double them."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from propsync.errors import UsageError
from propsync.push.journals.journal import Journalled, journals, read_journal
from propsync.push.outcome import PARKED, Outcome
from propsync.push.plan import CREATE, Plan
from propsync.push.sending import verdicts
from propsync.resources import ASSETS
from propsync.storage import LocalStorage

_UNKNOWN = "propsync sent the new asset and does not know whether the API created it"
_LOOK = "Apply the same plan again, or look for the asset"


def with_in_flight(journalled: Journalled, left: Mapping[int, Outcome] | None = None) -> dict[int, Outcome]:
    """The outcomes so far, and parked ones of new assets in flight; `left` are outcomes that are not final."""
    found = dict(left or {})
    for number in _in_flight(journalled):
        outcome = found.get(number)
        found[number] = replace(outcome, state=PARKED) if outcome else verdicts.unsure(_UNKNOWN, _LOOK)
    return found | journalled.outcomes


def _in_flight(journalled: Journalled) -> list[int]:
    plan = journalled.plan
    if plan.resource != ASSETS.name:
        return []
    open_ones = journalled.sent - journalled.outcomes.keys()
    return [number for number in open_ones if plan.entries[number].action == CREATE]


def refuse_unfinished(plan: Plan, storage: LocalStorage) -> None:
    """Raises UsageError for new assets of a file of which an unfinished plan makes new ones too.

    Some of them may exist, and its next apply makes the rest. Raises StateUnusable for a damaged journal.
    """
    if not _makes_assets(plan):
        return
    for plan_id in journals(storage):
        found = read_journal(storage, plan_id)
        if found is not None and found.plan.file == plan.file and _makes_assets(found.plan):
            what = f"plan {plan_id} of a file of this name is unfinished, and makes new assets too"
            step = "Run `propsync push apply` with that plan again, then plan this file"
            raise UsageError(plan.file, what, step)


def _makes_assets(plan: Plan) -> bool:
    return plan.resource == ASSETS.name and any(one.action == CREATE for one in plan.entries)
