"""The assets that earlier plans of a file of the same name created, so that planning it again does not repeat them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from propsync.push.plan import FieldChange
from propsync.push.published import Published
from propsync.push.sameness import is_same


@dataclass
class Creation:
    """One asset that propsync created: its id, the run that recorded it, and the values written."""

    asset_id: str
    run_id: str
    values: dict[str, Any] = field(default_factory=dict)


class CreatedBefore:
    """The creations by property and type; each answers for one row."""

    def __init__(self, published: Published, file: str) -> None:
        found: dict[str, Creation] = {}
        for asset_id, run_id, field_id, value in published.created(file):
            one = found.setdefault(asset_id, Creation(asset_id, run_id))
            if field_id is not None:
                one.values[field_id] = value
        self._left: dict[tuple[str | None, str | None], list[Creation]] = {}
        for asset_id, place in (published.assets(list(found)) if found else {}).items():
            self._left.setdefault(place, []).append(found[asset_id])

    def take(self, property_id: str, type_id: str, changes: Sequence[FieldChange]) -> Creation | None:
        """The creation of an asset with exactly these values, None without one."""
        values = {change.field: change.new for change in changes}
        left = self._left.get((property_id, type_id), [])
        for one in left:
            if one.values.keys() == values.keys() and all(is_same(one.values[key], values[key]) for key in values):
                left.remove(one)
                return one
        return None
