"""New values that other rows had before: somebody may have sorted or moved the cells of a column without their rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import Any

from propsync.push.plan import UPDATE, Entry, FieldChange
from propsync.push.values.fields import CHOSEN

_FEWEST = 5  # changes of a field
_DISTINCT = 3  # values
_SHARE = 0.8  # of the new values


def sorted_notes(entries: Iterable[Entry]) -> list[str]:
    """A line for people about each field whose new values are nearly all old values of these rows.

    Options and users change places in ordinary corrections too.
    """
    of_field: dict[tuple[str, str], list[FieldChange]] = {}
    for one in entries:
        for change in one.changes:
            if one.action == UPDATE and change.kind not in CHOSEN:
                of_field.setdefault((one.type_id, change.field), []).append(change)
    found = ((changes[0].label, _count_swapped(changes)) for changes in of_field.values())
    step = "Has somebody sorted or moved cells without their rows?"
    return [
        f"Sorted: {count:,} new values of {label} are old values of other rows. {step}"
        for label, count in found
        if count
    ]


def _count_swapped(changes: list[FieldChange]) -> int:
    """How many new values are old ones of the same field; 0 if that may be chance."""
    new, old = Counter(one.new for one in changes), Counter(_plain(one.old) for one in changes)
    count = (new & old).total()
    is_telling = len(changes) >= _FEWEST and len(new) >= _DISTINCT and count >= _SHARE * len(changes)
    return count if is_telling else 0


def _plain(value: Any) -> Hashable:
    return str(value) if isinstance(value, list | dict) else value
