"""People's own lists of names and addresses, from CSV to tables, so that a property has a name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from propsync.errors import SettingsError
from propsync.merge.marks import mark_tables
from propsync.warehouse import (
    TABLES,
    CsvUnreadable,
    Warehouse,
    comment_on_column,
    quoted,
    snake_case,
    text,
    unique_name,
)

_KEYS = {"properties": "property_id", "users": "user_id"}


def build_reference(warehouse: Warehouse, run_id: str, files: Mapping[str, Path]) -> None:
    """Makes `main.properties`, `main.users`, …: a VARCHAR column for each column of the CSV.

    Raises SettingsError for a file that cannot be read or lacks its key column.
    """
    for table, path in files.items():
        _build(warehouse, run_id, table, path)


def _build(warehouse: Warehouse, run_id: str, table: str, path: Path) -> None:
    where = f"[reference] {table}"
    if f"main.{table}" in TABLES:
        raise SettingsError(where, "propsync has a table of that name itself", "Give your list another name")
    if not path.is_file():
        raise SettingsError(where, f"there is no file {path}", "Correct the path in propsync.toml")
    try:
        warehouse.stage_csv(path, "reference")
    except CsvUnreadable as error:
        raise SettingsError(
            where, f"{path} cannot be read as CSV: {error}", "Save it as UTF-8 CSV with a header"
        ) from error
    columns = _columns(warehouse)
    key = _KEYS.get(table)
    if key and key not in columns.values():
        raise SettingsError(where, f"{path} has no column {key}", f"Add the column {key} with the API's ids")
    selected = ", ".join(f"{quoted(source)} as {quoted(name)}" for source, name in columns.items())
    wanted = f"select {selected} from staging.reference"
    if key:
        wanted = f"select * from ({wanted}) where {quoted(key)} is not null"
        _refuse_repeats(warehouse, where, path, key, wanted)
    _replace(warehouse, run_id, table, wanted, path)


def _refuse_repeats(warehouse: Warehouse, where: str, path: Path, key: str, query: str) -> None:
    twice = warehouse.value(
        f"select {quoted(key)} from ({query}) group by all having count(*) > 1 order by all limit 1"
    )
    if twice is not None:
        raise SettingsError(where, f"{path} has {key} {twice} more than once", "Keep one row of each")


def _columns(warehouse: Warehouse) -> dict[str, str]:
    names: dict[str, str] = {}
    for (source,) in warehouse.rows("select column_name from (describe staging.reference)"):
        names[source] = unique_name(snake_case(source, "column"), names.values())
    return names


def _replace(warehouse: Warehouse, run_id: str, table: str, query: str, path: Path) -> None:
    target = f"main.{quoted(table)}"
    exists = warehouse.value(
        "select count(*) from duckdb_tables() where schema_name = 'main' and table_name = ?", [table]
    )
    if exists and _is_same(warehouse, target, query):
        return
    with warehouse.transaction():
        warehouse.execute(f"create or replace table {target} as {query}")
        warehouse.execute(f"comment on table {target} is {text(f'From {path.name}, which people keep themselves')}")
        for (column,) in warehouse.rows(f"select column_name from (describe {target})"):
            warehouse.execute(comment_on_column(target, column, f"Column of {path.name}"))
        mark_tables(warehouse, run_id, "main", [table])


def _is_same(warehouse: Warehouse, target: str, query: str) -> bool:
    old = warehouse.rows(f"select column_name from (describe {target})")
    new = warehouse.rows(f"select column_name from (describe {query})")
    if old != new:
        return False
    differing = (
        f"select count(*) from ((from {target} except all ({query})) union all (({query}) except all from {target}))"
    )
    return not warehouse.value(differing)
