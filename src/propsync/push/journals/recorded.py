"""The outcomes of a plan that `ops.writes` has: an apply resumes from them if its journal is lost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from propsync.push.journals.journal import Journalled
from propsync.push.outcome import (
    ALREADY,
    APPLIED,
    FAILED,
    MADE_TWICE,
    OTHERS_CHANGED,
    PARKED,
    SKIPPED,
    VERIFIED,
    Outcome,
)
from propsync.push.plan import CREATE, Plan
from propsync.records import record_id
from propsync.resources import ASSETS

_STAYS = (ALREADY, MADE_TWICE, OTHERS_CHANGED)  # what a further read-back cannot find out


@dataclass(frozen=True)
class RecordedWrite:
    """One value of a plan in `ops.writes`; `at` is when the API answered, None if propsync sent nothing."""

    run_id: str
    row: int | None
    record: str | None
    field: str | None
    state: str
    code: str | None
    message: str | None
    at: str | None


def recorded_outcomes(plan: Plan, writes: Iterable[RecordedWrite]) -> dict[int, Outcome | None]:
    """The outcomes that earlier runs recorded, by entry; None for a failed one, which an apply tries again."""
    of_places: dict[tuple[int | None, str | None], list[RecordedWrite]] = {}
    for one in writes:
        of_places.setdefault((one.row, one.record), []).append(one)
        of_places.setdefault((one.row, None), []).append(one)
    found: dict[int, Outcome | None] = {}
    for number, entry in enumerate(plan.entries):
        is_new = plan.resource == ASSETS.name and entry.action == CREATE  # the plan does not know its id
        place = entry.row, None if is_new else record_id(entry.key)
        if place in of_places:
            found[number] = _outcome(of_places[place], is_new=is_new)
    return found


def written_elsewhere(journalled: Journalled, writes: Iterable[RecordedWrite]) -> dict[int, Outcome]:
    """The writes of another machine to entries of which the journal has no write of its own.

    A machine that was taken for lost may come back: it finds such a record as if somebody else had written it.
    """
    recorded = recorded_outcomes(journalled.plan, writes)
    written = {number: one for number, one in recorded.items() if one and one.is_written and one.at}
    own = {number for number, one in journalled.outcomes.items() if one.at}
    return {number: one for number, one in written.items() if number not in own}


def _outcome(writes: Sequence[RecordedWrite], *, is_new: bool) -> Outcome | None:
    states = {one.state for one in writes}
    if FAILED in states:
        return None
    state = next((one for one in (PARKED, APPLIED, SKIPPED) if one in states), VERIFIED)
    said = next(one for one in writes if one.state == state)
    asset_id = said.record if is_new else None
    if state == APPLIED and said.code not in _STAYS:  # its values are read back again, each by itself
        return Outcome(APPLIED, at=said.at, asset_id=asset_id)
    return Outcome(state, said.code, said.message, at=said.at, asset_id=asset_id)
