"""The hidden parts of one state database, with the second file attached to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path as File

from propsync.errors import StateUnusable
from propsync.merge.hiding.cutting import shown_record_hash
from propsync.merge.hiding.lines import (
    HiddenField,
    check_lines,
    definitions,
    hidden_fields,
    mark_of,
    nearest,
    refuse_needed,
)
from propsync.merge.hiding.reading import read_cut
from propsync.merge.hiding.run_log import conditions
from propsync.merge.hiding.second_file import SETTING, make_tables, new_name, remembered, whole_history
from propsync.records import Path, Shears
from propsync.resources import ASSET_TYPES, ASSETS, Resource
from propsync.settings import HiddenLine
from propsync.shapes import Shape
from propsync.warehouse import Warehouse, statement

_OUTGROWN = ""  # among the lines that matched


class Hiding:
    """The hidden fields and members of one state database, with the second file attached as `hidden`."""

    def __init__(self, warehouse: Warehouse, lines: Sequence[HiddenLine], file: str) -> None:
        self._warehouse = warehouse
        self.lines = tuple(lines)
        self.file = file
        check_lines(lines, warehouse.catalogue)
        rows = warehouse.rows(statement("merge/hidden/fields"))
        self._fields: set[HiddenField] = {(line, field_id, label) for line, field_id, label in rows}
        self._met = {line for (line,) in warehouse.rows(statement("merge/hidden/met"))}

    @classmethod
    def attached(cls, warehouse: Warehouse, lines: Sequence[HiddenLine]) -> Hiding | None:
        """With the file that the state names; None if it hides nothing. Raises StateUnusable without it."""
        known = remembered(warehouse)
        if known is None:
            return None
        path = warehouse.path.with_name(known[0])
        if not path.exists():
            raise StateUnusable(str(path), "it is missing, and it holds the records without anything hidden")
        warehouse.attach(path, "hidden")
        return cls(warehouse, lines, known[0])

    @classmethod
    def begun(cls, warehouse: Warehouse, lines: Sequence[HiddenLine], folder: File) -> Hiding | None:
        """With a new file in `folder`, for a state without any version; None without lines."""
        if not lines:
            return None
        file = new_name()
        warehouse.attach(folder / file, "hidden")
        make_tables(warehouse)
        with warehouse.transaction():
            noted = {"setting": SETTING, "value": f"{file} {mark_of(lines)}"}
            warehouse.execute(statement("runbooks/note_setting"), noted)
        return cls(warehouse, lines, file)

    @property
    def is_outgrown(self) -> bool:
        """Whether a field that was shown before is hidden from now on: its history must be cut before publishing."""
        return _OUTGROWN in self._met

    @property
    def field_ids(self) -> frozenset[str]:
        """The ids of all hidden fields."""
        return frozenset(field_id for _, field_id, _ in self._fields)

    @property
    def known_fields(self) -> frozenset[HiddenField]:
        """Every hidden field."""
        return frozenset(self._fields)

    def paths(self, resource: str) -> list[Path]:
        """The hidden members of a resource's records."""
        return [line.path for line in self.lines if line.resource == resource and line.path]

    def shears(self, resource: Resource, shape: Shape) -> Shears | None:
        """Cuts the resource's records, by its present shape; None if nothing of them is hidden."""
        paths = self.paths(resource.name)
        for path in paths:
            refuse_needed(resource, shape, path)
        part = {ASSETS.name: "result_field", ASSET_TYPES.name: "field_id"}.get(resource.name)
        ids = self.field_ids if part else frozenset[str]()
        if not paths and not ids:
            return None
        return Shears(paths, ids, shape.paths(part) if part else ())

    def learn(self, payloads: Iterable[bytes], shape: Shape) -> None:
        """Finds the fields that lines name, among the definitions of asset types."""
        if any(line.field is not None for line in self.lines):
            self.add_fields(hidden_fields(self.lines, definitions(payloads, shape), self._fields))

    def add_fields(self, found: Iterable[HiddenField]) -> None:
        """Hides these fields from now on."""
        new = {*found} - self._fields
        if not new:
            return
        ids = sorted({field_id for _, field_id, _ in new} - self.field_ids)
        is_shown = bool(self._warehouse.value(statement("merge/hidden/is_shown"), {"ids": ids}))
        met = {_OUTGROWN} - self._met if is_shown else set[str]()
        with self._warehouse.beside() as run:
            for line, field_id, label in sorted(new):
                run(statement("merge/hidden/add_field"), {"line": line, "field_id": field_id, "label": label})
            for line in met:
                run(statement("merge/hidden/add_met"), {"line": line})
        self._fields |= new
        self._met |= met

    def note_met(self, resource: Resource, shears: Shears) -> None:
        """Keeps which lines matched anything."""
        lines = [one for one in self.lines if one.resource == resource.name and one.path in shears.met]
        new = {one.text for one in lines} - self._met
        if new:
            with self._warehouse.beside() as run:
                for line in sorted(new):
                    run(statement("merge/hidden/add_met"), {"line": line})
            self._met |= new

    def whole_history(self, resource: Resource) -> str:
        """A relation with the resource's history as it came."""
        return whole_history(resource)

    def hashes(self, resource: Resource) -> dict[str, str]:
        """The hashes of a version that is shown cut, for `history/versions.open`."""
        return {
            "record_hash": shown_record_hash(resource, "shown.shown_hash", "changed"),
            "payload_hash": "if(shown.shown_hash is null or payload_hash = '', payload_hash, shown.shown_hash)",
        }

    def read_history(self, resource: Resource, file: File, shape: Shape) -> None:
        """Reads a file of whole history into an empty one, cut."""
        shears = self.shears(resource, shape)
        read_cut(self._warehouse, resource, file, shears)
        if shears is not None:
            self.note_met(resource, shears)

    def warnings(self) -> list[str]:
        """A line for each entry of `hide` that matches nothing."""
        matched = self._met | {line for line, _, _ in self._fields}
        return [self._unmatched(line) for line in self.lines if line.text not in matched]

    def _unmatched(self, line: HiddenLine) -> str:
        labels, members = statement("merge/hidden/labels"), statement("merge/hidden/members")
        of_resource = {"resource": line.resource}
        named = self._warehouse.rows(members, of_resource) if line.path else self._warehouse.rows(labels)
        written = line.field if line.field is not None else ".".join(line.path)
        close = nearest(written, [name for (name,) in named if name])
        advice = f"; the nearest is {close}" if close else ""
        return f'[privacy] hide has "{line.text}", which matches nothing{advice}'

    def conditions(self) -> dict[str, str]:
        """Which rows of the run log tell of anything hidden: a condition for each table, by its name."""
        return conditions(self.lines, self._fields)

    def hidden_names(self, resource: str) -> frozenset[str]:
        """The hidden fields of a resource as `ops.writes` names them: ids of fields, or members."""
        ids = self.field_ids if resource == ASSETS.name else frozenset[str]()
        return ids | {path[0] for path in self.paths(resource)}
