"""Keeps the versions of hidden types in the second file, and shows records as deleted or new at the border."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec
import nanoarrow as na

from propsync.merge.hiding.second_file import RECORDS
from propsync.merge.hiding.types import TYPES
from propsync.records import Cutter
from propsync.resources import Resource
from propsync.shapes import Shape
from propsync.warehouse import PARTS, Warehouse, documents, lot, quoted, statement, texts, whole_numbers

Keep = Callable[[str, Mapping[str, Any] | Sequence[Any] | None], object]
_ROLES = ("property", "type", "status")


class Apart:
    """The records of one resource that have a hidden type, by the resource's present shape."""

    def __init__(self, warehouse: Warehouse, resource: Resource, shape: Shape, types: Collection[str]) -> None:
        self._warehouse, self._resource, self._types = warehouse, resource, frozenset(types)
        role = "id" if resource in TYPES else "type"
        self._kind = shape.paths(role)
        self._cutters = {name: Cutter(None, (shape.paths(name),)) for name in _ROLES if shape.paths(name)}
        self._kinds = Cutter(None, (self._kind,))
        self._places: list[tuple[int, bool]] = []

    def are_hidden(self, payloads: Iterable[bytes]) -> list[bool]:
        """Which records are of a hidden type: all, if nobody knows where records have their type."""
        found = [msgspec.Raw(payload) for payload in payloads]
        if not self._kind:
            return [True] * len(found)
        return [key is not None and key[0] in self._types for key in self._kinds.keys(found)]

    def roles(self, payloads: Sequence[bytes]) -> dict[str, list[str | None]]:
        """The property, type and status of each record, by column of the second file."""
        return {
            "property_id": self._texts("property", payloads),
            "type_id": self._texts("type", payloads),
            "status": self._texts("status", payloads),
        }

    def _texts(self, role: str, payloads: Sequence[bytes]) -> list[str | None]:
        cutter = self._cutters.get(role)
        if cutter is None:
            return [None] * len(payloads)
        return [key[0] if key else None for key in cutter.keys(map(msgspec.Raw, payloads))]

    def without_payloads(self, rejected: Sequence[tuple[str, int, str, str]]) -> list[tuple[str, int, str, str]]:
        """Rejected records (list, position, reason, payload): those of hidden types are counted alone."""
        hidden = self.are_hidden(payload.encode() for *_, payload in rejected)
        return [(*one[:3], "null") if is_hidden else one for one, is_hidden in zip(rejected, hidden, strict=True)]

    def forget(self, keep: Keep, values: Mapping[str, Any]) -> None:
        """Removes the versions that a run kept before it died."""
        since = f"{values['run_time'].isoformat()}"
        keep(statement("merge/hidden/forget_records_from"), {"resource": self._resource.name, "since": since})

    def keep(
        self, keep: Keep, values: Mapping[str, Any], places: Sequence[int], payloads: list[bytes], *, is_concluded: bool
    ) -> tuple[Sequence[int], list[bytes]]:
        """Keeps the versions of hidden types among these new ones; returns the others."""
        hidden = self.are_hidden(payloads)
        if not any(hidden):
            return places, payloads
        apart = [place for place, one in zip(places, hidden, strict=True) if one]
        whole = [payload for payload, one in zip(payloads, hidden, strict=True) if one]
        self._places += [(place, is_concluded) for place in apart]
        names = ("run_time", "run_id")
        given = {name: values[name] for name in names} | {"resource": self._resource.name, "is_concluded": is_concluded}
        with self._warehouse.showing(self._lot(apart, whole)):
            keep(
                statement("merge/hidden/keep_records", records=RECORDS, lot="lot"),
                given | {"has_facts": bool(self._resource.performed)},
            )
        shown = [(place, payload) for place, payload, one in zip(places, payloads, hidden, strict=True) if not one]
        return [place for place, _ in shown], [payload for _, payload in shown]

    def _lot(self, places: Sequence[int], payloads: list[bytes]) -> na.Array:
        roles = {name: texts(values) for name, values in self.roles(payloads).items()}
        return lot(place=whole_numbers(places), payload=documents(payloads), **roles)

    def settle(self, values: Mapping[str, Any]) -> None:
        """Closes the versions before, inside the merge's transaction, and shows what crossed the border."""
        resource, run = self._resource, {"run_time": values["run_time"]}
        pairs = zip(resource.key_columns, PARTS, strict=False)
        names = {
            "table": quoted(resource.name),
            "key_columns": ", ".join(map(quoted, resource.key_columns)),
            "lot": "lot",
            "is_same": " and ".join(f"changed.{part} = versions.{quoted(column)}" for column, part in pairs),
        }
        with self._warehouse.showing(self._lot_of_places()):
            run_id = {"run_id": values["run_id"]}
            self._warehouse.execute(statement("merge/hidden/open_tombstones", **names), run | run_id)
            self._warehouse.execute(statement("merge/hidden/open_as_new", **names), run)
            self._warehouse.execute(statement("merge/hidden/close_shown", **names), run)
        note_kept(self._warehouse, resource, values["run_time"].isoformat())

    def _lot_of_places(self) -> na.Array:
        return lot(
            place=whole_numbers(place for place, _ in self._places),
            is_concluded=texts([str(is_concluded) for _, is_concluded in self._places]),
        )


def note_kept(warehouse: Warehouse, resource: Resource, until: str) -> None:
    """Notes in the state how far it counts on the second file's versions: a run that dies leaves later ones there."""
    noted = {"setting": f"hidden {resource.name}", "value": until}
    warehouse.execute(statement("warehouse/forget_setting"), noted)
    warehouse.execute(statement("warehouse/note_setting"), noted)


def forget_unkept(warehouse: Warehouse, resources: Iterable[Resource]) -> None:
    """Removes versions of runs that died before the state counted on them."""
    with warehouse.beside() as keep:
        for resource in resources:
            until = warehouse.value(statement("warehouse/setting"), {"setting": f"hidden {resource.name}"})
            keep(statement("merge/hidden/forget_records"), {"resource": resource.name, "since": until or "1970-01-01"})
