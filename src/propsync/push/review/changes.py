"""The changes of a plan as rows of a table, and its refusals as lines, for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from propsync.push.plan import CREATE, DELETE, Entry, FieldChange, Plan, Refusal
from propsync.push.review.differing import SHORT, short_text, short_texts, whole_text, whole_texts
from propsync.push.review.names import Names

COLUMNS = ("row", "action", "record", "name", "field", "old", "new")
MOST_CHANGES = 50
"""As many of them a person is shown at first."""
GONE = "(deleted)"


def change_rows(plan: Plan, names: Names) -> Iterator[tuple[Any, ...]]:
    """A row for each value to write or to lose, in the order of the plan; of a long one the part that differs."""
    for entry, change in _changes(plan):
        row = "" if entry.row is None else entry.row
        label, old, new = ("", "", "") if change is None else (change.label, *_texts(entry, change, short=True))
        yield (row, entry.action, _record(entry), names.of(entry), label, old, new)


def long_values(plan: Plan) -> Iterator[str]:
    """Lines with the values that are too long for a row of that table, whole."""
    for entry, change in _changes(plan):
        texts = () if change is None else _texts(entry, change, short=False)
        if change is not None and max(map(len, texts)) > SHORT:
            place = f"row {entry.row}, " if entry.row is not None else ""
            for name, text in zip(("old", "new"), texts, strict=True):
                if text:
                    yield f"{place}{_record(entry)}, {change.label}, {name}: {text}"


def changes_to_json(plan: Plan, names: Names) -> list[dict[str, Any]]:
    """The same as `change_rows`, with whole values as in the plan; `names` are the labels of ids in them."""
    return [
        {"row": entry.row, "action": entry.action, "record": list(entry.key), "property_id": entry.property_id}
        | {
            "type_id": entry.type_id,
            "name": names.of(entry),
            "field": None,
            "label": None,
            "kind": None,
            "old": None,
            "new": None,
            "names": {},
        }
        | ({} if change is None else msgspec.structs.asdict(change))
        for entry, change in _changes(plan)
    ]


def _changes(plan: Plan) -> Iterator[tuple[Entry, FieldChange | None]]:
    """Each change with its record; None for a record that has no value to write or to lose."""
    for entry in plan.entries:
        is_delete = entry.action == DELETE
        found = [one for one in entry.changes if not is_delete or one.old not in (None, [])]
        for one in found or (None,):
            yield entry, one


def _record(entry: Entry) -> str:
    return " ".join(entry.key) or f"a new asset of {entry.property_id}"


def _texts(entry: Entry, change: FieldChange, *, short: bool) -> tuple[str, str]:
    """The old and the new value for people; a new record has no old ones, and a deleted one loses them."""
    one, pair = (short_text, short_texts) if short else (whole_text, whole_texts)
    if entry.action == CREATE:
        return "", one(change, change.new)
    return (one(change, change.old), GONE) if entry.action == DELETE else pair(change)


def refusal_line(one: Refusal) -> str:
    """A refusal in one line: row, column, the value found, the reason."""
    where = [f"row {one.row}" if one.row is not None else "", one.column or ""]
    found = f" has {one.found!r}" if one.found is not None else ""
    return f"{', '.join(filter(None, where)) or 'the file'}{found}: {one.reason}"


def counted(number: int, thing: str) -> str:
    """A number with its noun, such as 1 record and 2 records."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"
