"""The rows of `ops.writes`: one for each value of a plan that propsync sent, skipped or failed to send."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from propsync.push.outcome import (
    APPLIED,
    CHANGED,
    ELSEWHERE,
    MADE_TWICE,
    OTHERS_CHANGED,
    SKIPPED,
    STORED_OTHERWISE,
    VERIFIED,
    Outcome,
)
from propsync.push.plan import CREATE, DELETE, UPDATE, Entry, FieldChange, Plan
from propsync.push.values.sameness import is_still, is_stored
from propsync.records import encode, record_id
from propsync.resources import ASSETS
from propsync.warehouse import Warehouse, statement

_OTHERWISE = "the API stored another value than propsync sent. Compare the record with the plan"
_BEFORE = "the API accepted the write and still shows the value from before. Compare the record with the plan"
_SINCE = "propsync found the planned value and sent nothing; somebody changed it since. Plan again"
_SHOWN = "propsync found no such schedule and sent nothing; the API shows it now. Plan again"
_UNSHOWN = "the API accepted the new record and does not show it. Run `propsync sync` later, and look for it"
_GONE = "the API accepted the write and no longer shows the record. Run `propsync sync`"
_ELSEWHERE = "the API made the asset with another property or type than the plan has. Compare the asset with the plan"
_STAYS = "the API accepted the delete and still shows the schedule. Compare the record with the plan"

Shown = Mapping[tuple[str, ...], Mapping[str, Any]]
"""The values by field that the tables show of written records, by key."""
Places = Mapping[tuple[str, ...], tuple[str, str]]
"""The property and the type that they show of written assets, by key."""


@dataclass(frozen=True)
class Write:
    """One value of a plan, and its state; `number` is the place of its entry."""

    number: int
    entry: Entry
    key: tuple[str, ...] | None
    change: FieldChange | None
    state: str
    code: str | None = None
    message: str | None = None
    at: str | None = None

    @property
    def record(self) -> str | None:
        """The record's key as one text."""
        return record_id(self.key) if self.key else None


def key_of_entry(plan: Plan, entry: Entry, outcome: Outcome) -> tuple[str, ...] | None:
    """The key of the record; that of a new asset is known once it exists."""
    if plan.resource == ASSETS.name and entry.action == CREATE:
        return (outcome.asset_id,) if outcome.asset_id else None
    return entry.key


def writes_of(plan: Plan, outcomes: Mapping[int, Outcome]) -> list[Write]:
    """A write for each value; one without a value for a record that has none."""
    return [write for number, outcome in sorted(outcomes.items()) for write in _of_entry(plan, number, outcome)]


def _of_entry(plan: Plan, number: int, outcome: Outcome) -> Iterator[Write]:
    entry = plan.entries[number]
    key = key_of_entry(plan, entry, outcome)
    changes: list[FieldChange | None] = [*entry.changes] or [
        FieldChange(name, name, "", value, None) for name, value in (outcome.before or {}).items() if value is not None
    ]
    for change in changes or (None,):
        yield Write(number, entry, key, change, outcome.state, outcome.code, outcome.message, outcome.at)


def verified(write: Write, shown: Shown, places: Places) -> Write:
    """The write after its record was read back."""
    if write.state != APPLIED or write.key is None:
        return write
    there = shown.get(write.key)
    if write.entry.action == DELETE:
        return replace(write, state=VERIFIED) if there is None else _otherwise(write, _STAYS)
    if there is None and write.code == MADE_TWICE:
        return write  # perhaps the API has it under that other id
    if there is None:
        return _otherwise(write, _UNSHOWN if write.entry.action == CREATE else _GONE)
    planned = (write.entry.property_id, write.entry.type_id)
    if write.entry.action == CREATE and places.get(write.key, planned) != planned:
        return replace(write, code=ELSEWHERE, message=_ELSEWHERE)
    change, now = write.change, there.get(write.change.field) if write.change else None
    if change is None or is_stored(change.new, now, change.kind):
        return write if write.code in (MADE_TWICE, OTHERS_CHANGED) else replace(write, state=VERIFIED)
    return _otherwise(write, _BEFORE if is_as_before(write, shown) else _OTHERWISE)


def is_as_before(write: Write, shown: Shown) -> bool:
    """Whether a record that was read back is as if nothing had been written: the answer may be older than the write."""
    there, change = shown.get(write.key or ()), write.change
    if write.entry.action != UPDATE:
        return (there is None) == (write.entry.action == CREATE)
    return there is not None and change is not None and is_still(change.old, there.get(change.field))


def _otherwise(write: Write, why: str) -> Write:
    if write.at is None:
        since = _SHOWN if write.entry.action == DELETE else _SINCE
        return replace(write, state=SKIPPED, code=CHANGED, message=since)
    message = f"{write.message}. Also, {why}" if write.code == OTHERS_CHANGED else why
    return replace(write, code=STORED_OTHERWISE, message=message)


def shown_writes(writes: Iterable[Write], hidden: Collection[str]) -> list[Write]:
    """The writes without those of hidden fields, and of records of hidden types."""
    return [
        one
        for one in writes
        if one.entry.type_id not in hidden and (one.change is None or one.change.field not in hidden)
    ]


def record_writes(
    warehouse: Warehouse, run_id: str, plan: Plan, writes: list[Write], hidden: Collection[str] = ()
) -> None:
    """Puts the plan's writes in place of what an earlier run recorded of it; each keeps its first run.

    A write of anything in `hidden`, which a plan from before may have, is not recorded.
    """
    plan_id = plan.plan_id  # a hash of all of it
    of_plan = {"plan_id": plan_id}
    shown = shown_writes(writes, hidden)
    with warehouse.transaction():
        first = dict(warehouse.rows(statement("push/earlier_runs"), of_plan))
        warehouse.execute(statement("push/forget_writes"), of_plan)
        warehouse.add("ops.writes", [_row(first.get(one.record or "", run_id), plan_id, plan, one) for one in shown])


def _row(run_id: str, plan_id: str, plan: Plan, write: Write) -> tuple[Any, ...]:
    change = write.change
    entry = write.entry
    return (
        run_id,
        plan_id,
        plan.file,
        entry.row,
        plan.resource,
        write.record,
        entry.action,
        change.field if change else None,
        _json(change.old) if change and entry.action != CREATE else None,
        _json(change.new) if change and entry.action != DELETE else None,
        write.state,
        write.code,
        write.message,
        datetime.fromisoformat(write.at) if write.at else None,
    )


def _json(value: Any) -> str | None:
    return None if value is None else encode(value).decode()
