"""The rows of one question as text or as a file, in bounded memory for any number of rows."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from secrets import token_hex
from typing import Any

import duckdb
import pyarrow as pa

from propsync.warehouse.macros import macros
from propsync.warehouse.query_cells import cells, exact_json, excel_csv, kinds_of, parquet
from propsync.warehouse.query_errors import explained
from propsync.warehouse.query_thread import QueryThread

_BOM = b"\xef\xbb\xbf"
_OPTIONS = {"csv": "(format csv, header)", "json": "(format json, array true)", "parquet": "(format parquet)"}
_PIECE = 1 << 16
_LOT = 2_048  # rows: DuckDB's own batch
_BARE = re.compile(rb'"(?:[^"\\]|\\.)*"|-?Infinity|NaN')

Lot = list[tuple[str | None, ...]]
Cell = float | bool | str | None
"""A number is also a date or a time, as the kind of its column says."""


class QueryResult:
    """Rows that a caller reads once. `writer` is a connection that never sees the question's SQL."""

    def __init__(
        self, rows: pa.RecordBatchReader, writer: duckdb.DuckDBPyConnection, worker: QueryThread, lines_above: int
    ) -> None:
        self._rows = rows
        self.columns: list[str] = rows.schema.names
        self.are_numbers = [_is_number(field.type) for field in rows.schema]
        self._writer = writer
        self._worker = worker
        self._lines_above = lines_above
        writer.register("answer", rows)

    def keep(self, most: int) -> bool:
        """Leaves the first `most` rows. Returns whether there were more."""
        batches: list[pa.RecordBatch] = []
        with explained(self._lines_above):
            while sum(map(len, batches)) <= most and (batch := self._worker.wait(lambda: _next(self._rows))):
                batches.append(batch)
        found = pa.Table.from_batches(batches, self._rows.schema)
        self._writer.register("answer", found.slice(0, most))
        return len(found) > most

    def lots(self) -> Generator[Lot]:
        """All rows, each value as DuckDB writes it, None for NULL."""
        for columns in self._batches("select columns(*)::varchar from answer"):
            yield list(zip(*columns, strict=True))

    def kinds(self) -> list[str]:
        """The kind of each column in a spreadsheet: text, list, truth, digits, float, date, time or moment."""
        return kinds_of(self.types())

    def types(self) -> list[str]:
        """The type of each column, as DuckDB writes it."""
        for statements in macros("sheet"):
            self._writer.execute(statements)
        return [str(one) for one in self._writer.sql("from answer").types]

    def cells(self, kinds: Sequence[str]) -> Generator[list[tuple[Cell, ...]]]:
        """All rows as cells of a sheet. A value that a sheet would alter is text."""
        for columns in self._batches(cells(kinds)):
            pairs = zip(columns[::2], columns[1::2], strict=True)
            shown = ([text if number is None else number for number, text in zip(*pair, strict=True)] for pair in pairs)
            yield list(zip(*shown, strict=True))

    def excel_csv(self) -> Generator[bytes]:
        """The rows as CSV that Excel opens with a double click, and in which no text is a formula."""
        selected = excel_csv(self.columns, self.kinds())
        yield _BOM
        yield from self._file(f"({selected})", "csv")

    def _batches(self, sql: str) -> Generator[list[list[Any]]]:
        with explained(self._lines_above):
            shown = self._writer.sql(sql)
            batches = self._worker.wait(lambda: shown.to_arrow_reader(_LOT))
            while batch := self._worker.wait(lambda: _next(batches)):
                yield [column.to_pylist() for column in batch.columns]

    def pieces(self, kind: str) -> Generator[bytes]:
        """The rows as a file: csv, json (one array; NaN and infinity are null, as JSON has none) or parquet."""
        mark = token_hex(8)  # no text has it
        select = {
            "parquet": lambda: parquet(self.columns, self.types()),
            "json": lambda: exact_json(self.columns, self.types(), mark),
        }.get(kind, lambda: None)()
        pieces = self._file(f"({select})" if select else "answer", kind)
        return _valid_json(pieces, mark) if kind == "json" else pieces

    def _file(self, source: str, kind: str) -> Generator[bytes]:
        reading, writing = os.pipe()
        copying = self._worker.start(self._copying(source, kind, writing))
        try:
            with explained(self._lines_above), open(reading, "rb", buffering=0) as pipe:  # noqa: PTH123 - a descriptor
                while piece := pipe.read(_PIECE):
                    yield piece
                copying.result()
        finally:
            self._worker.stop(copying)
            del copying  # as in QueryThread.wait

    def _copying(self, source: str, kind: str, writing: int) -> Callable[[], None]:
        def copy() -> None:
            try:
                self._writer.execute(f"copy {source} to '/proc/self/fd/{writing}' {_OPTIONS[kind]}")
            finally:
                os.close(writing)

        return copy

    def close(self) -> None:
        """Releases the rows that nobody read."""
        with suppress(duckdb.Error):
            self._writer.unregister("answer")


def _next(batches: pa.RecordBatchReader) -> pa.RecordBatch | None:
    """The next rows. Arrow passes on an error in a later row as one of its own; raises DuckDB's for it."""
    try:
        return next(batches, None)
    except (OSError, pa.ArrowException) as error:
        raise duckdb.Error(str(error)) from error


def _is_number(kind: pa.DataType) -> bool:
    is_wide = isinstance(kind, pa.OpaqueType) and kind.type_name in ("hugeint", "uhugeint", "bignum")
    return is_wide or pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)


def _valid_json(pieces: Iterator[bytes], mark: str) -> Generator[bytes]:
    """Replaces the NaN and Infinity that DuckDB writes, and takes marks off numbers; each row has a line of its own."""
    marked = re.compile(rb'"%s([^"]*)"' % mark.encode())
    rest = b""
    for piece in pieces:
        whole, end, rest = (rest + piece).rpartition(b"\n")
        yield marked.sub(rb"\1", _without_bare(whole + end))
    yield marked.sub(rb"\1", _without_bare(rest))


def _without_bare(lines: bytes) -> bytes:
    if b"NaN" not in lines and b"Infinity" not in lines:
        return lines
    return _BARE.sub(lambda found: found[0] if found[0].startswith(b'"') else b"null", lines)
