"""Promises of the columns that depend on the data."""

import json

import pytest

from propsync.warehouse import TABLES, OpenColumns, Warehouse

MANY = 400_000


@pytest.fixture
def small(tmp_path):
    """A warehouse with so little memory that what it keeps of each record would not fit."""
    with Warehouse(tmp_path / "state.duckdb", memory_limit="100MB", folder=tmp_path) as warehouse:
        yield warehouse


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
    assert found == {"a": "BIGINT", "b.x": "BOOLEAN", "b.y": "VARCHAR", "c": "VARCHAR"}
