"""From when until when people manage a property, by their list: a day that nobody can read is a mistake."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping

from propsync.merge.reference.list_file import MANAGED, Mistake, ReferenceList
from propsync.records import calendar_day

PROPERTIES = "properties"
_LIKENESS = 0.8  # "managed_till" is meant, "managed_by" is not
_MAY_BE_DAY = re.compile(r"\d{4}|\d\D+\d\d?\D+\d")  # the 12 of "managed_units" is none


def check_managed(found: ReferenceList, key: str) -> list[Mistake]:
    """The mistakes in the days of a list of properties, whose rows the column `key` identifies.

    A day that counted as empty would let a sold property count, and nobody would see it beside the number. So would
    a column of such days with nearly the right name.
    """
    if found.mistakes:
        return []
    if misnamed := [Mistake(found.heading, None, reason) for reason in _nearly_named(found)]:
        return misnamed
    if not set(MANAGED).intersection(found.columns):
        return []
    rows = (dict(zip(found.columns, row, strict=True)) for row in found.rows)
    faults = ((line, row[key], _fault(row)) for line, row in zip(found.lines, rows, strict=True))
    return [Mistake(line, name, fault) for line, name, fault in faults if fault]


def _nearly_named(found: ReferenceList) -> Iterator[str]:
    others = [name for name in found.columns if name not in MANAGED]
    for meant in [name for name in MANAGED if name not in found.columns]:
        near = difflib.get_close_matches(meant, others, n=len(found.columns), cutoff=_LIKENESS)
        held = (one for one in near if _may_hold_days(found, one))
        yield from (f"marts read a column {meant}, not {one}; call it {meant}" for one in held)


def _may_hold_days(found: ReferenceList, column: str) -> bool:
    place = found.columns.index(column)
    return any(_MAY_BE_DAY.search(row[place] or "") for row in found.rows)


def _fault(row: Mapping[str, str | None]) -> str | None:
    written = {name: cell for name in MANAGED if (cell := row.get(name))}
    days = {name: calendar_day(cell) for name, cell in written.items()}
    if unread := next((name for name, day in days.items() if day is None), None):
        return f"{unread} is {written[unread][:40]!r}: write a date such as 2026-03-31, or save the list as .xlsx"
    first, last = map(days.get, MANAGED)
    if first and last and last < first:
        return f"managed_until, {last}, is before managed_from, {first}"
    return None
