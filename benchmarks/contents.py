"""Checks that propsync and the floor made the same: rows of every table and values of every typed column."""

import re
import sys
from pathlib import Path

import duckdb

CORE = {
    "asset_field_values": (
        "value_text", "value_number", "value_date", "value_time", "value_options", "value_option_labels", "value_json",
        "label",
    ),
    "assessment_flag_history": ("at", "status", "by"),
    "assessment_flags": ("label", "raised_at"),
    "assessments": ("property_id", "assessment_type_id", "status", "score", "assessor_name"),
    "assets": ("property_id", "asset_type_id", "asset_type", "payload"),
    "schedules": ("due_date", "status", "assigned_users"),
}  # fmt: skip
Counts = dict[str, tuple[int, ...]]


def assert_equal(published: Path, floor: Path) -> None:
    """Compares the two warehouses, and each with its Parquet files in either form."""
    ours, theirs = _counts(published / "warehouse.duckdb"), _counts(floor / "warehouse.duckdb")
    assert ours == theirs, f"propsync made {ours}, the floor {theirs}"
    rows = {name: counts[0] for name, counts in ours.items()}
    for form in ("parquet", "flat"):
        for folder in (published, floor):
            written = _parquet_rows(folder / form)
            assert rows == {name: written.get(name) for name in rows}, f"Parquet has {written}, the tables have {rows}"
        our_marts, their_marts = (_parquet_rows(folder / form / "marts") for folder in (published, floor))
        assert their_marts.items() <= our_marts.items(), f"marts: propsync's {our_marts}, the floor's {their_marts}"


def _counts(warehouse: Path) -> Counts:
    with duckdb.connect(warehouse, read_only=True) as connection:
        found = {
            f"main.{_plain(table)}": _count(connection, f"main.{table}", columns) for table, columns in CORE.items()
        }
        query = "select table_name from duckdb_tables() where schema_name = 'by_type'"
        for (table,) in connection.execute(query).fetchall():
            described = connection.execute(f"describe by_type.{table}").fetchall()
            columns = tuple(column for column, *_ in described if column not in ("asset_id", "property_id"))
            found[f"by_type.{_plain(table)}"] = _count(connection, f"by_type.{table}", columns)
    return found


def _count(connection: duckdb.DuckDBPyConnection, table: str, columns: tuple[str, ...]) -> tuple[int, ...]:
    """Rows, then values in the columns, in an order that does not depend on their names."""
    expressions = ", ".join(["count(*)", *(f'count("{column}")' for column in columns)])
    counted = connection.execute(f"select {expressions} from {table}").fetchone()
    assert counted is not None
    rows, *values = counted
    return (rows, *(values if table.startswith("main") else sorted(values)))


def _parquet_rows(folder: Path) -> dict[str, int]:
    with duckdb.connect() as connection:
        return {
            f"{path.parent.name}.{_plain(path.stem)}": _rows(connection, path) for path in folder.rglob("*.parquet")
        }


def _rows(connection: duckdb.DuckDBPyConnection, path: Path) -> int:
    counted = connection.execute("select count(*) from read_parquet(?)", [str(path)]).fetchone()
    assert counted is not None
    return int(counted[0])


def _plain(name: str) -> str:
    """Removes the replacements of other scripts and signs, in which names may differ."""
    return re.sub(r"[^a-z]", "", name)


if __name__ == "__main__":
    assert_equal(*map(Path, sys.argv[1:]))
