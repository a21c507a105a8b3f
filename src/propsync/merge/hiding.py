"""What `[privacy] hide` leaves out: propsync cuts it from history, and keeps the whole records in a second file."""

from __future__ import annotations

import difflib
import hashlib
import operator
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path as File

import nanoarrow as na

from propsync.errors import SettingsError, StateUnusable
from propsync.records import Path, Shears, bytes_hash, decode_shallow, without_repeats
from propsync.resources import ASSET_TYPES, ASSETS, Catalogue, Resource
from propsync.settings import HiddenLine
from propsync.shapes import Shape
from propsync.shapes.entries import entries
from propsync.shapes.fields import FIELDS
from propsync.warehouse import (
    Warehouse,
    documents,
    key_parts,
    lot,
    quoted,
    snake_case,
    statement,
    text,
    texts,
    whole_numbers,
)

SETTING = "hidden"
KEPT = "hidden.versions"
"""The table of whole records in the second file."""

_PATTERN = "hidden-{}.duckdb"
HIDDEN_FILES = _PATTERN.format("*")
_AT_ONCE = 2_000
_OUTGROWN = ""  # among the lines that matched
_FACTS = "coalesce({0}.status, ''), coalesce({0}.performed_for, false), coalesce({0}.performed_by, false)"


def mark_of(lines: Sequence[HiddenLine]) -> str:
    """The hash by which a state remembers the lines: nobody can read a label from it."""
    return hashlib.sha256("\n".join(sorted(line.text for line in lines)).encode()).hexdigest()


def remembered(warehouse: Warehouse) -> tuple[str, str] | None:
    """The second file's name and the mark of its lines; None if the state hides nothing."""
    found = warehouse.value(statement("runbooks/setting"), {"setting": SETTING})
    if found is None:
        return None
    name, _, mark = str(found).partition(" ")
    return name, mark


HiddenField = tuple[str, str, str]
"""A line of propsync.toml, the id of a field that it hides, and a label that the field has or had."""


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
        file = _PATTERN.format(secrets.token_hex(4))
        warehouse.attach(folder / file, "hidden")
        warehouse.execute(statement("merge/hidden/make_versions"))
        warehouse.execute(statement("merge/hidden/make_fields"))
        warehouse.execute(statement("merge/hidden/make_met"))
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
            _refuse_needed(resource, shape, path)
        part = {ASSETS.name: "result_field", ASSET_TYPES.name: "field_id"}.get(resource.name)
        ids = self.field_ids if part else frozenset[str]()
        if not paths and not ids:
            return None
        return Shears(paths, ids, shape.paths(part) if part else ())

    def learn(self, payloads: Iterable[bytes], shape: Shape) -> None:
        """Finds the fields that lines name, among the definitions of asset types."""
        if any(line.field is not None for line in self.lines):
            self.add_fields(hidden_fields(self.lines, _definitions(payloads, shape), self._fields))

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
        first, second = key_parts(resource)
        second = second if second.startswith("'") else f"versions.{second}"
        return statement(
            "merge/hidden/whole_history",
            kept=KEPT,
            table=quoted(resource.name),
            resource=text(resource.name),
            first=first,
            second=second,
        )

    def hashes(self, resource: Resource) -> dict[str, str]:
        """The hashes of a version that is shown cut, for `history/versions.open`."""
        return {
            "record_hash": _shown_hash(resource, "shown.shown_hash", "changed"),
            "payload_hash": "if(shown.shown_hash is null or payload_hash = '', payload_hash, shown.shown_hash)",
        }

    def read_history(self, resource: Resource, file: File, shape: Shape) -> None:
        """Reads a file of whole history into an empty one, cut."""
        source = text(str(file))
        self._warehouse.execute(statement("merge/hidden/make_cut"))
        shears = self.shears(resource, shape)
        if shears is not None:
            for rows in self._warehouse.batches(statement("merge/hidden/rows_to_cut", file=source), rows=_AT_ONCE):
                self._stage_cut(shears, rows)
            self.note_met(resource, shears)
        first, second = key_parts(resource)
        numbered = f"read_parquet({source}, file_row_number = true)"
        given = {"resource": text(resource.name), "first": first, "second": second}
        self._warehouse.execute(statement("merge/hidden/keep_read", kept=KEPT, rows=numbered, **given))
        shown_hash = _shown_hash(resource, "cut.shown_hash", "versions")
        added = statement("merge/hidden/add_read", table=quoted(resource.name), record_hash=shown_hash, rows=numbered)
        self._warehouse.execute(added)

    def _stage_cut(self, shears: Shears, rows: Sequence[tuple[int, str]]) -> None:
        cut = [(place, shears.cut(whole), whole) for place, written in rows for whole in [written.encode()]]
        changed = [(place, shown) for place, shown, whole in cut if shown is not whole]
        if changed:
            self._warehouse.append(
                "staging.cut",
                place=whole_numbers(place for place, _ in changed),
                payload=documents([shown for _, shown in changed]),
                shown_hash=texts([bytes_hash(shown) for _, shown in changed]),
            )

    def warnings(self) -> list[str]:
        """A line for each entry of `hide` that matches nothing."""
        matched = self._met | {line for line, _, _ in self._fields}
        return [self._unmatched(line) for line in self.lines if line.text not in matched]

    def _unmatched(self, line: HiddenLine) -> str:
        labels, members = statement("merge/hidden/labels"), statement("merge/hidden/members")
        of_resource = {"resource": line.resource}
        named = self._warehouse.rows(members, of_resource) if line.path else self._warehouse.rows(labels)
        written = line.field if line.field is not None else ".".join(line.path)
        nearest = _nearest(written, [name for (name,) in named if name])
        advice = f"; the nearest is {nearest}" if nearest else ""
        return f'[privacy] hide has "{line.text}", which matches nothing{advice}'

    def conditions(self) -> dict[str, str]:
        """Which rows of the run log tell of anything hidden: a condition for each table, by its name."""
        ids, labels = _list(self.field_ids), _list({label for *_, label in self._fields})
        members = [(text(line.resource), line.path) for line in self.lines if line.path]

        def of_members(column: str, form: Callable[[Path], str]) -> str:
            each = (f"or (resource = {resource} and {column} = {text(form(path))})" for resource, path in members)
            return " ".join(each)

        below = " ".join(
            f"or (resource = {resource} and starts_with(name, {text('.'.join(path) + '.')}))"
            for resource, path in members
        )
        dotted, last = ".".join, operator.itemgetter(-1)
        of_columns = " ".join(_of_column(line) for line in self.lines if line.path)
        return {
            "ops.columns": f"(table_schema = 'by_type' and source in {ids}) {of_columns}",
            "ops.schema_changes": f"(resource = 'asset_types' and split_part(name, '/', -1) in {ids}) "
            f"{of_members('name', dotted)} {below}",
            "ops.rejected_records": f"resource in {_list(self._resources())}",
            "ops.value_issues": f"(resource = 'assets' and (name in {ids} or name in {labels})) "
            f"{of_members('name', dotted)} {of_members('name', lambda path: snake_case(path[-1], path[-1]))}",
            "ops.writes": f"(resource = 'assets' and field in {ids}) {of_members('field', last)}",
            "ops.hints": "payload is not null",
            "names.fields": f"field_id in {ids}",
        }

    def hidden_names(self, resource: str) -> frozenset[str]:
        """The hidden fields of a resource as `ops.writes` names them: ids of fields, or members."""
        ids = self.field_ids if resource == ASSETS.name else frozenset[str]()
        return ids | {path[0] for path in self.paths(resource)}

    def _resources(self) -> set[str]:
        """The resources of which anything is hidden."""
        of_fields = {ASSETS.name, ASSET_TYPES.name} if self._fields else set[str]()
        return {line.resource for line in self.lines if line.path} | of_fields


def hidden_fields(
    lines: Iterable[HiddenLine], definitions: Iterable[tuple[str, str | None]], known: Iterable[HiddenField] = ()
) -> set[HiddenField]:
    """The fields that lines name by id or by a label, with every label that they have."""
    defined = [(field_id, label or "") for field_id, label in definitions]
    named = [(line, line.field) for line in lines if line.field is not None]
    found = {
        (line.text, field_id)
        for field_id, label in defined
        for line, name in named
        if name == field_id or _plain(name) == _plain(label)
    }
    found |= {(line, field_id) for line, field_id, _ in known}
    labels = {(line, field_id, label) for line, hidden in found for field_id, label in defined if field_id == hidden}
    return labels | {*known}


def _of_column(line: HiddenLine) -> str:
    """A condition on `ops.columns`; flags have tables of their own."""
    tables = {line.resource: ".".join(line.path)}
    if line.resource == "assessments" and line.path[0] == "flags" and len(line.path) > 1:
        tables = {"assessment_flags": ".".join(line.path[1:]), "assessment_flag_history": ".".join(line.path[2:])}
    return " ".join(
        f"or (table_schema = 'main' and table_name = {text(table)} "
        f"and (source = {text(source)} or starts_with(source, {text(source + '.')})))"
        for table, source in tables.items()
        if source
    )


def _list(values: Collection[str]) -> str:
    """Texts as an SQL list; an empty list is none in SQL."""
    return f"({', '.join(map(text, sorted(values)))})" if values else "(null)"


def check_lines(lines: Sequence[HiddenLine], catalogue: Catalogue) -> None:
    """Raises SettingsError for a resource that does not exist, or a member without which propsync cannot work."""
    for line in lines:
        if line.resource not in catalogue.names:
            nearest = _nearest(line.resource, catalogue.names)
            known = f"Did you mean {nearest}?" if nearest else f"Name one of {', '.join(catalogue.names)}"
            raise SettingsError(f'"{line.text}" in [privacy] hide', f"there is no resource {line.resource}", known)
        if line.path:
            _refuse_needed(catalogue[line.resource], Shape(line.resource), line.path)


def lot_of(shears: Shears, places: Sequence[int], payloads: Sequence[bytes]) -> na.Array:
    """New versions as rows: place, the payload to show, its hash if it is cut, and the whole payload then."""
    shown = [shears.cut(whole) for whole in payloads]
    is_cut = [after is not whole for after, whole in zip(shown, payloads, strict=True)]
    return lot(
        place=whole_numbers(places),
        payload=documents(shown),
        shown_hash=texts([bytes_hash(after) if cut else None for after, cut in zip(shown, is_cut, strict=True)]),
        whole=documents([whole if cut else b"null" for whole, cut in zip(payloads, is_cut, strict=True)]),
    )


def cut_rejected(shears: Shears, rejected: Sequence[tuple[str, int, str, str]]) -> list[tuple[str, int, str, str]]:
    """Rejected records (list, position, reason, payload) without what is hidden, also where a member comes twice."""
    payloads = without_repeats([payload.encode() for *_, payload in rejected])
    cut = [shears.cut(payload).decode() for payload in payloads]
    return [(*one[:3], payload) for one, payload in zip(rejected, cut, strict=True)]


def _refuse_needed(resource: Resource, shape: Shape, path: Path) -> None:
    """Raises SettingsError for a member that a key, a property, a type or a status comes from."""
    needed: list[Path] = [(name,) for role in resource.roles for name in role.documented]
    needed += [one for role in resource.roles for one in shape.paths(role.name)]
    if any(one[: len(path)] == path for one in needed):
        where = f"{resource.name}.{'.'.join(path)} in [privacy] hide"
        what = "propsync needs this member to know the record, its property, its type or its status"
        raise SettingsError(where, what, "Take the line away")


def _definitions(payloads: Iterable[bytes], shape: Shape) -> Iterator[tuple[str, str | None]]:
    for payload in payloads:
        for entry in entries(decode_shallow(payload), FIELDS):
            if field_id := entry.first_text(shape.paths("field_id")):
                labels = (entry.text(path) for path in shape.paths("field_label"))
                yield field_id, next(filter(None, labels), None)


def _shown_hash(resource: Resource, shown_hash: str, versions: str) -> str:
    facts = _FACTS.format(versions) if resource.performed else "''"
    made = f"split_part({versions}.record_hash, ':', 1) || ':' || md5(concat_ws('|', {shown_hash}, {facts}))"
    return f"if({shown_hash} is null, {versions}.record_hash, {made})"


def _plain(label: str) -> str:
    return " ".join(label.split()).casefold()


def _nearest(written: str, known: Collection[str]) -> str | None:
    by_plain = {_plain(name): name for name in known}
    found = difflib.get_close_matches(_plain(written), list(by_plain), n=1, cutoff=0.4)
    return by_plain[found[0]] if found else None
