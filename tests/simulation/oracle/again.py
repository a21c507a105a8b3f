"""Two warehouses that should be the same: before and after another quiet run, built step by step and rebuilt."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import duckdb

from .problems import Problems

_SCHEMAS = ("main", "history", "by_type")


Tables = dict[tuple[str, str], list[str]]


def check_same(one: Path, other: Path, promise: str, problems: Problems, *, moving: Collection[str] = ()) -> None:
    """Every table of records and documents, both ways, column by name, less those columns that `moving` names."""
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute(f"attach '{one}' as one (read_only)")
        connection.execute(f"attach '{other}' as other (read_only)")
        tables, others = _tables(connection, "one"), _tables(connection, "other")
        for place in sorted(tables.keys() | others.keys()):
            columns, same = tables.get(place), others.get(place)
            if problems.expect(columns == same, promise, place, columns, "≠", same) and columns is not None:
                columns = [column for column in columns if f"{place[1]}.{column}" not in moving]
                _check_rows(connection, place, columns, promise, problems)


def _check_rows(
    connection: duckdb.DuckDBPyConnection, place: tuple[str, str], columns: list[str], promise: str, problems: Problems
) -> None:
    chosen = ", ".join(f'"{column}"' for column in columns)
    name = '"{}"."{}"'.format(*place)
    for first, second in (("one", "other"), ("other", "one")):
        query = f"select {chosen} from {first}.{name} except all select {chosen} from {second}.{name} limit 2"
        for row in connection.execute(query).fetchall()[:1]:
            problems.add(promise, f"{name}: only in {first}", dict(zip(columns, row, strict=True)))


def _tables(connection: duckdb.DuckDBPyConnection, database: str) -> Tables:
    found = connection.execute(
        "select schema_name, table_name, list(column_name order by column_name) from duckdb_columns() "
        "where database_name = ? and list_contains(?, schema_name) group by all",
        [database, list(_SCHEMAS)],
    ).fetchall()
    return {(schema, table): columns for schema, table, columns in found}
