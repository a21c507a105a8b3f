"""Reads every value of any DuckDB or Parquet file, for a search that trusts nothing that the file says of itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from propsync.warehouse.connection import NO_BAR
from propsync.warehouse.database_errors import interruptible
from propsync.warehouse.declared_tables import quoted, text
from propsync.warehouse.statements import statement

_ROWS = 1_000
_PLAIN = ("BOOLEAN", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "DOUBLE", "FLOAT")  # they hold no text
_ESCAPED = r"'\u00'"


@dataclass(frozen=True)
class Sought:
    """`runs`: lower-case letters and digits, each of which every trace has, if there are any; `is_in`: the judge."""

    runs: Sequence[str]
    is_in: Callable[[str | bytes], bool]


@dataclass
class Values:
    """The outcome: places with a trace, and places that DuckDB could not read, each with its words."""

    found: list[str]
    unread: list[tuple[str, str]]
    free_blocks: int = 0


class ForeignTables:
    """Searches database files that no run has open; `folder` holds whatever exceeds `memory_limit`."""

    def __init__(self, *, memory_limit: str, folder: Path) -> None:
        self._config: dict[str, Any] = {
            "memory_limit": memory_limit,
            "threads": 1,
            "temp_directory": str(folder),
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "preserve_insertion_order": False,
        }
        self._memory = duckdb.connect(":memory:", config=self._config)
        self._memory.execute(NO_BAR)

    def close(self) -> None:
        """Ends the connection that reads Parquet."""
        self._memory.close()

    def database(self, path: Path, sought: Sought) -> Values:
        """Every column of every table and view of a DuckDB file, and its catalogue."""
        values = Values([], [])
        with _noting(values, "the database"), duckdb.connect(path, read_only=True, config=self._config) as connection:
            connection.execute(NO_BAR)
            look = _Look(connection, sought, values)
            look.words(statement("traces/catalogue"))
            for schema, name, is_view, columns in connection.execute(statement("traces/relations")).fetchall():
                place = f"{'view' if is_view else 'table'} {schema}.{name}"
                named = [(one["name"], one["type"]) for one in columns]
                look.relation(place, f"{quoted(schema)}.{quoted(name)}", named)
            sizes = connection.execute("pragma database_size").fetchall()
            values.free_blocks = sum(int(row[4]) for row in sizes if row[0] == path.stem or len(sizes) == 1)
        return values

    def parquet(self, path: Path, sought: Sought) -> Values:
        """Every column of every row group of a Parquet file, its statistics and its notes."""
        values = Values([], [])
        with _noting(values, "the Parquet file"), self._memory.cursor() as connection:
            look, own = _Look(connection, sought, values), text(str(path))
            columns = connection.execute(statement("traces/parquet_columns", path=own)).fetchall()
            look.relation("", f"read_parquet({own}, hive_partitioning = false)", columns)
            look.words(statement("traces/parquet_words", path=own))
        return values


@contextmanager
def _noting(values: Values, place: str) -> Iterator[None]:
    """Notes DuckDB's errors as something that could not be read."""
    try:
        yield
    except (duckdb.Error, UnicodeDecodeError) as error:
        values.unread.append((place, (str(error).splitlines() or ["it has no reason"])[0]))


class _Look:
    """A search on one connection."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, sought: Sought, values: Values) -> None:
        self._connection, self._sought, self._values = connection, sought, values

    def words(self, query: str) -> None:
        """Notes the places of a query of two columns, place and words."""
        with _noting(self._values, "the catalogue"):
            for place, words in self._rows(query):
                if place not in self._values.found and self._sought.is_in(words or ""):
                    self._values.found.append(place)

    def relation(self, place: str, relation: str, columns: Sequence[tuple[str, str]]) -> None:
        """Notes the columns that have a trace."""
        tested = [(name, kind) for name, kind in columns if kind not in _PLAIN]
        with _noting(self._values, place):
            for name, kind in self._likely(relation, tested):
                where = f"{place}, column {name}" if place else f"column {name}"
                with _noting(self._values, where):
                    if self._has_trace(relation, name, kind):
                        self._values.found.append(where)

    def _likely(self, relation: str, columns: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        """The columns with a value that passes the fast test."""
        if not columns:
            return []
        counts = ", ".join(f"count(*) filter (where {self._test(*one)})" for one in columns)
        query = statement("traces/count", counts=counts, relation=relation)
        (found,) = self._rows(query)
        return [one for one, count in zip(columns, found, strict=True) if count]

    def _has_trace(self, relation: str, name: str, kind: str) -> bool:
        value = quoted(name) if kind == "BLOB" else f"{quoted(name)}::varchar"
        query = statement("traces/candidates", value=value, relation=relation, test=self._test(name, kind))
        return any(self._sought.is_in(value) for (value,) in self._rows(query))

    def _test(self, name: str, kind: str) -> str:
        if not self._sought.runs or kind == "BLOB":
            return f"{quoted(name)} is not null"
        words = f"{quoted(name)}::varchar"
        has_all = " and ".join(f"contains(lower({words}), {text(run)})" for run in self._sought.runs)
        return f"({has_all} or contains({words}, {_ESCAPED}))"

    def _rows(self, query: str) -> Iterator[tuple[Any, ...]]:
        with interruptible():
            found = self._connection.execute(query)
            while lot := found.fetchmany(_ROWS):
                yield from lot
