"""Carries over the rows that a rebuild cannot find in landing: the journal, permanent names, documents."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from propsync.merge.hiding import DOCUMENT_ISSUES, HiddenField, Hiding, mark_of
from propsync.merge.reference.list_table import list_schema
from propsync.merge.tables.naming import FIELD_NAMES, GIVEN_FIELDS, GIVEN_TYPES, TYPE_NAMES
from propsync.storage import PARTIAL
from propsync.warehouse import (
    TABLES,
    Models,
    OldFile,
    Warehouse,
    add_rows,
    comment_on_column,
    comment_on_table,
    compressed,
    quoted,
    stage_rows,
    statement,
    text,
    write_rows,
)

_JOURNAL = (
    *("runs", "run_resources", "sweeps", "held_deletes"),
    *("rejected_records", "value_issues", "columns", "headlines", "writes", "hints"),
)
_DOCUMENTS = (
    "main.documents",
    "main.bundle_members",
    "main.document_text",
    "main.bundle_actions",
    "main.bundle_controls",
    "main.bundle_elements",
    "history.bundle_actions",
)
_TOLD = "schema_changes"
_ISSUES = "ops.value_issues"
_SHAPES = "shapes"
_LISTS = "lists."
_HIDDEN_NAMES = "hidden.fields"
_TABLES = [*(f"ops.{name}" for name in (*_JOURNAL, _TOLD, _SHAPES)), *_DOCUMENTS]
NAMES = {"names.types": TYPE_NAMES, "names.fields": FIELD_NAMES, "names.layout": statement("merge/layout")}
CARRIED = {name: statement("merge/rows_of", table=name) for name in _TABLES} | NAMES
"""The rows to carry over: the query for each, by the name of its file."""


class Carried:
    """Files of rows from an older database, or from a base; none if there is neither."""

    def __init__(
        self,
        files: Mapping[str, Path],
        *,
        is_older: bool = False,
        kept: Mapping[str, Path] | None = None,
        mark: str = "",
    ) -> None:
        """`is_older` says that another version of propsync wrote them; `kept` are rows about hidden parts.

        `mark` tells the lines of `[privacy] hide` at that time (`mark_of`).
        """
        self._mark = mark
        self._kept = dict(kept or {})
        self._hidden_names = self._kept.pop(_HIDDEN_NAMES, None)
        self._files = {name: path for name, path in files.items() if name in CARRIED or name.startswith(_LISTS)}
        self._is_older = is_older

    @classmethod
    def from_database(
        cls, path: Path, *, memory_limit: str, folder: Path, state: Path | None = None, lists: Iterable[str] = ()
    ) -> Carried:
        """From a database of any schema version, with people's own `lists`; `state` has the file of hidden rows.

        Raises StateUnusable if DuckDB cannot read it.
        """
        with OldFile(path, memory_limit=memory_limit, folder=folder) as old:
            of_api = {one.name for one in old.further_resources()}
            own = {
                f"{_LISTS}{name}": _rows_of("reference" if name in of_api else "main", name)
                for name in lists
                if _is_list(name)
            }
            files, is_older = old.write(CARRIED | own), not old.is_current
            hides = old.value(statement("merge/hidden/remembered"))
        mark = str(hides or "").partition(" ")[2]
        hidden = state / str(hides).partition(" ")[0] if state is not None and hides is not None else None
        if hidden is None or not hidden.exists():
            return cls(files, is_older=is_older, mark=mark)
        with OldFile(hidden, memory_limit=memory_limit, folder=folder) as old:
            tables = {name: statement("merge/rows_of", table=quoted(name)) for name in CARRIED}
            tables[_HIDDEN_NAMES] = statement("merge/hidden/names")
            found = old.write({f"kept.{name}": query for name, query in tables.items()})
        kept = {name.removeprefix("kept."): path for name, path in found.items()}
        return cls(files, is_older=is_older, kept=kept, mark=mark)

    def hides_other(self, hiding: Hiding | None) -> bool:
        """Whether the older state hides other types than `hiding`, so that its columns may come from them alone."""
        return hiding is not None and hiding.hides_types and self._is_other(hiding)

    def _is_other(self, hiding: Hiding) -> bool:
        return self._mark != mark_of(hiding.lines)

    def hidden_before(self, warehouse: Warehouse, hiding: Hiding) -> set[HiddenField]:
        """The fields and types that the older state hid by lines of today."""
        lines = {line.text for line in hiding.lines}
        if self._hidden_names is None:
            return set()
        rows = warehouse.rows(statement("merge/hidden/names_before", file=text(str(self._hidden_names))))
        return {(line, field_id, label) for line, field_id, label in rows if line in lines}

    def erase(self, rewrite: Callable[[str, Path], int]) -> None:
        """Rewrites each file without what was erased since the database was current."""
        names = {_HIDDEN_NAMES: self._hidden_names} if self._hidden_names else {}
        for files in (self._files, self._kept, names):
            for name, path in files.items():
                rewrite(name, path)

    @property
    def has_names(self) -> bool:
        """Whether it includes the names of tables and columns."""
        return self._files.keys() >= {*NAMES, "ops.columns"}

    def write_into(self, warehouse: Warehouse, hiding: Hiding | None = None) -> None:
        """Gives a new database the journal and the names; the rebuild finds shapes again in landing.

        Rows that tell of anything hidden go into the second file.
        """
        if hiding:
            hiding.note_tables(self._names_of_types(warehouse))
        columns = self._files.get("ops.columns") if hiding and self._is_other(hiding) else None
        hidden = hiding.conditions(columns) if hiding else {}
        late = hiding.named_by_key() if hiding else {}
        for name in _JOURNAL:
            if f"ops.{name}" not in {*late, _ISSUES}:
                self._add(warehouse, f"ops.{name}", hidden)
        self._add_issues(warehouse, hidden, has_late=bool(late))
        warehouse.execute(statement("merge/make_runs_told"))
        self._stage(warehouse, "names.types", GIVEN_TYPES)
        self._stage(warehouse, "names.fields", GIVEN_FIELDS)
        self._add_hidden_names(warehouse, hidden)
        if self.has_names:
            self._stage(warehouse, "names.layout", "layout")
            _make_columns(warehouse)
        for name in self._files:
            if name.startswith(_LISTS):
                self._make_list(warehouse, name.removeprefix(_LISTS))
        self._add_documents(warehouse, ["main.documents"] if late else _DOCUMENTS)

    def write_late(self, warehouse: Warehouse, hiding: Hiding | None) -> None:
        """Adds rows that name records by key, once all of history shows which records are of hidden types.

        propsync reads their documents when they are shown again.
        """
        late = hiding.named_by_key() if hiding else {}
        if hiding is None or not late:
            return
        for table in late:
            self._add(warehouse, table, late)
        unopened = hiding.unopened()
        for table in _DOCUMENTS:
            if table in self._files and table != "main.documents":
                add_rows(warehouse, table, self._files[table], f"({unopened[table]}) is not true")
        if _ISSUES in self._files:
            of_shown = f"{DOCUMENT_ISSUES} and ({unopened[_ISSUES]}) is not true"
            add_rows(warehouse, _ISSUES, self._files[_ISSUES], of_shown)
        warehouse.execute(statement("merge/hidden/read_documents_later", hidden=unopened["main.documents"]))

    def _add_documents(self, warehouse: Warehouse, tables: Iterable[str]) -> None:
        for table in tables:
            if table in self._files:
                add_rows(warehouse, table, self._files[table])
        if not self.has_names or self._is_older:
            warehouse.execute(statement("merge/read_documents_again"))

    def _add_hidden_names(self, warehouse: Warehouse, hidden: Mapping[str, str]) -> None:
        for name, table in (("names.types", GIVEN_TYPES), ("names.fields", GIVEN_FIELDS)):
            if name in self._kept:
                add_rows(warehouse, f"staging.{table}", self._kept[name])
            for path in filter(None, (one.get(name) for one in (self._files, self._kept))):
                _keep_hidden(warehouse, name, path, hidden)

    def _names_of_types(self, warehouse: Warehouse) -> list[tuple[str, str]]:
        """The types of assets and their tables, as the older database had them."""
        found = (one.get("names.types") for one in (self._files, self._kept))
        queries = (statement("merge/hidden/tables_of_types", file=text(str(path))) for path in found if path)
        return [(type_id, table) for query in queries for type_id, table in warehouse.rows(query)]

    def _add(self, warehouse: Warehouse, name: str, hidden: Mapping[str, str]) -> None:
        is_made_again = name == "ops.columns"  # with the column itself
        for files in (self._files, {} if is_made_again else self._kept):
            if path := files.get(name):
                add_rows(warehouse, name, path, f"({hidden[name]}) is not true" if name in hidden else "true")
                _keep_hidden(warehouse, name, path, hidden)

    def _add_issues(self, warehouse: Warehouse, hidden: Mapping[str, str], *, has_late: bool) -> None:
        """Adds values that do not fit. With `has_late`, those of documents wait for all of history."""
        path, kept = self._files.get(_ISSUES), self._kept.get(_ISSUES)
        if path and kept:
            path = _both_issues(warehouse, path, kept)
        if path:
            is_here = f"not ({DOCUMENT_ISSUES}) and " if has_late else ""
            is_shown = f"({hidden[_ISSUES]}) is not true" if hidden else "true"
            add_rows(warehouse, _ISSUES, path, is_here + is_shown)
            _keep_hidden(warehouse, _ISSUES, path, hidden)

    def _make_list(self, warehouse: Warehouse, name: str) -> None:
        file = text(str(self._files[f"{_LISTS}{name}"]))
        warehouse.execute(
            statement("merge/make_list", table=f"{list_schema(warehouse, name)}.{quoted(name)}", file=file)
        )

    def write_shapes(self, warehouse: Warehouse) -> None:
        """Gives a new database the earlier shapes, for a landing that does not begin at the beginning."""
        if f"ops.{_SHAPES}" in self._files:
            add_rows(warehouse, f"ops.{_SHAPES}", self._files[f"ops.{_SHAPES}"])

    def settle_changes(self, warehouse: Warehouse, run_id: str, hiding: Hiding | None = None) -> None:
        """Keeps a run's original notes of changes, and discards new notes in its name.

        Adds the differences between the earlier shapes and the present ones.
        """
        self._stage(warehouse, f"ops.{_SHAPES}", "shapes_before")
        hidden = hiding.conditions() if hiding else {}
        for path in filter(None, (one.get(f"ops.{_TOLD}") for one in (self._files, self._kept))):
            _keep_hidden(warehouse, f"ops.{_TOLD}", path, hidden)
        with warehouse.transaction():
            warehouse.execute(statement("merge/forget_changes_told"))
            for path in filter(None, (one.get(f"ops.{_TOLD}") for one in (self._files, self._kept))):
                add_rows(
                    warehouse, f"ops.{_TOLD}", path, f"({hidden[f'ops.{_TOLD}']}) is not true" if hidden else "true"
                )
            again = statement("merge/forget_changes_again", hidden=hidden.get(f"ops.{_TOLD}", "false"))
            warehouse.execute(again, {"run_id": run_id})
            if f"ops.{_SHAPES}" in self._files:
                Models(warehouse, {"run_id": run_id}).open("staging/shape_changes", f"ops.{_TOLD}")

    def _stage(self, warehouse: Warehouse, name: str, table: str) -> None:
        if name in self._files:
            stage_rows(warehouse, table, self._files[name])


def latest_run(path: Path, *, memory_limit: str, folder: Path) -> str:
    """The latest run in a database, empty if it has none. Raises StateUnusable."""
    with OldFile(path, memory_limit=memory_limit, folder=folder) as old:
        return old.value(statement("merge/latest_run")) or ""


def knows_run(path: Path, run_id: str, *, memory_limit: str, folder: Path) -> bool:
    """Whether a database knows a run. Raises StateUnusable."""
    with OldFile(path, memory_limit=memory_limit, folder=folder) as old:
        return bool(old.value(statement("merge/knows_run", run_id=text(run_id))))


def _keep_hidden(warehouse: Warehouse, name: str, path: Path, hidden: Mapping[str, str]) -> None:
    """Keeps the rows that tell of anything hidden, for the day on which it is shown again."""
    if name in hidden and name != "ops.columns":
        given = {"table": f"hidden.{quoted(name)}", "file": text(str(path))}
        warehouse.execute(statement("merge/hidden/make_kept", **given))
        warehouse.execute(statement("merge/hidden/keep_rows", condition=hidden[name], **given))


def _both_issues(warehouse: Warehouse, path: Path, kept: Path) -> Path:
    """A file with the rows of both: propsync may have found a kept one again, and its first run counts."""
    both = kept.with_name(f"both.{_ISSUES}.parquet{PARTIAL}")
    files = ", ".join(text(str(one)) for one in (path, kept))
    write_rows(warehouse, statement("merge/hidden/both_issues", files=f"[{files}]"), both)
    return both


def _rows_of(schema: str, table: str) -> str:
    return statement("merge/rows_of", table=f"{schema}.{quoted(table)}")


def _is_list(name: str) -> bool:
    return re.fullmatch(r"[a-z][a-z0-9_]*", name) is not None and f"main.{name}" not in TABLES


def carry_out(warehouse: Warehouse, name: str, path: Path) -> None:
    """Writes one of `CARRIED` from the open database."""
    write_rows(warehouse, CARRIED[name], path)


def _make_columns(warehouse: Warehouse) -> None:
    """Makes the columns that depend on the data as they were, in their order: a column without any value remains."""
    by_table: dict[tuple[str, str], list[tuple[str, str, str, str]]] = {}
    for schema, table, *column in warehouse.rows(statement("merge/columns_to_make")):
        by_table.setdefault((schema, table), []).append(tuple(column))
    statements: list[str] = []
    for (schema, table), columns in by_table.items():
        target = f"{quoted(schema)}.{quoted(table)}"
        if schema == "by_type":
            statements += _wide_table(target, columns)
        elif f"{schema}.{table}" in warehouse.tables:
            statements += _open_columns(target, columns, warehouse.tables[f"{schema}.{table}"].columns)
    if statements:
        with warehouse.transaction():
            warehouse.execute(";\n".join(statements))


def _open_columns(target: str, columns: Sequence[tuple[str, ...]], declared: Collection[str]) -> Iterator[str]:
    for name, kind, comment, _ in columns:
        if name not in declared:
            yield statement("warehouse/add_column", table=target, column=quoted(name), type=kind)
            yield comment_on_column(target, name, comment or "")


def _wide_table(target: str, columns: Sequence[tuple[str, ...]]) -> list[str]:
    """Makes all columns at once: each further statement copies DuckDB's entries for the columns before it."""
    kinds = {"asset_id": "VARCHAR", "property_id": "VARCHAR"} | {name: kind for name, kind, *_ in columns}
    made = (f"{quoted(name)} {kind}{compressed(kind, by_dictionary=True)}" for name, kind in kinds.items())
    return [
        statement("warehouse/make_table", table=target, columns=", ".join(made)),
        comment_on_table(target, columns[0][-1] or ""),
        comment_on_column(target, "asset_id", "The asset's id in the API"),
        comment_on_column(target, "property_id", "The property that the asset belongs to"),
        *(comment_on_column(target, name, comment or "") for name, _, comment, _ in columns),
    ]
