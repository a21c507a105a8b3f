"""Run as a program with its own libraries: reads every Delta table with one of them, and prints its finds as JSON."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

Read = tuple[dict[str, str], list[tuple[Any, ...]]]
"""The type of each column as the library names it, and all rows."""


def by_duckdb() -> Callable[[Path], Read]:
    import duckdb

    (extension,) = Path(duckdb.__file__).parents[1].rglob("delta.duckdb_extension")
    connection = duckdb.connect()
    connection.execute(f"load '{extension}'")

    def read(path: Path) -> Read:
        found = connection.sql(f"from delta_scan('{path}')")
        return dict(zip(found.columns, map(str, found.types), strict=True)), found.fetchall()

    return read


def by_polars() -> Callable[[Path], Read]:
    import polars  # type: ignore[import-not-found]  # from a folder of its own

    def read(path: Path) -> Read:
        frame = polars.read_delta(str(path))
        return {name: str(kind) for name, kind in frame.schema.items()}, frame.rows()

    return read


def by_pyarrow() -> Callable[[Path], Read]:
    from deltalake import DeltaTable
    from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

    def read(path: Path) -> Read:
        # through deltalake's own file system in Python, a thread of pyarrow now and then aborts the program at its end
        files = SubTreeFileSystem(str(path), LocalFileSystem())
        table = DeltaTable(path).to_pyarrow_dataset(filesystem=files).to_table()
        rows = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
        return {field.name: str(field.type) for field in table.schema}, rows

    return read


def by_deltalake() -> Callable[[Path], Read]:
    import pyarrow
    from deltalake import DeltaTable, QueryBuilder

    def read(path: Path) -> Read:
        table = DeltaTable(path)
        found = pyarrow.table(QueryBuilder().register("t", table).execute("select * from t").read_all())
        columns = [column.to_pylist() for column in found.columns]
        types = {field.name: str(field.type.type) for field in table.schema().fields}
        return types, list(zip(*columns, strict=True))

    return read


READERS = {"duckdb": by_duckdb, "polars": by_polars, "pyarrow": by_pyarrow, "deltalake": by_deltalake}


def digest(rows: Iterable[Iterable[Any]]) -> str:
    """The same for the same rows in any order."""
    shown = sorted(repr([_shown(one) for one in row]) for row in rows)
    return hashlib.sha256("\n".join(shown).encode()).hexdigest()


def _shown(value: Any) -> Any:
    if isinstance(value, datetime):
        assert value.tzinfo is not None, "a moment has its zone"
        return value.astimezone(UTC).isoformat()
    return value.isoformat() if isinstance(value, date) else value


def found(library: str, folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    read = READERS[library]()
    for path in sorted(folder.glob("*/*")):
        kinds, rows = read(path)
        yield str(path.relative_to(folder)), {"types": kinds, "rows": len(rows), "digest": digest(rows)}


if __name__ == "__main__":
    print(json.dumps(dict(found(sys.argv[1], Path(sys.argv[2])))))
