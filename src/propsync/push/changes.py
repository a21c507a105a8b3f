"""The changes of a plan as rows of a table, and its refusals as lines, for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from propsync.push.plan import CREATE, DELETE, Entry, FieldChange, Plan, Refusal

COLUMNS = ("row", "action", "record", "field", "old", "new")
MOST_CHANGES = 50
"""As many of them a person is shown at first."""
_LONGEST = 40  # characters of a value


def change_rows(plan: Plan) -> Iterator[tuple[Any, ...]]:
    """A row for each value to write, in the order of the plan."""
    for entry in plan.entries:
        yield from _rows(entry)


def _rows(entry: Entry) -> Iterator[tuple[Any, ...]]:
    """A row for each value; one for a record that has none, or that goes."""
    row = "" if entry.row is None else entry.row
    record = " ".join(entry.key) or f"a new asset of {entry.property_id}"
    if entry.action == DELETE or not entry.changes:
        yield (row, entry.action, record, "", "", "")
        return
    for change in entry.changes:
        old = "" if entry.action == CREATE else _shown(change, change.old)
        yield (row, entry.action, record, change.label, old, _shown(change, change.new))


def _shown(change: FieldChange, value: Any) -> str:
    if value is None:
        return "(none)"
    is_list = isinstance(value, list)
    text = "; ".join(change.names.get(one, str(one)) for one in map(str, value)) if is_list else str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def refusal_line(one: Refusal) -> str:
    """A refusal in one line: row, column, the value found, the reason."""
    where = [f"row {one.row}" if one.row is not None else "", one.column or ""]
    found = f" has {one.found!r}" if one.found is not None else ""
    return f"{', '.join(filter(None, where)) or 'the file'}{found}: {one.reason}"


def counted(number: int, thing: str) -> str:
    """A number with its noun, such as 1 record and 2 records."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"
