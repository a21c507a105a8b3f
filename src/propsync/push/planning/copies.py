"""New assets with the values of assets that exist, or of other rows: each would make a record twice."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from propsync.push.plan import Entry
from propsync.push.planning.row_checks import lots_of
from propsync.push.values.published import Published
from propsync.push.values.shown import plain_text

_ROWS = 2_000  # assets whose values are in memory at once
_NAMED = 5  # rows that the note names
_Sought = dict[tuple[str, str, Hashable], list[Entry]]
"""New assets by property, a field of theirs and its value."""


def copies_note(published: Published, created: Sequence[Entry]) -> list[str]:
    """A line about new assets whose values an asset of the same property and type has already; none without any."""
    found: dict[int, tuple[Entry, str]] = {}
    by_type: dict[str, list[Entry]] = {}
    for one in created:
        if one.changes:
            by_type.setdefault(one.type_id, []).append(one)
    for type_id, entries in by_type.items():
        for entry, asset_id in _copies(published, type_id, entries):
            found.setdefault(id(entry), (entry, asset_id))
    if not found:
        return []
    named = _named([f"row {one.row} as asset {asset_id}" for one, asset_id in found.values()])
    return [
        f"Copies: {_counted(len(found))} all the values of an asset that exists: {named}. Has asset_id been emptied?"
    ]


def repeats_note(created: Sequence[Entry]) -> list[str]:
    """A line about new assets whose values an earlier row has too; none without any."""
    first: dict[Hashable, Entry] = {}
    found = []
    for one in created:
        values = frozenset((change.field, _plain(change.new)) for change in one.changes)
        earlier = first.setdefault((one.property_id, one.type_id, values), one)
        if earlier is not one and values:
            found.append(f"row {one.row} as row {earlier.row}")
    if not found:
        return []
    return [f"Repeats: {_counted(len(found))} all the values of an earlier row: {_named(found)}. Each makes an asset"]


def _counted(count: int) -> str:
    return "1 new asset has" if count == 1 else f"{count:,} new assets have"


def _named(places: Sequence[str]) -> str:
    """The first places, and how many more there are."""
    more = f" and {len(places) - _NAMED:,} more" if len(places) > _NAMED else ""
    return "; ".join(places[:_NAMED]) + more


def _copies(published: Published, type_id: str, entries: Sequence[Entry]) -> Iterator[tuple[Entry, str]]:
    sought = _sought(entries)
    fields = sorted({change.field for one in entries for change in one.changes})
    places = published.assets_of_type(type_id, sorted({one.property_id for one in entries}))
    for lot in lots_of(places, _ROWS):
        values = published.asset_values([asset_id for asset_id, _ in lot], fields)
        of_asset: dict[str, dict[str, Any]] = {}
        for (asset_id, field_id), value in values.items():
            of_asset.setdefault(asset_id, {})[field_id] = value
        for asset_id, property_id in lot:
            for entry in _like(sought, property_id or "", of_asset.get(asset_id, {})):
                yield entry, asset_id


def _sought(entries: Sequence[Entry]) -> _Sought:
    """Each by its longest value, which few others have."""
    found: _Sought = {}
    for one in entries:
        change = max(one.changes, key=lambda change: len(str(change.new)))
        found.setdefault((one.property_id, change.field, _plain(change.new)), []).append(one)
    return found


def _like(sought: _Sought, property_id: str, values: Mapping[str, Any]) -> Iterator[Entry]:
    for field_id, value in values.items():
        for entry in sought.get((property_id, field_id, _plain(value)), ()):
            if all(_plain(values.get(change.field)) == _plain(change.new) for change in entry.changes):
                yield entry


def _plain(value: Any) -> Hashable:
    """A value as a key: lists as sets, and texts without what no cell holds, since a template cannot show it."""
    if isinstance(value, list | dict):
        return frozenset(map(str, value))
    return plain_text(value) if isinstance(value, str) else value
