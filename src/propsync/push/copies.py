"""New assets with the values of assets that exist: a file that lost its ids would make every record twice."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from propsync.push.plan import Entry
from propsync.push.published import Published
from propsync.push.row_checks import lots_of
from propsync.push.shown import plain_text

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
    named = "; ".join(f"row {one.row} as asset {asset_id}" for one, asset_id in [*found.values()][:_NAMED])
    more = f" and {len(found) - _NAMED:,} more" if len(found) > _NAMED else ""
    what = "1 new asset has" if len(found) == 1 else f"{len(found):,} new assets have"
    return [f"Copies: {what} all the values of an asset that exists: {named}{more}. Has asset_id been emptied?"]


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
