"""Reads the published warehouse, from Python and from the command line."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import duckdb

from propsync.errors import QueryWrong, UsageError
from propsync.storage import mode_of
from propsync.warehouse.connection import NO_BAR
from propsync.warehouse.database_errors import READING
from propsync.warehouse.declared_tables import text
from propsync.warehouse.query_errors import explained
from propsync.warehouse.statements import statement

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

T = TypeVar("T")
_NO_RIGHT = "Run `propsync doctor`"
_ADVICE = "If the published file is damaged, `propsync sync` writes it again"
_USED = "use warehouse"
Config = dict[str, str | bool | int | float | list[str]]


class PublishedReader:
    """A read-only handle on a published warehouse file; neither blocks the other's work: a sync nor the handle.

    `zone` sets the meaning of "today", and the time zone of relations.
    """

    def __init__(self, path: Path, zone: str = "UTC") -> None:
        self.path = path
        self._connection = _connected_apart(path, zone)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection."""
        self._connection.close()

    def sql(self, query: str, *, params: object = None) -> duckdb.DuckDBPyRelation:
        """A DuckDB relation, to refine or to fetch. Raises UsageError for SQL that DuckDB cannot read."""
        with explained():
            return _with_rows(self._connection.sql(query, params=params))

    def frame(self, query: str, *, params: object = None) -> pd.DataFrame:
        """A pandas frame with dtypes that keep NULLs: Int64, boolean, Float64, string, UTC times."""
        table = self._table(self.sql(query, params=params))
        frame: pd.DataFrame = _in_utc(table).to_pandas(types_mapper=_dtype, date_as_object=False)
        return frame

    def rows(self, query: str, params: object = None) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Column names, and all rows."""
        with explained():  # not as a relation, which reacts to Ctrl-C late, or never
            found = _with_rows(self._cursor().execute(query, params))
            return [name for name, *_ in found.description], found.fetchall()

    def lots(self, query: str, params: object = None, rows: int = 2_000) -> Iterator[list[tuple[Any, ...]]]:
        """All rows, in bounded batches."""
        with explained():
            found = self._cursor().execute(query, params)
            while lot := found.fetchmany(rows):
                yield lot

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        return self._connection.cursor().execute(_USED)  # which file names mean by themselves is not inherited

    def _table(self, relation: duckdb.DuckDBPyRelation) -> pa.Table:
        with explained():
            return relation.to_arrow_table()


def open_published(path: Path, zone: str = "UTC") -> PublishedReader:
    """A handle on the published file. Raises UsageError if propsync has published nothing yet."""
    check_published(path)
    return PublishedReader(path, zone)


def check_published(path: Path) -> None:
    """Raises UsageError if propsync has published nothing yet."""
    if path.is_dir():
        raise UsageError(str(path), "it is a folder", _instead_of(path))
    if not stat.S_ISREG(mode_of(path)):
        step = "Run `propsync sync`; if the tables are in another home, set PROPSYNC_HOME"
        raise UsageError(str(path), "nothing is published yet", step)


def _instead_of(folder: Path) -> str:
    """The advice about a folder: it may be a home, a copy of its published folder, or in the file's place."""
    if folder.suffix == ".duckdb":
        return "Move that folder away, then run `propsync sync`, which writes the file"
    inside = folder / "warehouse.duckdb"
    file = inside if inside.is_file() else folder / "published" / inside.name
    return f"Give its published file, {file}"


def connected(path: Path, config: Config, zone: str) -> duckdb.DuckDBPyConnection:
    """A read-only connection whose "today" is that of `zone`. Raises UsageError for a file that is not ours."""
    with _opening(path):
        connection = duckdb.connect(path, read_only=True, config=config)
    return _in_zone(connection, zone)


def _connected_apart(path: Path, zone: str) -> duckdb.DuckDBPyConnection:
    """The same, whatever else this process has open.

    DuckDB opens a path once in a process. A handle that a notebook still has would share its rows, those of an earlier
    night, with each later one.
    """
    connection = duckdb.connect()
    try:
        with _opening(path):
            connection.execute(statement("warehouse/attach_published", file=text(str(path))))
            connection.execute(_USED)
        return _in_zone(connection, zone)
    except BaseException:
        connection.close()
        raise


@contextmanager
def _opening(path: Path) -> Iterator[None]:
    """Turns an error of DuckDB about the published file into UsageError."""
    try:
        yield
    except duckdb.Error as error:
        words = str(error).splitlines()[0]
        advice = _ADVICE if os.access(path, os.R_OK) else _NO_RIGHT
        advice = next((step for seen, step in READING if seen in words), advice)
        raise UsageError(str(path), f"it cannot be opened: {words}", advice) from error


def _in_zone(connection: duckdb.DuckDBPyConnection, zone: str) -> duckdb.DuckDBPyConnection:
    try:
        connection.execute(NO_BAR)
        connection.execute(f"set global TimeZone = {text(zone)}")
    except duckdb.Error as error:
        connection.close()
        raise UsageError(
            "PROPSYNC_TIME_ZONE", f"DuckDB does not know {zone}", "Give one such as Europe/London"
        ) from error
    return connection


def _dtype(kind: pa.DataType) -> Any:
    import pandas as pd
    import pyarrow as pa

    if pa.types.is_boolean(kind):
        return pd.BooleanDtype()
    if pa.types.is_integer(kind):
        return pd.UInt64Dtype() if pa.types.is_unsigned_integer(kind) else pd.Int64Dtype()
    if pa.types.is_floating(kind):
        return pd.Float64Dtype()
    return pd.StringDtype() if pa.types.is_string(kind) or pa.types.is_large_string(kind) else None


def _with_rows(found: T | None) -> T:
    """DuckDB's result; DuckDB gives None for a text without a statement."""
    if found is None:
        raise QueryWrong("query", "the statement returns no rows", "Write a SELECT; what is published is read-only")
    return found


def _in_utc(table: pa.Table) -> pa.Table:
    """The same moments in UTC, as documented for frames, whatever the zone of relations."""
    import pyarrow as pa

    zoned = [
        field.with_type(pa.timestamp(field.type.unit, "UTC")) if _is_zoned(field.type) else field
        for field in table.schema
    ]
    return table.cast(pa.schema(zoned))


def _is_zoned(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return pa.types.is_timestamp(kind) and kind.tz is not None
