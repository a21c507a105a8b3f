"""Two database files compared, table by table, as a rebuild must make them."""

from __future__ import annotations

from pathlib import Path

import duckdb

Columns = list[tuple[str, str, str, str]]


def columns(path: Path) -> Columns:
    """Schema, table, column and type of what a rebuild must make again, columns in their order."""
    with duckdb.connect(path, read_only=True) as connection:
        return connection.execute(
            "select schema_name, table_name, column_name, data_type from duckdb_columns() "
            "where not internal and database_name = current_database() "
            "and schema_name in ('main', 'history', 'by_type') order by schema_name, table_name, column_index"
        ).fetchall()


def difference(old: Path, new: Path, *tables: str) -> dict[str, list[object]]:
    """Rows that one has and the other lacks, by table; of all of main, history and by_type, or of `tables`."""
    named = tables or tuple(dict.fromkeys(f'{schema}."{table}"' for schema, table, _, _ in columns(old)))
    found: dict[str, list[object]] = {}
    with duckdb.connect() as connection:
        connection.execute(f"attach '{old}' as old (read_only); attach '{new}' as new (read_only)")
        for table in named:
            listed = ", ".join(
                f'"{name}"'
                for (name,) in connection.execute(f"select column_name from (describe old.{table})").fetchall()
            )
            before, after = f"select {listed} from old.{table}", f"select {listed} from new.{table}"
            lost = connection.execute(f"({before}) except all ({after})").fetchall()
            added = connection.execute(f"({after}) except all ({before})").fetchall()
            if lost or added:
                found[table] = [lost[:3], added[:3]]
    return found


def assert_same(before: Path, after: Path) -> None:
    """The same columns in the same order, and the same rows."""
    assert columns(after) == columns(before)
    assert difference(before, after) == {}
