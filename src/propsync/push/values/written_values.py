"""The values that the tables show of written records, in the form of a plan's values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from propsync.push.values.asset_values import from_table
from propsync.push.values.schedule_values import MEMBERS
from propsync.records import decode
from propsync.resources import ASSETS
from propsync.warehouse import statement

Key = tuple[str, ...]
Rows = Callable[[str, dict[str, Any]], Sequence[tuple[Any, ...]]]
"""The rows of a query with its values, in the state database or the published file."""


def shown_values(rows: Rows, resource: str, keys: Collection[Key]) -> dict[Key, dict[str, Any]]:
    """The values by field of those of `keys` that the tables have; of a schedule, its other members too."""
    return _assets(rows, keys) if resource == ASSETS.name else _schedules(rows, keys)


def places(rows: Rows, resource: str, keys: Collection[Key]) -> dict[Key, tuple[str, str]]:
    """The property and the type of each asset; a schedule has them in its key."""
    if resource != ASSETS.name:
        return {}
    found = rows(statement("push/places_of_assets"), {"ids": [key[0] for key in keys]})
    return {(asset_id,): (property_id, type_id) for asset_id, property_id, type_id, _ in found}


def _assets(rows: Rows, keys: Collection[Key]) -> dict[Key, dict[str, Any]]:
    of_assets = {"ids": [key[0] for key in keys]}
    found: dict[Key, dict[str, Any]] = {
        (asset_id,): {} for (asset_id,) in rows(statement("push/written_assets"), of_assets)
    }
    for asset_id, field_id, kind, text, options, written, fits in rows(statement("push/values_of_assets"), of_assets):
        found[asset_id,][field_id] = from_table(kind, text, options, written, fits=fits)
    return found


def _schedules(rows: Rows, keys: Collection[Key]) -> dict[Key, dict[str, Any]]:
    properties = sorted({key[0] for key in keys})
    found: dict[Key, dict[str, Any]] = {}
    for property_id, type_id, *members, payload in rows(
        statement("push/written_schedules"), {"properties": properties}
    ):
        if (property_id, type_id) in keys:
            found[property_id, type_id] = decode(payload) | dict(zip(MEMBERS, members, strict=True))
    return found
