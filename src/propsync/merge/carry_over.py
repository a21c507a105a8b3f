"""Carries over the rows that a rebuild cannot find in landing: the journal, permanent names, documents."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from propsync.merge.tables.naming import FIELD_NAMES, GIVEN_FIELDS, GIVEN_TYPES, TYPE_NAMES
from propsync.warehouse import (
    TABLES,
    Models,
    OldFile,
    Warehouse,
    add_rows,
    comment_on_column,
    compressed,
    quoted,
    stage_rows,
    text,
    write_rows,
)

_JOURNAL = ("runs", "run_resources", "sweeps", "held_deletes", "rejected_records", "value_issues", "columns")
_DOCUMENTS = ("documents", "bundle_members", "document_text", "bundle_actions", "bundle_controls", "bundle_elements")
_TOLD = "schema_changes"
_SHAPES = "shapes"
_LAYOUT = (
    "select columns.schema_name, columns.table_name, columns.column_name, columns.data_type, columns.column_index, "
    "columns.comment, tables.comment as table_comment from duckdb_columns() as columns "
    "join duckdb_tables() as tables using (database_name, schema_name, table_name) "
    "where columns.database_name = current_database() and columns.schema_name in ('main', 'by_type')"
)
_LISTS = "lists."
NAMES = {"names.types": TYPE_NAMES, "names.fields": FIELD_NAMES, "names.layout": _LAYOUT}
CARRIED = {
    **{f"ops.{name}": f"from ops.{name}" for name in (*_JOURNAL, _TOLD, _SHAPES)},
    **{f"main.{name}": f"from main.{name}" for name in _DOCUMENTS},
    **NAMES,
}
"""The rows to carry over: the query for each, by the name of its file."""


class Carried:
    """Files of rows from an older database, or from a base; none if there is neither."""

    def __init__(self, files: Mapping[str, Path], *, is_older: bool = False) -> None:
        """`is_older` says that another version of propsync wrote them."""
        self._files = {name: path for name, path in files.items() if name in CARRIED or name.startswith(_LISTS)}
        self._is_older = is_older

    @classmethod
    def from_database(cls, path: Path, *, memory_limit: str, folder: Path, lists: Iterable[str] = ()) -> Carried:
        """From a database of any schema version, with people's own `lists`.

        Raises StateUnusable if DuckDB cannot read it.
        """
        own = {f"{_LISTS}{name}": f"from main.{name}" for name in lists if _is_list(name)}
        with OldFile(path, memory_limit=memory_limit, folder=folder) as old:
            return cls(old.write(CARRIED | own), is_older=not old.is_current)

    @property
    def has_names(self) -> bool:
        """Whether it includes the names of tables and columns."""
        return self._files.keys() >= {*NAMES, "ops.columns"}

    def write_into(self, warehouse: Warehouse) -> None:
        """Gives a new database the journal and the names; the rebuild finds shapes again in landing."""
        for name in _JOURNAL:
            if f"ops.{name}" in self._files:
                add_rows(warehouse, f"ops.{name}", self._files[f"ops.{name}"])
        warehouse.execute("create or replace table staging.runs_told as select run_id from ops.runs")
        self._stage(warehouse, "names.types", GIVEN_TYPES)
        self._stage(warehouse, "names.fields", GIVEN_FIELDS)
        if self.has_names:
            self._stage(warehouse, "names.layout", "layout")
            _make_columns(warehouse)
        for name in _DOCUMENTS:
            if f"main.{name}" in self._files:
                add_rows(warehouse, f"main.{name}", self._files[f"main.{name}"])
        for name in self._files:
            if name.startswith(_LISTS):
                self._make_list(warehouse, name.removeprefix(_LISTS))
        # The next archive run reads a bundle again if its rows lack columns, or come from an older reader.
        if not self.has_names or self._is_older:
            warehouse.execute("update main.documents set read_at = null")

    def _make_list(self, warehouse: Warehouse, name: str) -> None:
        """Makes the list as of the last good reading of its file: by now the file may have a mistake, or be gone."""
        source = text(str(self._files[f"{_LISTS}{name}"]))
        warehouse.execute(f"create table main.{quoted(name)} as from read_parquet({source})")

    def write_shapes(self, warehouse: Warehouse) -> None:
        """Gives a new database the earlier shapes, for a landing that does not begin at the beginning."""
        if f"ops.{_SHAPES}" in self._files:
            add_rows(warehouse, f"ops.{_SHAPES}", self._files[f"ops.{_SHAPES}"])

    def settle_changes(self, warehouse: Warehouse, run_id: str) -> None:
        """Keeps a run's original notes of changes, and discards new notes in its name.

        Adds the differences between the earlier shapes and the present ones.
        """
        self._stage(warehouse, f"ops.{_SHAPES}", "shapes_before")
        with warehouse.transaction():
            warehouse.execute(f"delete from ops.{_TOLD} where run_id in (from staging.runs_told)")
            if f"ops.{_TOLD}" in self._files:
                add_rows(warehouse, f"ops.{_TOLD}", self._files[f"ops.{_TOLD}"])
            if f"ops.{_SHAPES}" in self._files:
                Models(warehouse, {"run_id": run_id}).open("staging/shape_changes", f"ops.{_TOLD}")

    def _stage(self, warehouse: Warehouse, name: str, table: str) -> None:
        if name in self._files:
            stage_rows(warehouse, table, self._files[name])


def latest_run(path: Path, *, memory_limit: str, folder: Path) -> str:
    """The latest run in a database, empty if it has none. Raises StateUnusable."""
    with OldFile(path, memory_limit=memory_limit, folder=folder) as old:
        return old.value("select max(run_id) from ops.runs") or ""


def _is_list(name: str) -> bool:
    return re.fullmatch(r"[a-z][a-z0-9_]*", name) is not None and f"main.{name}" not in TABLES


def carry_out(warehouse: Warehouse, name: str, path: Path) -> None:
    """Writes one of `CARRIED` from the open database."""
    write_rows(warehouse, CARRIED[name], path)


def _make_columns(warehouse: Warehouse) -> None:
    """Makes the columns that depend on the data as they were, in their order: a column without any value remains."""
    rows = warehouse.rows(
        "select schema_name, layout.table_name, layout.column_name, columns.type, layout.comment, table_comment "
        "from staging.layout as layout join ops.columns as columns on columns.table_schema = schema_name "
        "and columns.table_name = layout.table_name and columns.column_name = layout.column_name "
        "order by schema_name, layout.table_name, column_index"
    )
    by_table: dict[tuple[str, str], list[tuple[str, str, str, str]]] = {}
    for schema, table, *column in rows:
        by_table.setdefault((schema, table), []).append(tuple(column))
    statements: list[str] = []
    for (schema, table), columns in by_table.items():
        target = f"{quoted(schema)}.{quoted(table)}"
        if schema == "by_type":
            statements += _wide_table(target, columns)
        elif f"{schema}.{table}" in TABLES:
            statements += _open_columns(target, columns, TABLES[f"{schema}.{table}"].columns)
    if statements:
        with warehouse.transaction():
            warehouse.execute(";\n".join(statements))


def _open_columns(target: str, columns: Sequence[tuple[str, ...]], declared: Collection[str]) -> Iterator[str]:
    for name, kind, comment, _ in columns:
        if name not in declared:
            yield f"alter table {target} add column {quoted(name)} {kind}"
            yield comment_on_column(target, name, comment or "")


def _wide_table(target: str, columns: Sequence[tuple[str, ...]]) -> list[str]:
    """Makes all columns at once: each further statement copies DuckDB's entries for the columns before it."""
    kinds = {"asset_id": "VARCHAR", "property_id": "VARCHAR"} | {name: kind for name, kind, *_ in columns}
    made = (f"{quoted(name)} {kind}{compressed(kind, by_dictionary=True)}" for name, kind in kinds.items())
    return [
        f"create table {target} ({', '.join(made)})",
        f"comment on table {target} is {text(columns[0][-1] or '')}",
        comment_on_column(target, "asset_id", "The asset's id in the API"),
        comment_on_column(target, "property_id", "The property that the asset belongs to"),
        *(comment_on_column(target, name, comment or "") for name, _, comment, _ in columns),
    ]
