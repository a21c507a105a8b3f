"""The hidden parts of one state database, with the second file attached to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path as File

from propsync.errors import StateUnusable
from propsync.merge.hiding.apart import Apart, forget_unkept
from propsync.merge.hiding.cutting import shown_record_hash
from propsync.merge.hiding.lines import (
    HiddenField,
    check_lines,
    definitions,
    hidden_fields,
    is_of_type,
    mark_of,
    refuse_needed,
)
from propsync.merge.hiding.reading import read_cut
from propsync.merge.hiding.run_log import conditions, document_conditions, hides_flags, keyed_condition
from propsync.merge.hiding.second_file import (
    SETTING,
    hides_now,
    make_tables,
    new_name,
    refuse_older,
    remembered,
    whole_history,
)
from propsync.merge.hiding.types import has_types, named_types, present, records_now, whole_with_records
from propsync.merge.hiding.unmatched import ANY_MORE, unmatched
from propsync.merge.hiding.unshown import unshown_columns
from propsync.records import Path, Shears
from propsync.resources import ASSESSMENTS, ASSET_TYPES, ASSETS, Resource
from propsync.settings import HiddenLine
from propsync.shapes import Shape
from propsync.warehouse import Warehouse, Whole, quoted, statement

_OUTGROWN = ""  # among the lines that matched


class Hiding:
    """The hidden fields and members of one state database, with the second file attached as `hidden`."""

    def __init__(self, warehouse: Warehouse, lines: Sequence[HiddenLine], file: str) -> None:
        self._warehouse = warehouse
        self.lines = tuple(lines)
        self.file = file
        self._knows_all = False
        self._tables: set[str] = set()
        check_lines(lines, warehouse.catalogue)
        rows = warehouse.rows(statement("merge/hidden/fields"))
        self._fields: set[HiddenField] = {(line, field_id, label) for line, field_id, label in rows}
        self._met = {line for (line,) in warehouse.rows(statement("merge/hidden/met"))}
        if any(line.type is not None for line in lines) or warehouse.rows(statement("merge/hidden/resources_apart")):
            self._know_all_records()

    @classmethod
    def attached(cls, warehouse: Warehouse, lines: Sequence[HiddenLine]) -> Hiding | None:
        """With the file that the state names; None if it hides nothing.

        Raises StateUnusable without it, or with an older one.
        """
        known = remembered(warehouse)
        if known is None:
            return None
        path = warehouse.path.with_name(known[0])
        if not path.exists():
            raise StateUnusable(str(path), "it is missing, and it holds the records without anything hidden")
        warehouse.attach(path, "hidden")
        make_tables(warehouse)
        refuse_older(warehouse, known[0], warehouse.catalogue)
        forget_unkept(warehouse, filter(has_types, warehouse.catalogue))
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
            warehouse.execute(statement("warehouse/note_setting"), noted)
        return cls(warehouse, lines, file)

    @property
    def is_outgrown(self) -> bool:
        """Whether a field that was shown before is hidden from now on: its history must be cut before publishing."""
        return _OUTGROWN in self._met

    @property
    def field_ids(self) -> frozenset[str]:
        """The ids of all hidden fields."""
        return frozenset(field_id for line, field_id, _ in self._fields if not is_of_type(line))

    @property
    def type_ids(self) -> frozenset[str]:
        """The ids of all hidden types."""
        named = {line.type for line in self.lines if line.type is not None}
        return frozenset(named | {type_id for line, type_id, _ in self._fields if is_of_type(line)})

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

    def apart(self, resource: Resource, shape: Shape) -> Apart | None:
        """Keeps the records of hidden types apart; None if no type is hidden."""
        types = self.type_ids
        return Apart(self._warehouse, resource, shape, types) if types and has_types(resource) else None

    def learn(self, resource: Resource, payloads: Iterable[bytes], shape: Shape) -> None:
        """Finds the fields and types that lines name, among asset types or assessment types."""
        if not any(line.field is not None or line.type is not None for line in self.lines):
            return
        types = list(payloads)
        found = named_types(self.lines, resource, types, shape, self.type_ids)
        if resource is ASSET_TYPES and any(line.field is not None for line in self.lines):
            found |= hidden_fields(self.lines, definitions(types, shape), self._fields)
        self.add_fields(found)

    def add_fields(self, found: Iterable[HiddenField]) -> None:
        """Hides these fields and types from now on."""
        new = {*found} - self._fields
        if not new:
            return
        fields = {field_id for line, field_id, _ in new if not is_of_type(line)} - self.field_ids
        types = {type_id for line, type_id, _ in new if is_of_type(line)} - self.type_ids
        is_shown = self._is_any(statement("merge/hidden/is_shown"), fields)
        is_shown = is_shown or self._is_any(statement("merge/hidden/types_are_shown"), types)
        met = {_OUTGROWN} - self._met if is_shown else set[str]()
        with self._warehouse.beside() as run:
            for line, field_id, label in sorted(new):
                run(statement("merge/hidden/add_field"), {"line": line, "field_id": field_id, "label": label})
            for line in met:
                run(statement("merge/hidden/add_met"), {"line": line})
        self._fields |= new
        self._met |= met

    def _is_any(self, query: str, ids: set[str]) -> bool:
        return bool(ids) and bool(self._warehouse.value(query, {"ids": sorted(ids)}))

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
        cut = whole_history(resource)
        return whole_with_records(resource, cut) if self._knows_all and has_types(resource) else cut

    def _know_all_records(self) -> None:
        """From now on whatever decides about completeness reads records of hidden types too."""
        self._knows_all = True
        for resource in filter(has_types, self._warehouse.catalogue):
            unshown = records_now(resource, "valid_from as changed_at", "change = 'delete' as is_gone", with_gone=True)
            whole = Whole(self.whole_history(resource), present(resource), unshown)
            self._warehouse.know(resource.name, whole)

    def unnamed(self, resource: Resource) -> frozenset[tuple[str, ...]]:
        """The keys of present records of hidden types."""
        if not self._knows_all or not has_types(resource):
            return frozenset()
        keys = ", ".join(map(quoted, resource.key_columns))
        now = statement("merge/hidden/keys_now", key_columns=keys, records_now=records_now(resource))
        return frozenset(self._warehouse.rows(now))

    def hashes(self, resource: Resource) -> dict[str, str]:
        """The hashes of a version that is shown cut, for `history/versions.open`."""
        return {
            "record_hash": shown_record_hash(resource, "shown.shown_hash", "changed"),
            "payload_hash": "if(shown.shown_hash is null or payload_hash = '', payload_hash, shown.shown_hash)",
        }

    def read_history(self, resource: Resource, file: File, shape: Shape) -> None:
        """Reads a file of whole history into an empty one, cut."""
        shears = self.shears(resource, shape)
        read_cut(self._warehouse, resource, file, shears, self.apart(resource, shape))
        if shears is not None:
            self.note_met(resource, shears)

    def warnings(self) -> list[str]:
        """A line for each entry of `hide` that matches nothing, or only records that are no more."""
        matched = self._met | {line for line, _, _ in self._fields}
        never = [self._unmatched(line) for line in self.lines if line.text not in matched]
        lost = [line for line in self.lines if line.path and line.text in self._met and not self._hides_now(line)]
        return [*never, *(self._unmatched(line, ANY_MORE) for line in lost)]

    def _hides_now(self, line: HiddenLine) -> bool:
        return hides_now(self._warehouse, self._warehouse.catalogue[line.resource], line.path)

    def _unmatched(self, line: HiddenLine, since: str = "") -> str:
        of_resource = {"resource": line.resource} if line.path else None
        labels, types = statement("merge/hidden/labels"), statement("merge/hidden/type_names")
        names = labels if line.type is None else types
        named = self._warehouse.rows(statement("merge/hidden/members") if line.path else names, of_resource)
        return unmatched(line, [name for (name,) in named if name], since)

    def conditions(self, other_columns: File | None = None) -> dict[str, str]:
        """Which rows of the run log tell of anything hidden: a condition for each table, by its name.

        `other_columns` is the file of `ops.columns` from a state that hides anything else.
        """
        fields = [one for one in self._fields if not is_of_type(one[0])]
        found = conditions(self.lines, fields, self.type_ids, self._tables)
        if other_columns is not None and (self.hides_types or hides_flags(self.lines)):
            unshown = unshown_columns(self._warehouse, other_columns, of_all=self.hides_types)
            found["ops.columns"] += f" or {unshown}"
        return found

    @property
    def hides_types(self) -> bool:
        """Whether any line names a type."""
        return bool(self.type_ids)

    def named_by_key(self) -> dict[str, str]:
        """The same for tables that name records: only all of history shows which of these are of hidden types."""
        if not self.type_ids:
            return {}
        named = self.conditions()
        tables = ("ops.writes", "ops.held_deletes")
        return {table: f"({named.get(table, 'false')}) or {keyed_condition()}" for table in tables}

    def unopened(self) -> dict[str, str]:
        """Which rows of tables about documents come from assessments of hidden types, by table."""
        hidden = self._warehouse.unshown(ASSESSMENTS.name)
        return document_conditions(hidden) if self.type_ids and hidden else {}

    def note_tables(self, names: Iterable[tuple[str, str]]) -> None:
        """Learns the tables of hidden types from an older state: type and name of table."""
        self._tables |= {table for type_id, table in names if type_id in self.type_ids}

    def hidden_names(self, resource: str) -> frozenset[str]:
        """The hidden fields of a resource as `ops.writes` names them, ids or members, and the hidden types."""
        ids = self.field_ids if resource == ASSETS.name else frozenset[str]()
        return ids | self.type_ids | {path[0] for path in self.paths(resource)}
