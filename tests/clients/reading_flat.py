"""Run as a program with its own libraries: reads every flat file with one of them, and prints what it found as JSON."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Read = tuple[dict[str, str], list[tuple[Any, ...]]]
"""The type of each column as the library names it, and all rows."""


def by_duckdb(path: Path) -> Read:
    import duckdb

    found = duckdb.sql(f"from '{path}'")
    return dict(zip(found.columns, map(str, found.types), strict=True)), found.fetchall()


def by_polars(path: Path) -> Read:
    import polars  # type: ignore[import-not-found]  # from a folder of its own

    frame = polars.read_parquet(path)
    return {name: str(kind) for name, kind in frame.schema.items()}, frame.rows()


def by_pyarrow(path: Path) -> Read:
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(path)
    rows = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
    return {field.name: str(field.type) for field in table.schema}, rows


def by_pandas(path: Path) -> Read:
    import pandas

    frame = pandas.read_parquet(path)
    kinds = {str(name): str(kind) for name, kind in frame.dtypes.items()}
    for name, kind in kinds.items():  # pandas has one type for texts, dates and anything else
        if kind == "object":
            kinds[name] = " or ".join(sorted({type(value).__name__ for value in frame[name] if value is not None}))
    values = [[None if pandas.isna(one) else _plain(one) for one in frame[name]] for name in frame.columns]
    return kinds, list(zip(*values, strict=True))


def _plain(value: Any) -> Any:
    """A value of pandas' own as Python has it."""
    return getattr(value, "to_pydatetime", getattr(value, "item", lambda: value))()


READERS = {"duckdb": by_duckdb, "polars": by_polars, "pyarrow": by_pyarrow, "pandas": by_pandas}


def found(library: str, folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in sorted(folder.rglob("*.parquet")):
        kinds, rows = READERS[library](path)
        shown = sorted(repr([_shown(one) for one in row]) for row in rows)
        digest = hashlib.sha256("\n".join(shown).encode()).hexdigest()
        yield str(path.relative_to(folder)), {"types": kinds, "rows": len(rows), "digest": digest}


def _shown(value: Any) -> Any:
    """Numbers by value: pandas has 1.0 where another column of the row makes it so."""
    if isinstance(value, bool | int | float):
        return float(value)
    return value.isoformat() if hasattr(value, "isoformat") else value


if __name__ == "__main__":
    print(json.dumps(dict(found(sys.argv[1], Path(sys.argv[2])))))
