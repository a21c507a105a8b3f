"""Reading what is published, from Python and from the command line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import duckdb

from propsync.errors import UsageError
from propsync.warehouse.connection import interruptible
from propsync.warehouse.tables import text

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

T = TypeVar("T")
_COPY_OPTIONS = {"csv": "(format csv, header)", "json": "(format json, array true)", "parquet": "(format parquet)"}


class Reader:
    """A read-only handle on a published warehouse file; it neither blocks a sync nor is disturbed by one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._connection = duckdb.connect(path, read_only=True)
        except duckdb.Error as error:
            what = f"it cannot be opened: {str(error).splitlines()[0]}"
            raise UsageError(str(path), what, "Run `propsync doctor`") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection."""
        self._connection.close()

    def sql(self, query: str, *, params: object = None) -> duckdb.DuckDBPyRelation:
        """A DuckDB relation, to be refined or fetched. Raises UsageError for SQL that cannot be read."""
        with _readable():
            return _with_rows(self._connection.sql(query, params=params))

    def frame(self, query: str, *, params: object = None) -> pd.DataFrame:
        """A pandas frame with dtypes that keep NULLs: Int64, boolean, Float64, string, UTC times."""
        table = self._table(self.sql(query, params=params))
        frame: pd.DataFrame = table.to_pandas(types_mapper=_dtype, date_as_object=False)
        return frame

    def rows(self, query: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Column names, and all rows."""
        with _readable():  # not as a relation, which hears of Ctrl-C late, or never
            found = _with_rows(self._connection.cursor().execute(query))
            return [name for name, *_ in found.description], found.fetchall()

    def lots(self, query: str, params: object = None, rows: int = 2_000) -> Iterator[list[tuple[Any, ...]]]:
        """All rows, in bounded lots."""
        with _readable():
            found = self._connection.cursor().execute(query, params)
            while lot := found.fetchmany(rows):
                yield lot

    def write(self, query: str, kind: str, target: Path) -> None:
        """Writes a query's rows to a file: csv, json or parquet."""
        selected = query.rstrip().rstrip(";")
        with _readable():
            self._connection.execute(f"copy ({selected}\n) to {text(str(target))} {_COPY_OPTIONS[kind]}")

    def _table(self, relation: duckdb.DuckDBPyRelation) -> pa.Table:
        with _readable():
            return relation.to_arrow_table()


def open_published(path: Path) -> Reader:
    """A handle on the published file. Raises UsageError where nothing is published yet."""
    if path.is_dir():
        raise UsageError(str(path), "it is a folder", f"Give its published file, {path / 'published/warehouse.duckdb'}")
    if not path.is_file():
        raise UsageError(str(path), "nothing is published yet", "Run `propsync sync`")
    return Reader(path)


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


@contextmanager
def _readable() -> Iterator[None]:
    """Says what is wrong with a query; Ctrl-C ends one."""
    try:
        with interruptible():
            yield
    except duckdb.Error as error:
        raise _wrong_sql(error) from error


def _with_rows(found: T | None) -> T:
    """What DuckDB gave; it gives None for a text without a statement."""
    if found is None:
        raise UsageError("query", "the statement returns no rows", "Write a SELECT; what is published is read-only")
    return found


def _wrong_sql(error: duckdb.Error) -> UsageError:
    words = " ".join(str(error).split("\n\n")[0].split())
    return UsageError("query", words, "Run `propsync query --tables` to see what there is")
