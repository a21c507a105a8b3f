"""The report of `propsync push apply`: numbers, and a line for each record that a person must look at."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from propsync.push.journals.recorded import RecordedWrite
from propsync.push.journals.records import Write
from propsync.push.outcome import ALREADY, APPLIED, SKIPPED, VERIFIED
from propsync.push.plan import CREATE, Plan
from propsync.push.review.summary import summary
from propsync.resources import ASSETS

_NAMED = 5  # records that a run names, in `ops.runs`, in notices and under Prefect


@dataclass(frozen=True)
class WriteState:
    """One value of a plan as `ops.writes` has it, without the value."""

    row: int | None
    record: str | None
    column: str | None
    state: str
    code: str | None
    message: str | None
    is_sent: bool = True
    said: str | None = None
    """The words of the API's refusal, for the person who applies alone."""

    @classmethod
    def of(cls, write: Write, said: str | None = None) -> WriteState:
        """Without the value. Fields have their labels in what the API said."""
        change, is_sent = write.change, write.at is not None
        for one in write.entry.changes if said else ():
            named = one.label.replace("\\", r"\\")  # a backslash begins an escape in what re.sub inserts
            said = re.sub(rf"\b(?:values\.)?{re.escape(one.field)}\b", named, said or "")
        label = change.label if change else None
        return cls(write.entry.row, write.record, label, write.state, write.code, write.message, is_sent, said)

    @classmethod
    def recorded(cls, write: RecordedWrite, labels: Mapping[str, str]) -> WriteState:
        """As an earlier run recorded it; `labels` are those of the plan's fields."""
        column = labels.get(write.field or "", write.field)
        return cls(write.row, write.record, column, write.state, write.code, write.message, write.at is not None)

    @property
    def of_record(self) -> str:
        """The record, as a line begins with it."""
        return ", ".join(filter(None, (f"row {self.row}" if self.row is not None else "", self.record)))

    @property
    def what(self) -> str:
        """The state and the reason, as a line ends with it."""
        return f"{self.state}: {self.message or 'it was not read back'}"


def lines_of(states: Iterable[WriteState], *, with_said: bool = False) -> list[str]:
    """A line for each record and reason of what is not verified, with the columns; no value of the plan.

    What the API said may repeat values.
    """
    columns: dict[tuple[str, str], list[str]] = {}
    for one in states:
        if one.state != VERIFIED:
            what = f"{one.what}. The API says: {one.said}" if with_said and one.said else one.what
            columns.setdefault((one.of_record, what), []).append(one.column or "")
    return [f"{', '.join(filter(None, (record, *names)))}: {what}" for (record, what), names in columns.items()]


def first_lines(lines: Sequence[str], plan_id: str) -> list[str]:
    """The first of them, and a query for all: thousands of rows may fail, and a status or a notice has no room."""
    if (more := len(lines) - _NAMED) <= 0:
        return [*lines]
    command = f"propsync query \"from ops.writes where plan_id = '{plan_id}' and state <> 'verified'\""
    return [*lines[:_NAMED], f"… and {more:,} more: {command}"]


@dataclass(frozen=True)
class PushReport:
    """What became of a plan. `is_repeat` says that an earlier run had applied it, so that nothing was sent."""

    plan: Plan
    run_id: str
    states: Sequence[WriteState]
    is_repeat: bool = False
    others: Sequence[str] = field(default_factory=tuple)
    """What the run itself left behind."""

    @property
    def status(self) -> str:
        """As in `ops.runs`."""
        return "attention" if self.left_behind else "ok"

    @property
    def exit_code(self) -> int:
        """0 if every write is verified, else 3."""
        return 3 if self.left_behind else 0

    @property
    def lines(self) -> list[str]:
        """A line for each record that is not verified, for the person who applies."""
        return [*lines_of(self.states, with_said=True), *self.others]

    @property
    def left_behind(self) -> list[str]:
        """The first of these lines, as the run itself has them."""
        return [*first_lines(lines_of(self.states), self.plan.plan_id), *self.others]

    @property
    def has_written(self) -> bool:
        """Whether the API accepted anything that propsync sent."""
        return any(one.is_sent and one.state in (APPLIED, VERIFIED) for one in self.states)

    @property
    def is_lasting(self) -> bool:
        """Whether the plan has new assets alone, which no undo takes back: the API cannot delete them."""
        return self.plan.resource == ASSETS.name and all(one.action == CREATE for one in self.plan.entries)

    @property
    def already(self) -> int:
        """Records that were as planned before propsync sent anything."""
        return len({(one.row, one.record) for one in self.states if one.code == ALREADY})

    def counts(self) -> dict[str, int]:
        """Records that are verified, skipped, and neither."""
        by_record: dict[tuple[int | None, str | None], set[str]] = {}
        for one in self.states:
            by_record.setdefault((one.row, one.record), set()).add(one.state)
        verified = sum(states == {VERIFIED} for states in by_record.values())
        skipped = sum(SKIPPED in states for states in by_record.values())
        return {"skipped": skipped, "failed": len(by_record) - verified - skipped, "verified": verified}

    def to_json(self) -> dict[str, Any]:
        """For notices: no value of the plan."""
        numbers = {"records": self.plan.counts(), "fields": self.plan.fields(), **self.counts()}
        about = {"plan_id": self.plan.plan_id, "run_id": self.run_id, "status": self.status}
        return {**about, "exit_code": self.exit_code, **numbers, "left_behind": self.left_behind}

    def summary(self, path: Path) -> dict[str, Any]:
        """For `--json`."""
        run = {"run_id": self.run_id, "is_repeat": self.is_repeat, "exit_code": self.exit_code}
        return summary(self.plan, path) | run | self.counts() | {"left_behind": self.lines}
