"""From when until when people manage a property, by their list: a day that nobody can read is a mistake."""

from __future__ import annotations

from collections.abc import Mapping

from propsync.merge.reference.list_file import MANAGED, Mistake, ReferenceList
from propsync.records import calendar_day

PROPERTIES = "properties"


def check_managed(found: ReferenceList, key: str) -> list[Mistake]:
    """The mistakes in the days of a list of properties, whose rows the column `key` identifies.

    A day that counted as empty would let a sold property count, and nobody would see it beside the number.
    """
    if found.mistakes or not set(MANAGED).intersection(found.columns):
        return []
    rows = (dict(zip(found.columns, row, strict=True)) for row in found.rows)
    faults = ((line, row[key], _fault(row)) for line, row in zip(found.lines, rows, strict=True))
    return [Mistake(line, name, fault) for line, name, fault in faults if fault]


def _fault(row: Mapping[str, str | None]) -> str | None:
    written = {name: cell for name in MANAGED if (cell := row.get(name))}
    days = {name: calendar_day(cell) for name, cell in written.items()}
    if unread := next((name for name, day in days.items() if day is None), None):
        return f"{unread} is {written[unread][:40]!r}: write a date such as 2026-03-31, or save the list as .xlsx"
    first, last = map(days.get, MANAGED)
    if first and last and last < first:
        return f"managed_until, {last}, is before managed_from, {first}"
    return None
