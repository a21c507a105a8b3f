"""Keeps what was erased out of plans, journals and `ops.writes`: the API may still show it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from propsync.errors import UsageError
from propsync.push.outcome import Outcome
from propsync.push.plan import Entry, Plan, Refusal
from propsync.records import decode, encode
from propsync.suppression import Suppression

_MOST_ROWS = 10


def names_erased(plan: Plan, suppression: Suppression) -> bool:
    """Whether any part of a plan names what was erased."""
    return bool(suppression) and (_has(plan, suppression) or bool(_rows(plan, suppression)))


def refuse_erased_rows(plan: Plan, suppression: Suppression) -> None:
    """Raises UsageError with the rows of a file that name what was erased: a saved plan would keep it."""
    if not names_erased(plan, suppression):
        return
    rows = sorted({row for row in _rows(plan, suppression) if row is not None})
    shown, more = ", ".join(map(str, rows[:_MOST_ROWS])), len(rows) - _MOST_ROWS
    what = f"what was erased is in {'row' if len(rows) == 1 else 'rows'} {shown}" if rows else "it has what was erased"
    step = "Take that out of the file, then plan again"
    raise UsageError(suppression.text(plan.file), f"{what} and {more:,} more" if more > 0 else what, step)


def shown_members(members: Mapping[str, Any], suppression: Suppression) -> Mapping[str, Any]:
    """Members of a record as the tables show them."""
    if not suppression:
        return members
    body = encode(members)
    after = suppression.json(body)
    return members if after is body else cast("Mapping[str, Any]", decode(after))


def shown_outcome(outcome: Outcome, suppression: Suppression) -> Outcome:
    """An outcome without what was erased."""
    if not suppression:
        return outcome
    before = None if outcome.before is None else dict(shown_members(outcome.before, suppression))
    reason, step = (text and suppression.text(text) for text in (outcome.reason, outcome.step))
    return msgspec.structs.replace(outcome, before=before, reason=reason, step=step)


def _rows(plan: Plan, suppression: Suppression) -> list[int | None]:
    named = [one.row for one in plan.entries if _has(one, suppression) or _has_field(one, suppression)]
    return [*named, *(one.row for one in plan.refused if _has(one, suppression))]


def _has(part: Plan | Entry | Refusal, suppression: Suppression) -> bool:
    body = encode(part)
    return suppression.json(body) != body


def _has_field(entry: Entry, suppression: Suppression) -> bool:
    record = entry.key[0] if entry.key else None
    return any(suppression.erases_field(change.field, record) for change in entry.changes)
