"""The flat form of a table and the form for Delta: what becomes of each type, and of names and values that are odd."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from propsync.warehouse import statement, text

ODD = 'say "it", {file} $zone; é'


@pytest.fixture
def connection() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


def plain_columns(connection: duckdb.DuckDBPyConnection, form: str) -> list[tuple[str, str, str]]:
    given = {"form": form, "schemas": ["main", "marts", "by_type"], "zone": text("Europe/London"), "left_out": []}
    return connection.execute(statement("publish/plain_columns"), given).fetchall()


def flat(connection: duckdb.DuckDBPyConnection, folder: Path, select: str) -> duckdb.DuckDBPyRelation:
    connection.execute(f"create table main.t as {select}")
    ((_, _, columns),) = plain_columns(connection, "flat")
    file = text(str(folder / "t.parquet"))
    connection.execute(statement("publish/write_flat", table="main.t", columns=columns, file=file))
    return connection.sql(f"from {file}")


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        ("timestamptz '2026-07-01 23:30:00.123456+00'", "TIMESTAMP", "2026-07-02 00:30:00.123456"),
        ("timestamptz '2026-01-01 12:00:00+00'", "TIMESTAMP", "2026-01-01 12:00:00"),
        ("null::timestamptz", "TIMESTAMP", None),
        ("time '07:05:09'", "VARCHAR", "07:05:09"),
        ("time '07:05:09.75'", "VARCHAR", "07:05:09"),
        ("time '24:00:00'", "VARCHAR", "24:00:00"),
        ("timetz '07:05:09+02'", "VARCHAR", "07:05:09"),
        ("['b', 'a; c', 'é']", "VARCHAR", "b; a; c; é"),
        ("['a', null, 'b']", "VARCHAR", "a; b"),
        ("[]::varchar[]", "VARCHAR", ""),
        ("null::varchar[]", "VARCHAR", None),
        ("[1, 2]", "VARCHAR", "1; 2"),
        ("array_value('a', 'b')", "VARCHAR", "a; b"),
        ("interval 2 days", "VARCHAR", "2 days"),
        ("'007'", "VARCHAR", "007"),
        ("date '0044-03-15 (BC)'", "DATE", "0044-03-15 (BC)"),
        ("1.5::decimal(9, 2)", "DECIMAL(9,2)", "1.50"),
        ("true", "BOOLEAN", "true"),
        ("9007199254740993", "BIGINT", "9007199254740993"),
    ],
)
def test_a_value_keeps_its_meaning(
    connection: duckdb.DuckDBPyConnection, tmp_path: Path, value: str, kind: str, expected: str | None
) -> None:
    name = '"' + ODD.replace('"', '""') + '"'
    found = flat(connection, tmp_path, f"select {value} as {name}")
    assert found.columns == [ODD]
    assert [str(one) for one in found.types] == [kind]
    assert found.project("columns(*)::varchar").fetchall() == [(expected,)]


@pytest.mark.parametrize(
    "value",
    ["'{}'::json", "['{}'::json]", "{'a': 1}", "[{'a': [1]}]", "map {'a': 1}", "union_value(a := 1)", "[map {1: 2}]"],
)
def test_what_no_program_reads_is_left_out(connection: duckdb.DuckDBPyConnection, tmp_path: Path, value: str) -> None:
    found = flat(connection, tmp_path, f"select 1 as a, {value} as b, 'x'::enum('JSON', 'x', 'MAP(') as c")
    assert found.columns == ["a", "c"]
    assert found.fetchall() == [(1, "x")]


def test_a_table_without_another_column_has_no_file(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("create table t as select '{}'::json as a; create schema history; create table history.h(a int)")
    assert plain_columns(connection, "flat") == []


def delta(connection: duckdb.DuckDBPyConnection, folder: Path, select: str) -> duckdb.DuckDBPyRelation:
    connection.execute(f"create table main.t as {select}")
    ((_, _, columns),) = plain_columns(connection, "delta")
    file = text(str(folder / "t.parquet"))
    connection.execute(statement("publish/write_delta", table="main.t", columns=columns, file=file))
    return connection.sql(f"from {file}")


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        ("timestamptz '2026-07-01 23:30:00.123456+00'", "TIMESTAMP WITH TIME ZONE", "2026-07-01 23:30:00.123456+00"),
        ("timestamp '2026-07-01 23:30:00'", "VARCHAR", "2026-07-01 23:30:00"),
        ("time '07:05:09.75'", "VARCHAR", "07:05:09"),
        ("['b', 'a; c', 'é', null]", "VARCHAR", '["b","a; c","é",null]'),
        ("[]::varchar[]", "VARCHAR", "[]"),
        ("null::varchar[]", "VARCHAR", None),
        ("null::json", "VARCHAR", None),
        ("""'{"b": 1.50, "a": 1e400}'::json""", "VARCHAR", '{"b": 1.50, "a": 1e400}'),
        ("""['{"a": 1}'::json]""", "VARCHAR", '[{"a":1}]'),
        ("{'a': time '07:00:00'}", "VARCHAR", '{"a":"07:00:00"}'),
        ("map {'a': 1}", "VARCHAR", '{"a":1}'),
        ("interval 2 days", "VARCHAR", "2 days"),
        ("null::integer", "INTEGER", None),
        ("null", "VARCHAR", None),
        ("date '1583-03-15'", "DATE", "1583-03-15"),
        ("1.5::decimal(9, 2)", "DECIMAL(9,2)", "1.50"),
        ("9007199254740993", "BIGINT", "9007199254740993"),
        ("18446744073709551615::ubigint", "VARCHAR", "18446744073709551615"),
        ("1::uinteger", "BIGINT", "1"),
        ("170141183460469231731687303715884105727::hugeint", "VARCHAR", "170141183460469231731687303715884105727"),
        ("'x'::enum('x')", "VARCHAR", "x"),
        ("'a'::blob", "BLOB", "a"),
    ],
)
def test_delta_has_a_plain_type_for_every_value(
    connection: duckdb.DuckDBPyConnection, tmp_path: Path, value: str, kind: str, expected: str | None
) -> None:
    connection.execute("set timezone = 'UTC'")
    found = delta(connection, tmp_path, f"select {value} as a")
    assert [str(one) for one in found.types] == [kind]
    assert found.project("columns(*)::varchar").fetchall() == [(expected,)]
