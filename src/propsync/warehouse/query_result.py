"""The rows of one question as text or as a file, in bounded memory for any number of rows."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress

import duckdb
import pyarrow as pa

from propsync.warehouse.query_errors import explained
from propsync.warehouse.query_thread import QueryThread

_OPTIONS = {"csv": "(format csv, header)", "json": "(format json, array true)", "parquet": "(format parquet)"}
_PIECE = 1 << 16
_LOT = 2_048  # rows: DuckDB's own batch
_BARE = re.compile(rb'"(?:[^"\\]|\\.)*"|-?Infinity|NaN')

Lot = list[tuple[str | None, ...]]


class QueryResult:
    """Rows that a caller reads once. `writer` is a connection that never sees the question's SQL."""

    def __init__(
        self, rows: pa.RecordBatchReader, writer: duckdb.DuckDBPyConnection, worker: QueryThread, lines_above: int
    ) -> None:
        self.columns: list[str] = rows.schema.names
        self.are_numbers = [_is_number(field.type) for field in rows.schema]
        self._writer = writer
        self._worker = worker
        self._lines_above = lines_above
        writer.register("answer", rows)

    def lots(self) -> Generator[Lot]:
        """All rows, each value as DuckDB writes it, None for NULL."""
        with explained(self._lines_above):
            shown = self._writer.sql("select columns(*)::varchar from answer")
            batches = self._worker.wait(lambda: shown.to_arrow_reader(_LOT))
            while batch := self._worker.wait(lambda: next(batches, None)):
                yield list(zip(*(column.to_pylist() for column in batch.columns), strict=True))

    def pieces(self, kind: str) -> Generator[bytes]:
        """The rows as a file: csv, json (one array; NaN and infinity are null, as JSON has none) or parquet."""
        pieces = self._file(kind)
        return _valid_json(pieces) if kind == "json" else pieces

    def _file(self, kind: str) -> Generator[bytes]:
        reading, writing = os.pipe()
        copying = self._worker.start(self._copying(kind, writing))
        try:
            with explained(self._lines_above), open(reading, "rb", buffering=0) as pipe:  # noqa: PTH123 - a descriptor
                while piece := pipe.read(_PIECE):
                    yield piece
                copying.result()
        finally:
            self._worker.stop(copying)

    def _copying(self, kind: str, writing: int) -> Callable[[], None]:
        def copy() -> None:
            try:
                self._writer.execute(f"copy answer to '/proc/self/fd/{writing}' {_OPTIONS[kind]}")
            finally:
                os.close(writing)

        return copy

    def close(self) -> None:
        """Releases the rows that nobody read."""
        with suppress(duckdb.Error):
            self._writer.unregister("answer")


def _is_number(kind: pa.DataType) -> bool:
    is_wide = isinstance(kind, pa.OpaqueType) and kind.type_name in ("hugeint", "uhugeint", "bignum")
    return is_wide or pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)


def _valid_json(pieces: Iterator[bytes]) -> Generator[bytes]:
    """Replaces the NaN and Infinity that DuckDB writes; each row has a line of its own."""
    rest = b""
    for piece in pieces:
        whole, end, rest = (rest + piece).rpartition(b"\n")
        yield _without_bare(whole + end)
    yield _without_bare(rest)


def _without_bare(lines: bytes) -> bytes:
    if b"NaN" not in lines and b"Infinity" not in lines:
        return lines
    return _BARE.sub(lambda found: found[0] if found[0].startswith(b'"') else b"null", lines)
