"""Runs people's SQL, which may read the published warehouse and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import duckdb

from propsync.errors import QueryWrong, UsageError
from propsync.warehouse.connection import NO_BAR
from propsync.warehouse.declared_tables import text
from propsync.warehouse.query_errors import explained
from propsync.warehouse.query_folder import query_folder
from propsync.warehouse.query_result import QueryResult
from propsync.warehouse.query_thread import QueryThread
from propsync.warehouse.reader import Config, connected

_SHOWING = ("SELECT", "EXPLAIN", "MULTI", "PRAGMA", "CALL")  # MULTI is a PIVOT
_PREPARING = ("CREATE", "INSERT", "UPDATE", "DELETE", "DROP", "ALTER", "SET", "TRANSACTION")
_LOCKED: Config = {
    "allow_persistent_secrets": False,
    "python_enable_replacements": False,  # our own variables are not tables
    "autoload_known_extensions": False,
    "autoinstall_known_extensions": False,
}
_ARROW: Config = {"arrow_lossless_conversion": True, "arrow_large_buffer_size": True}
_ROWS = 2_048
_INTO_A_FILE = "Give the SELECT alone, and add --format csv > rows.csv, or the same with json, parquet or xlsx"


@dataclass(frozen=True, slots=True)
class Question:
    """One statement of a text, with the number of lines above it."""

    sql: str
    lines_above: int
    has_rows: bool


class SealedQuery:
    """A connection to a published file on which SQL reads its tables, and neither other files nor the network.

    `zone` sets the meaning of "today". A temporary folder holds whatever exceeds `memory_limit`.
    """

    def __init__(self, path: Path, *, zone: str, memory_limit: str) -> None:
        with ExitStack() as closing:
            try:
                folder = closing.enter_context(query_folder())
            except OSError as error:
                what = f"no temporary folder can be made: {error.strerror}"
                raise UsageError("query", what, "Set TMPDIR") from error
            limits: Config = {"memory_limit": memory_limit, "temp_directory": folder}
            self._connection = connected(path, _LOCKED | _ARROW | limits, zone)
            closing.callback(self._connection.close)
            self._connection.execute("set enable_external_access = false")
            self._connection.execute("set lock_configuration = true")
            self._writer = duckdb.connect(":memory:", config=limits | _ARROW | {"threads": 1})
            closing.callback(self._writer.close)
            self._writer.execute(NO_BAR)
            self._writer.execute(f"set TimeZone = {text(zone)}")
            self._worker = QueryThread(self._connection, self._writer)
            closing.callback(self._worker.close)
            self._closing = closing.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._closing.close()

    def questions(self, sql: str) -> list[Question]:
        """The statements of a text. Raises QueryWrong if DuckDB cannot read one, or if one does more than read."""
        with explained():
            statements = self._connection.extract_statements(sql)
        for statement in statements:
            _check(statement)
        return list(_placed(sql, statements))

    def ask(self, question: Question) -> QueryResult | None:
        """Runs a statement; returns its rows if it has any. Read the rows of one before running the next."""
        with explained(question.lines_above):
            found = self._worker.wait(lambda: self._relation(question.sql))
            if found is None or not question.has_rows:
                return None
            rows = self._worker.wait(lambda: found.to_arrow_reader(_ROWS))
            return QueryResult(rows, self._writer, self._worker, question.lines_above)

    def _relation(self, sql: str) -> duckdb.DuckDBPyRelation | None:
        try:
            return self._connection.sql(sql)
        except (duckdb.BinderException, duckdb.CatalogException):
            self._connection.execute(sql)  # it fails in the same way, and names the place in the line
            raise


def _placed(sql: str, statements: list[duckdb.Statement]) -> Iterator[Question]:
    end = 0
    for statement in statements:
        own = statement.query.strip()
        start = sql.index(own, end)
        end = start + len(own)
        yield Question(own, sql.count("\n", 0, start), statement.type.name in _SHOWING)


def _check(statement: duckdb.Statement) -> None:
    """Closes a gap in DuckDB's lock: COPY may write beside the database file, and EXPLAIN ANALYZE or PIVOT can
    contain one.
    """
    kind = statement.type.name
    if kind in ("EXPLAIN", "MULTI") and "copy" in _words(statement.query):
        kind = "COPY"
    if kind not in (*_SHOWING, *_PREPARING):
        what = f"{kind} is not for `propsync query`, which only reads published tables"
        raise QueryWrong("query", what, _INTO_A_FILE if kind in ("COPY", "EXPORT") else "Write a SELECT")


def _words(sql: str) -> set[str]:
    encoded = sql.encode()
    tokens = duckdb.tokenize(sql)
    ends = [start for start, _ in tokens[1:]] + [len(encoded)]
    return {
        encoded[start:end].decode(errors="replace").split()[0].lower()
        for (start, kind), end in zip(tokens, ends, strict=True)
        if kind in (duckdb.token_type.keyword, duckdb.token_type.identifier)
    }
