"""Compliance by type: the numbers of each type with its worst rows and its last twelve months."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from propsync.desk.dashboard.answer import Answer
from propsync.desk.dashboard.bars import Chart, Heights, chart
from propsync.desk.dashboard.words import counted, on_day, short_month

_ID = "assessment_type_id"
_STATES = ("in_date", "due_soon", "unknown", "out_of_date")


@dataclass(frozen=True)
class OfType:
    """One type: its numbers, its rows, and a bar for each month end that propsync knows."""

    numbers: Mapping[str, Any]
    rows: Answer
    months: Chart | None

    @property
    def in_date(self) -> int:
        """Also those that are due soon."""
        return int(self.numbers["in_date"] + self.numbers["due_soon"])

    @property
    def homes(self) -> str:
        """How many homes are not in date, as far as the list of properties counts homes; empty if it counts none."""
        homes, uncounted = self.numbers["homes_not_in_date"], self.numbers["properties_without_homes"]
        if not homes:
            return ""
        return f"{'at least ' if uncounted else ''}{counted(homes, 'home', 'homes')}"


def by_type(numbers: Answer, rows: Answer, months: Answer) -> Sequence[OfType]:
    """Each type, the least in date first. There may be thousands of types: each row is looked at once."""
    rows_of, months_of = defaultdict(list), defaultdict(list)
    for row in rows.rows:
        rows_of[row[-1]].append(row)
    for month in months.dicts():
        months_of[month[_ID]].append(month)
    return [_of_type(of, replace(rows, rows=rows_of[of[_ID]]), months_of[of[_ID]]) for of in numbers.dicts()]


def _of_type(numbers: Mapping[str, Any], rows: Answer, months: Sequence[Mapping[str, Any]]) -> OfType:
    return OfType(numbers, replace(rows, count=numbers["required"]), _months(months))


def _months(rows: Sequence[Mapping[str, Any]]) -> Chart | None:
    if not rows:
        return None
    last = rows[-1]["day"]
    bars = [
        Heights(_label(row), _shares(row), "now" if row["day"] == last else short_month(row["day"])) for row in rows
    ]
    return chart(bars, 1)


def _shares(row: Mapping[str, Any]) -> dict[str, float]:
    counts = {state: row[state] or 0 for state in _STATES}
    total = sum(counts.values())
    return {state: count / total for state, count in counts.items()} if total else {}


def _label(row: Mapping[str, Any]) -> str:
    if not any(row[state] for state in _STATES):
        return f"{on_day(row['day'])}: not known"
    counts = ", ".join(f"{row[state] or 0:,} {state.replace('_', ' ')}" for state in _STATES)
    return f"{on_day(row['day'])}: {counts}{_age(row)}"


def _age(row: Mapping[str, Any]) -> str:
    """That the counts are old, if the last complete read by then was on an earlier day."""
    read_on = row["last_complete_read"]
    if read_on == row["day"]:
        return ""
    return f"; last complete read on {on_day(read_on)}" if read_on else "; never read completely by then"
