"""Promises of the columns that depend on the data."""

import json
from typing import Any

import pytest

from propsync.warehouse import TABLES, OpenColumns, Warehouse, documents

MANY = 400_000


@pytest.fixture
def small(tmp_path):
    """A warehouse with so little memory that what it keeps of each record would not fit."""
    with Warehouse(tmp_path / "state.duckdb", memory_limit="100MB", folder=tmp_path) as warehouse:
        yield warehouse


@pytest.mark.slow
def test_learning_from_many_records_keeps_to_the_memory_limit(small):
    told = '\'{"score": \'||i||\', "by": {"name": "n\'||i||\'", "level": 1.5}, "seen": null, "mixed": \''
    payloads = f"select ({told}||if(i % 1000 = 0, '\"t\"', '1')||'}}')::json as payload from range({MANY}) as r(i)"
    columns = OpenColumns(small, TABLES["main.assessments"], set())
    columns.learn(payloads, "run")
    found = {".".join(source): column.type for source, column in columns.columns.items()}
    assert found == {"score": "BIGINT", "by.name": "VARCHAR", "by.level": "DOUBLE", "mixed": "VARCHAR"}


def test_values_of_every_look_count(small):
    records = [{"a": 1}, {"a": None, "b": {"x": True}}, {"b": {"y": "t"}}, {"c": [1]}, {"c": {"d": 1}}]
    rows = " union all ".join(f"select '{json.dumps(one)}'::json as payload" for one in records)
    columns = OpenColumns(small, TABLES["main.assessments"], set())
    columns.learn(rows, "run")
    found = {".".join(source): column.type for source, column in columns.columns.items()}
    assert found == {"a": "BIGINT", "b.x": "BOOLEAN", "b.y": "VARCHAR", "c.d": "BIGINT"}


def asked(warehouse, rows):
    """A query for payloads that a table holds."""
    warehouse.execute("create or replace table staging.records (payload json)")
    lot = [json.dumps(row).encode() for row in rows]
    warehouse.append("staging.records", payload=documents(lot))
    return "select payload from staging.records"


def learnt(warehouse, rows, table="assessments"):
    columns = OpenColumns(warehouse, TABLES[f"main.{table}"], set())
    columns.learn(asked(warehouse, rows), "run")
    return columns


@pytest.mark.release
def test_an_object_used_as_a_dictionary_is_looked_at_within_the_memory_limit(small):
    rows = ({"score": n, "own": {f"{n}-{key}": key for key in range(200)}} for n in range(5_000))
    columns = learnt(small, rows)
    assert columns.columns[("score",)].type == "BIGINT"
    assert len(columns.columns) == 301
    assert columns.full == [("own",)]


def test_keys_of_records_used_as_dictionaries_take_no_place_from_members_that_all_have(small):
    columns = learnt(
        small, ({f"{n}-{key}": key for key in range(20)} | {"zeal": n, "by": {"x": 1}} for n in range(200))
    )
    assert {("zeal",), ("by", "x")} <= columns.columns.keys()
    assert len(columns.columns) == 400
    assert columns.full == [()]


def test_a_dictionary_of_objects_is_bounded_too(small):
    columns = learnt(small, ({"own": {f"{n}-{key}": {"x": 1, "y": "t"} for key in range(50)}} for n in range(200)))
    assert len(columns.columns) == 300


@pytest.mark.release
def test_which_of_too_many_members_get_columns_does_not_depend_on_the_order_of_the_records(small, tmp_path):
    rows = [{f"{n}-{key}": key for key in range(20)} | {"own": {f"{n}": n}} for n in range(100)]
    (tmp_path / "other").mkdir()
    with Warehouse(tmp_path / "other" / "state.duckdb", memory_limit="100MB", folder=tmp_path) as other:
        assert learnt(small, rows).columns == learnt(other, reversed(rows)).columns


def test_a_column_widens_for_one_record_among_ever_so_many_different_ones(small):
    rows: list[Any] = [{"own": {"score": n, f"k{n}": 1, f"l{n}": 1}} for n in range(6_000)]
    assert learnt(small, rows).columns[("own", "score")].type == "BIGINT"
    rows[5_999]["own"]["score"] = 1.5
    columns = learnt(small, rows)
    assert columns.columns[("own", "score")].type == "DOUBLE"


def test_a_name_of_ten_thousand_letters_is_a_key_and_no_column(small):
    columns = learnt(small, [{"x" * 10_000: 1, "own": {"y" * 10_000: 1}, "score": n} for n in range(50)])
    assert columns.columns.keys() == {("score",)}
