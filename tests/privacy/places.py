"""Every place where something hidden could show, as bytes: what people open, and what a run tells."""

from __future__ import annotations

import io
import json
import logging
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest
from privacy.private import PrivateHome

from propsync.cli.query.sheet import workbook
from propsync.desk.dictionary import FORMATS, entries
from propsync.warehouse import open_published, quoted
from propsync.warehouse.sealed_query import SealedQuery

TOLD = "told.json"
_TABLES = "select schema_name, table_name from duckdb_tables() where not internal"
_VIEWS = "select schema_name, view_name from duckdb_views() where not internal"
_COLUMNS = "select schema_name, table_name, column_name, comment from duckdb_columns() where not internal"


class Told:
    """The outputs of runs beside their files: notices, artifacts and events of Prefect, and log lines."""

    def __init__(self) -> None:
        self.lines: dict[str, list[str]] = {"notices": [], "artifacts": [], "logs": []}

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Collects notices and lines at DEBUG."""
        handler, logger = logging.Handler(), logging.getLogger("propsync")
        handler.emit = lambda record: self.lines["logs"].append(record.getMessage())  # type: ignore[method-assign]
        level = logger.level
        logger.addHandler(handler)
        logger.setLevel(logging.DEBUG)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("propsync.runbooks.notice.post_notice", self._notice)
            try:
                yield
            finally:
                logger.removeHandler(handler)
                logger.setLevel(level)

    def _notice(self, _url: str, body: bytes) -> None:
        self.lines["notices"].append(body.decode())

    def leave(self, home: PrivateHome, report: Any) -> None:
        """The artifacts and events of a run under Prefect."""
        from flows import artifacts  # Prefect takes seconds to import

        def keep(*given: Any, **named: Any) -> None:
            self.lines["artifacts"].append(json.dumps([given, named], default=str))

        with pytest.MonkeyPatch.context() as patched:
            for name in ("create_table_artifact", "create_markdown_artifact", "emit_event"):
                patched.setattr(artifacts, name, keep)
            artifacts.Artifacts("nightly").report(home.settings(), report, {})


def _rows(schemas: str) -> Callable[[PrivateHome], Iterator[bytes]]:
    def read(home: PrivateHome) -> Iterator[bytes]:
        with duckdb.connect(home.published, read_only=True) as connection:
            named = connection.execute(f"{_TABLES} union all {_VIEWS}").fetchall()
            for schema, table in named:
                if schema in schemas.split():
                    rows = connection.execute(f"from {quoted(schema)}.{quoted(table)}").fetchall()
                    yield f"{schema}.{table} {rows}".encode()

    return read


def _asked(*queries: str) -> Callable[[PrivateHome], Iterator[bytes]]:
    def read(home: PrivateHome) -> Iterator[bytes]:
        with duckdb.connect(home.published, read_only=True) as connection:
            for query in queries:
                yield str(connection.execute(query).fetchall()).encode()

    return read


def _files(folder: str, ending: str = "") -> Callable[[PrivateHome], Iterator[bytes]]:
    def read(home: PrivateHome) -> Iterator[bytes]:
        for path in sorted((home.path / "published").glob(f"{folder}/**/*{ending}")):
            if path.is_file():
                yield path.name.encode() + path.read_bytes()
            if path.suffix == ".parquet":
                with duckdb.connect() as connection:
                    yield str(connection.execute(f"from '{path}'").fetchall()).encode()

    return read


def _dictionary(home: PrivateHome) -> Iterator[bytes]:
    with open_published(home.published) as reader:
        found = list(entries(reader))
    for form in FORMATS.values():
        yield form(found).encode()


def _xlsx(home: PrivateHome) -> Iterator[bytes]:
    for table in ("assets", "assessments", "schedules", "marts.asset_register", "ops.columns"):
        with SealedQuery(home.published, zone="UTC", memory_limit="500MB") as inquiry:
            for question in inquiry.questions(f"from {table}"):
                answer = inquiry.ask(question)
                assert answer is not None
                with closing(answer), closing(workbook(answer)) as pieces:
                    book = zipfile.ZipFile(io.BytesIO(b"".join(pieces)))
                    yield b"".join(book.read(name) for name in book.namelist())


def _told(kind: str) -> Callable[[PrivateHome], Iterator[bytes]]:
    def read(home: PrivateHome) -> Iterator[bytes]:
        yield json.dumps(json.loads((home.path.parent / TOLD).read_text())[kind]).encode()

    return read


def _raw(home: PrivateHome) -> Iterator[bytes]:
    for path in sorted(one for one in (home.path / "published").rglob("*") if one.is_file()):
        yield path.read_bytes()


PLACES: dict[str, Callable[[PrivateHome], Iterator[bytes]]] = {
    "columns": _asked(_COLUMNS),
    "payloads": _asked(
        "select payload from assets", "select payload from assessments", "select payload from schedules"
    ),
    "tables": _rows("main by_type"),
    "history": _rows("history"),
    "changes": _asked("from changes_between('2026-05-04', '2026-05-07')"),
    "as of": _asked(
        "from assets_as_of('2026-05-05')", "from assessments_as_of('2026-05-05')", "from schedules_as_of('2026-05-05')"
    ),
    "marts": _rows("marts"),
    "run log": _rows("ops"),
    "flat": _files("flat"),
    "parquet": _files("parquet"),
    "delta": _files("delta"),
    "dashboard": _files("dashboard"),
    "dictionary": _dictionary,
    "xlsx": _xlsx,
    "notices": _told("notices"),
    "artifacts": _told("artifacts"),
    "logs": _told("logs"),
    "every byte": _raw,
}
"""How to read each place."""


def keep_told(folder: Path, told: Told) -> None:
    """Beside the home, for tests that look later."""
    (folder / TOLD).write_text(json.dumps(told.lines))
