"""Moves rows from one database file to another: out as Parquet, in by the columns that both have."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import duckdb

from propsync.resources import Resource
from propsync.storage import PARTIAL
from propsync.warehouse.connection import NO_BAR, SCHEMA_VERSION, Warehouse
from propsync.warehouse.database_errors import damage_of, refuse_other_than_file
from propsync.warehouse.declared_tables import quoted, text
from propsync.warehouse.further_tables import stored_resources
from propsync.warehouse.statements import statement

_OPTIONS = "(format parquet, compression zstd, compression_level 9)"


class OldFile:
    """A database file of any schema version, opened read-only beside the new one.

    Raises StateUnusable for an unreadable one; that harms no other connection. Raises DiskFull, MergeFailed and
    HomeUnusable for a lack of room or memory, or a folder that cannot be written, which is no damage.
    """

    def __init__(self, path: Path, *, memory_limit: str, folder: Path) -> None:
        """`folder` holds whatever exceeds `memory_limit`, and the written files."""
        self._path = path
        self._folder = folder
        config: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": memory_limit,
            "temp_directory": str(folder),
        }
        refuse_other_than_file(path)
        with damage_of(path, folder):
            self._connection = duckdb.connect(path, read_only=True, config=config)
            self._connection.execute(NO_BAR)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._connection.close()

    @property
    def is_current(self) -> bool:
        """Whether it has the layout of this version of propsync."""
        return bool(self.value(statement("warehouse/schema_version")) == SCHEMA_VERSION)

    def value(self, query: str) -> Any:
        """The first column of a query's first row, None if there is none, or this file lacks its tables."""
        found = self.rows(query)
        return found[0][0] if found else None

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """All rows of a query; none if this file lacks its tables. Raises StateUnusable."""
        try:
            with damage_of(self._path, self._folder):
                return self._connection.execute(query).fetchall()
        except (duckdb.CatalogException, duckdb.BinderException):
            return []

    def further_resources(self) -> list[Resource]:
        """The further lists that it knows; none if it is older than these."""
        return stored_resources(self.rows(statement("warehouse/further_lists")))

    def write(self, queries: Mapping[str, str]) -> dict[str, Path]:
        """Writes each query's rows to a file of its own; skips a query if this file lacks its tables."""
        return {name: path for name, query in queries.items() if (path := self._write(name, query))}

    def _write(self, name: str, query: str) -> Path | None:
        path = self._folder / f"{name}.parquet{PARTIAL}"
        try:
            with damage_of(self._path, self._folder):
                self._connection.execute(f"copy ({query}) to {text(str(path))} {_OPTIONS}")
        except (duckdb.CatalogException, duckdb.BinderException):
            return None
        return path


def settle_file(path: Path) -> None:
    """Moves the log beside a database file into it; a file that DuckDB cannot open stays as it is."""
    with suppress(duckdb.Error), duckdb.connect(path) as connection:
        connection.execute("checkpoint")


def write_rows(warehouse: Warehouse, query: str, path: Path) -> None:
    """Writes a query's rows to a Parquet file."""
    warehouse.execute(f"copy ({query}) to {text(str(path))} {_OPTIONS}")


def add_rows(warehouse: Warehouse, table: str, path: Path, condition: str = "true") -> None:
    """Adds the rows of a Parquet file that meet a condition to a table, by the columns that both have."""
    source = f"read_parquet({text(str(path))}, hive_partitioning = false)"
    described = "select column_name, column_type from (describe {})"
    wanted = dict(warehouse.rows(described.format(table)))
    given = dict(warehouse.rows(described.format(f"from {source}")))
    both = ", ".join(_cell(name, given[name], wanted[name]) for name in given if name in wanted)
    if both:
        warehouse.execute(f"insert into {table} by name select {both} from {source} where {condition}")


def _cell(name: str, given: str, wanted: str) -> str:
    """Converts a column whose older layout was text and is JSON now."""
    column = quoted(name)
    is_other = wanted == "JSON" and given == "VARCHAR"
    return f"if(json_valid({column}), {column}, to_json({column})) as {column}" if is_other else column


def stage_rows(warehouse: Warehouse, table: str, path: Path) -> None:
    """Makes `staging.<table>` from a Parquet file."""
    source = f"read_parquet({text(str(path))}, hive_partitioning = false)"
    warehouse.execute(f"create or replace table staging.{quoted(table)} as from {source}")
