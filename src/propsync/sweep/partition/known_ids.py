"""Where records are: the properties and types that narrow a list, and how many records each has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator

import msgspec

from propsync.api import why_unaskable
from propsync.landing import Landed, PageStore
from propsync.records import Cutter
from propsync.resources import Resource
from propsync.shapes import Shape
from propsync.sweep.partition.planner import Part, Place
from propsync.warehouse import Warehouse, quoted

_COLUMNS = {
    "assets": "property_id, asset_type_id",
    "assessments": "property_id, assessment_type_id",
    "schedules": "property_id, assessment_type_id",
}
_PROPERTIES = " union ".join(
    f"select property_id from main.{table} where property_id is not null" for table in _COLUMNS
)
_TYPES = {
    "assets": "select asset_type_id from main.asset_types union select asset_type_id from main.assets",
    "assessments": "select assessment_type_id from main.assessment_types union "
    "select assessment_type_id from main.assessments",
    "schedules": "select assessment_type_id from main.assessment_types union "
    "select assessment_type_id from main.schedules",
}


class KnownIds:
    """The known properties and types of one resource: from the warehouse, and from the pages of this run."""

    def __init__(
        self, warehouse: Warehouse, pages: PageStore, resource: Resource, shape: Shape, types: Collection[str]
    ):
        self._warehouse = warehouse
        self._pages = pages
        self._resource = resource
        self.has_property, self.has_type = shape.has("property"), shape.has("type")
        # cutters decode only these members of a record
        self._property, self._type = (Cutter(None, (shape.paths(role),)) for role in ("property", "type"))
        self.properties: dict[str, None] = _usable(one for (one,) in warehouse.rows(f"{_PROPERTIES} order by 1"))
        known = _usable(one for (one,) in warehouse.rows(f"{_TYPES[resource.name]} order by 1"))
        self.types: dict[str, None] = known | _usable(sorted(types))
        self.counts: Counter[Place] = Counter()
        before = warehouse.rows(
            f"select {_COLUMNS[resource.name]}, count(*) from main.{quoted(resource.name)} group by all"
        )
        self.counts.update({(property_id, type_id): count for property_id, type_id, count in before})

    def place(self, record: msgspec.Raw) -> Place:
        """The property and type of a record."""
        return _only(self._property.key(record)), _only(self._type.key(record))

    def observe(self, records: Iterable[msgspec.Raw]) -> bool:
        """Learns the ids that these records show; returns whether any property was new."""
        before = len(self.properties)
        for record in records:
            property_id, type_id = self.place(record)
            self.properties |= _usable([property_id])
            self.types |= _usable([type_id])
        return len(self.properties) > before

    def observe_landed(self, landed: Iterable[Landed], cutter: Cutter) -> None:
        """Learns from the pages that earlier attempts of this run landed, and counts their records."""
        seen: dict[tuple[str, ...] | None, Place] = {}  # by key: a list that moves shows many records twice
        for one in landed:
            if one.role == "page":
                records = cutter.cut(self._pages.get(one.sha256)).records
                self.observe(records)
                seen.update(zip(cutter.keys(records), map(self.place, records), strict=True))
        self.counts |= Counter(seen.values())

    def keys(self, part: Part, landed: Iterable[Landed], cutter: Cutter) -> list[str]:
        """The first parts of all known keys at a part's places, from before and from this run."""
        key = quoted(self._resource.key_columns[0])
        rows = self._warehouse.rows(f"select {key}, {_COLUMNS[self._resource.name]} from main.{self._resource.name}")
        known = {found for found, *place in rows if part.holds((place[0], place[1]))}
        return sorted(_usable(known | set(self._landed_keys(part, landed, cutter))))

    def _landed_keys(self, part: Part, landed: Iterable[Landed], cutter: Cutter) -> Iterator[str]:
        for one in landed:
            if one.role in ("page", "again"):
                for record in cutter.cut(self._pages.get(one.sha256)).records:
                    key = cutter.key(record)
                    if key and part.holds(self.place(record)):
                        yield key[0]


def _only(key: tuple[str, ...] | None) -> str | None:
    return key[0] if key else None


def _usable(ids: Iterable[str | None]) -> dict[str, None]:
    """Ids that a filter can carry."""
    return {one: None for one in ids if one and why_unaskable(one) is None}
