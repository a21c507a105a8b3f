"""`published/flat` opens in the programs that people have, with plain types, and with the same rows in each."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kit.clients import with_client
from kit.kept import KeptHomes
from kit.sandbox_home import SandboxHome, with_desk

pytestmark = pytest.mark.slow  # every day the cases of sql/statements/publish/plain_columns show the types
PLAIN = re.compile(
    r"VARCHAR|BOOLEAN|INTEGER|BIGINT|DOUBLE|DATE|TIMESTAMP"  # DuckDB
    r"|String|Boolean|Int(32|64)|Float64|Date|Datetime\(time_unit='us', time_zone=None\)"  # polars
    r"|string|bool|int(32|64)|double|date32\[day\]|timestamp\[us\]"  # pyarrow
    r"|str|float64|datetime64\[us\]|date||bool"  # pandas
)
CLIENTS = {"duckdb": "duckdb-1.2.2", "polars": "polars-2.1.0", "pyarrow": "", "pandas": ""}


@pytest.fixture(scope="module")
def home(kept: KeptHomes, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxHome]:
    """A home after its first sync."""
    with with_desk(kept, tmp_path_factory.mktemp("flat") / "home") as made:
        yield made


@pytest.fixture(scope="module")
def found(home: SandboxHome) -> dict[str, dict[str, Any]]:
    """What each library finds in each file."""
    return {library: read(library, home.published.parent / "flat") for library in CLIENTS}


def read(library: str, folder: Path) -> dict[str, Any]:
    program = [sys.executable, str(Path(__file__).with_name("reading_flat.py")), library, str(folder)]
    environ = with_client(CLIENTS[library])
    done = subprocess.run(program, capture_output=True, text=True, env=environ, check=False)
    assert done.returncode == 0, f"{library}: {done.stderr[-2000:]}"
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.mark.parametrize("library", CLIENTS)
def test_no_column_is_json_or_a_list_or_a_time_or_has_a_zone(found: dict[str, Any], library: str) -> None:
    odd = {
        f"{file} {column}": kind
        for file, told in found[library].items()
        for column, kind in told["types"].items()
        if not PLAIN.fullmatch(kind)
    }
    assert odd == {}


def test_every_library_reads_the_same_rows(found: dict[str, Any]) -> None:
    told = {library: {name: (one["rows"], one["digest"]) for name, one in of.items()} for library, of in found.items()}
    assert told["polars"] == told["duckdb"]
    assert told["pyarrow"] == told["duckdb"]
    assert told["pandas"] == told["duckdb"]


def test_each_table_of_main_marts_and_by_type_has_a_file_with_its_rows(
    home: SandboxHome, found: dict[str, Any]
) -> None:
    tables = home.rows(
        "select distinct schema_name, table_name from duckdb_columns() "
        "where not internal and schema_name in ('main', 'marts', 'by_type')"
    )
    counts = {
        f"{schema}/{table}.parquet": home.rows(f'select count(*) from "{schema}"."{table}"')[0][0]
        for schema, table in tables
    }
    assert {file: told["rows"] for file, told in found["duckdb"].items()} == counts
    assert {"main/assets.parquet", "marts/trust.parquet", "by_type/passenger_lifts.parquet"} <= counts.keys()


def test_only_json_and_what_the_clock_changes_are_left_out(home: SandboxHome, found: dict[str, Any]) -> None:
    columns = home.rows(
        "select schema_name || '/' || table_name || '.parquet', column_name, data_type from duckdb_columns() "
        "where not internal and schema_name in ('main', 'marts', 'by_type')"
    )
    lacking = {(column, kind) for file, column, kind in columns if column not in found["duckdb"][file]["types"]}
    assert {kind for _, kind in lacking - {("hours_since", "BIGINT")}} == {"JSON"}


def test_lists_times_and_moments_have_the_values_of_their_tables(home: SandboxHome) -> None:
    flat = home.published.parent / "flat"
    compared = {
        "schedules": "assigned_users is distinct from array_to_string(of.assigned_users, '; ')",
        "asset_field_values": "value_time is distinct from strftime(date '2000-01-01' + of.value_time, '%H:%M:%S')",
        "assets": "first_seen_at is distinct from of.first_seen_at at time zone 'Europe/London'",
    }
    for table, differs in compared.items():
        (column,) = re.findall(r"^\w+", differs)
        told = home.rows(
            f"select count(flat.{column}), count(*) filter (flat.{differs}) "
            f"from '{flat}/main/{table}.parquet' as flat positional join {table} as of"
        )
        assert told[0][0] > 0, table
        assert told[0][1] == 0, table
