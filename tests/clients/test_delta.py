"""`published/delta` opens in the engines that people have, with the rows of the warehouse in each."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import time
from pathlib import Path
from typing import Any

import duckdb
import pytest
from clients.reading_delta import READERS, digest
from deltalake import DeltaTable
from kit.clients import with_client
from kit.kept import KeptHomes
from kit.sandbox_home import SandboxHome, with_desk

pytestmark = pytest.mark.slow  # every day the cases of sql/statements/publish/plain_columns show the types
CLIENTS = {"duckdb": "duckdb-extension-delta-1.5.5", "polars": "polars-2.1.0"}
"""The folders of libraries that are not propsync's own."""
SCHEMAS = ("main", "by_type", "marts", "history")
_PLAIN = {"string", "integer", "long", "double", "boolean", "date", "timestamp"}


@pytest.fixture(scope="module")
def home(kept: KeptHomes, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxHome]:
    """A home after its first sync, and a second that writes the Delta tables."""
    with with_desk(kept, tmp_path_factory.mktemp("delta") / "home") as made:
        assert made.sync(delta=",".join(SCHEMAS)).status == "ok"
        yield made


@pytest.fixture(scope="module")
def folder(home: SandboxHome) -> Path:
    return home.published.parent / "delta"


@pytest.fixture(scope="module")
def expected(home: SandboxHome) -> dict[str, tuple[int, str]]:
    """The number of rows of each table in the warehouse, and their digest with values as Delta tables have them."""
    with duckdb.connect(home.published, read_only=True) as published:
        published.execute("set timezone = 'UTC'")
        tables = published.execute(
            "select schema_name, table_name from duckdb_tables() where list_contains(?, schema_name) "
            "union all select 'marts', view_name from duckdb_views() where schema_name = 'marts'",
            [list(SCHEMAS)],
        ).fetchall()
        told = {}
        for schema, table in tables:
            columns = "* exclude (hours_since)" if table == "trust" else "*"  # it counts up to now
            rows = published.execute(f'select {columns} from "{schema}"."{table}"').fetchall()
            told[f"{schema}/{table}"] = len(rows), digest([_as_delta(one) for one in row] for row in rows)
        return told


def _as_delta(value: Any) -> Any:
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return value.strftime("%H:%M:%S") if isinstance(value, time) else value


@pytest.mark.parametrize("library", READERS)
def test_every_engine_reads_every_table_with_equal_rows(
    folder: Path, expected: dict[str, tuple[int, str]], library: str
) -> None:
    environ = with_client(CLIENTS.get(library, ""))
    program = [sys.executable, str(Path(__file__).with_name("reading_delta.py")), library, str(folder)]
    done = subprocess.run(program, capture_output=True, text=True, env=environ, check=False)
    assert done.returncode == 0, f"{library}: {done.stderr[-2000:]}"
    told = {name: (one["rows"], one["digest"]) for name, one in json.loads(done.stdout).items()}
    assert told == expected
    assert len(told) > 50


def test_every_column_has_its_declared_type_even_without_values(home: SandboxHome, folder: Path) -> None:
    declared = {
        "VARCHAR": "string", "JSON": "string", "VARCHAR[]": "string", "TIME": "string", "BIGINT": "long",
        "INTEGER": "integer", "DOUBLE": "double", "BOOLEAN": "boolean", "DATE": "date",
        "TIMESTAMP WITH TIME ZONE": "timestamp",
    }  # fmt: skip
    columns = home.rows("select schema_name || '/' || table_name, column_name, data_type from duckdb_columns()")
    expected = {(table, column): declared.get(kind, kind) for table, column, kind in columns}
    found = {
        (table, field.name): field.type.type
        for table, read in _tables(folder).items()
        for field in read.schema().fields
    }
    assert {one: (kind, expected[one]) for one, kind in found.items() if kind != expected[one]} == {}
    assert {*found.values()} == _PLAIN
    empty = {one for one, count in home.rows("select table_name, estimated_size from duckdb_tables()") if count == 0}
    assert {table.split("/")[1] for table, _ in found} & empty, "some table has no row"


def test_tables_and_columns_carry_their_comments(home: SandboxHome, folder: Path) -> None:
    columns = home.rows("select schema_name || '/' || table_name, column_name, comment from duckdb_columns()")
    expected = {(table, column): comment for table, column, comment in columns}
    tables = _tables(folder)
    found = {
        (table, field.name): field.metadata.get("comment")
        for table, read in tables.items()
        for field in read.schema().fields
    }
    assert found == {one: expected[one] for one in found}
    assert None not in found.values()
    said: dict[str, str] = dict(home.rows("select schema_name || '/' || table_name, comment from duckdb_tables()"))
    assert {name: read.metadata().description for name, read in tables.items() if name in said} == {
        name: said[name] for name in tables if name in said
    }


def _tables(folder: Path) -> dict[str, DeltaTable]:
    return {str(path.relative_to(folder)): DeltaTable(path) for path in sorted(folder.glob("*/*"))}
