"""Where records are: the properties and types that narrow a list, and how many records each has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

import msgspec

from propsync.api import why_unaskable
from propsync.landing import Landed, PageStore
from propsync.records import Cutter, PayloadUnreadable
from propsync.resources import Resource
from propsync.shapes import Shape
from propsync.sweep.partition.planner import Part, Place
from propsync.warehouse import Warehouse, quoted, statement

_PLACE = ("property", "type")
"""The roles by which the API narrows a list."""


class KnownIds:
    """The known properties and types of one resource: from the warehouse, and from the pages of this run."""

    def __init__(
        self, warehouse: Warehouse, pages: PageStore, resource: Resource, shape: Shape, types: Collection[str]
    ):
        self._warehouse = warehouse
        self._pages = pages
        self.has_property, self.has_type = shape.has("property"), shape.has("type")
        # cutters decode only these members of a record
        self._property, self._type = (Cutter(None, (shape.paths(role),)) for role in ("property", "type"))
        self._names = _names(warehouse, resource)
        self.properties, known_types = (self._known(resource.column(role)) for role in _PLACE)
        self.types: dict[str, None] = known_types | _usable(sorted(types))
        self.counts: Counter[Place] = Counter()
        before = warehouse.rows(statement("sweep/count_places", **self._names))
        self.counts.update({(property_id, type_id): count for property_id, type_id, count in before})

    def _known(self, column: str | None) -> dict[str, None]:
        """The ids in a column of that name, in the table of any resource that has one."""
        if column is None:
            return {}
        tables = [self._warehouse.present(one.name) for one in self._warehouse.catalogue if column in one.columns]
        each = (statement("sweep/ids_in_table", column=quoted(column), table=table) for table in tables)
        query = statement("sweep/known_ids", ids=" union ".join(each))
        return _usable(one for (one,) in self._warehouse.rows(query))

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
                records = self._records(one, cutter)
                self.observe(records)
                seen.update(zip(cutter.keys(records), map(self.place, records), strict=True))
        self.counts |= Counter(seen.values())

    def _records(self, landed: Landed, cutter: Cutter) -> Sequence[msgspec.Raw]:
        """The records of a landed page; none if an earlier attempt found it in a shape that the list has no more."""
        try:
            return cutter.cut(self._pages.get(landed.sha256)).records
        except PayloadUnreadable:
            return []

    def keys(self, part: Part, landed: Iterable[Landed], cutter: Cutter) -> list[str]:
        """The first parts of all known keys at a part's places, from before and from this run."""
        rows = self._warehouse.rows(statement("sweep/keys_at_places", **self._names))
        known = {found for found, *place in rows if part.holds((place[0], place[1]))}
        return sorted(_usable(known | set(self._landed_keys(part, landed, cutter))))

    def _landed_keys(self, part: Part, landed: Iterable[Landed], cutter: Cutter) -> Iterator[str]:
        for one in landed:
            if one.role in ("page", "again"):
                for record in self._records(one, cutter):
                    key = cutter.key(record)
                    if key and part.holds(self.place(record)):
                        yield key[0]


def _names(warehouse: Warehouse, resource: Resource) -> dict[str, str]:
    """The resource's table and columns, for statements; a resource without a place has NULL for it."""
    of_place = {role: resource.column(role) for role in _PLACE}
    columns = {role: "null" if column is None else quoted(column) for role, column in of_place.items()}
    return {"table": warehouse.present(resource.name), "key": quoted(resource.key_columns[0]), **columns}


def _only(key: tuple[str, ...] | None) -> str | None:
    return key[0] if key else None


def _usable(ids: Iterable[str | None]) -> dict[str, None]:
    """Ids that a filter can carry."""
    return {one: None for one in ids if one and why_unaskable(one) is None}
