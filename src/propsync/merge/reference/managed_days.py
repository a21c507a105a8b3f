"""From when until when people manage a property, by their list: a day that nobody can read is a mistake."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Mapping

from propsync.merge.reference.list_file import MANAGED, Mistake, ReferenceList
from propsync.records import calendar_day

PROPERTIES = "properties"
_LIKENESS = 0.8  # "managed_till" is meant, "managed_by" is not


def check_managed(found: ReferenceList, key: str) -> list[Mistake]:
    """The mistakes in the days of a list of properties, whose rows the column `key` identifies.

    A day that counted as empty would let a sold property count, and nobody would see it beside the number. So would
    a column of such days with nearly the right name.
    """
    if found.mistakes:
        return []
    if misnamed := [Mistake(found.heading, None, reason) for reason in _nearly_named(found.columns)]:
        return misnamed
    if not set(MANAGED).intersection(found.columns):
        return []
    rows = (dict(zip(found.columns, row, strict=True)) for row in found.rows)
    faults = ((line, row[key], _fault(row)) for line, row in zip(found.lines, rows, strict=True))
    return [Mistake(line, name, fault) for line, name, fault in faults if fault]


def _nearly_named(columns: Collection[str]) -> Iterator[str]:
    others = set(columns).difference(MANAGED)
    for meant in MANAGED:
        near = difflib.get_close_matches(meant, others, n=1, cutoff=_LIKENESS) if meant not in columns else []
        yield from (f"marts read a column {meant}, not {one}; call it {meant}" for one in near)


def _fault(row: Mapping[str, str | None]) -> str | None:
    written = {name: cell for name in MANAGED if (cell := row.get(name))}
    days = {name: calendar_day(cell) for name, cell in written.items()}
    if unread := next((name for name, day in days.items() if day is None), None):
        return f"{unread} is {written[unread][:40]!r}: write a date such as 2026-03-31, or save the list as .xlsx"
    first, last = map(days.get, MANAGED)
    if first and last and last < first:
        return f"managed_until, {last}, is before managed_from, {first}"
    return None
