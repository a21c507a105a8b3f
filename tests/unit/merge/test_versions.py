"""Promises of a build: the same records, for few and for many."""

import pytest

from propsync.merge.tables.latest_versions import DIRTY_PAYLOADS, dirty_versions, latest_payloads, show_versions
from propsync.resources import SCHEDULES
from propsync.warehouse import Warehouse

MANY = 100


@pytest.fixture
def warehouse(tmp_path):
    with Warehouse(tmp_path / "odd name.duckdb", memory_limit="300MB", folder=tmp_path) as warehouse:
        warehouse.execute(
            "insert into history.schedules (property_id, assessment_type_id, valid_from, valid_to, change, payload) "
            "select 'p' || i, 't', timestamptz '2026-03-01', if(i % 10 = 0, timestamptz '2026-03-02', null), 'insert', "
            f"""'{{"n":' || i || '}}' from range({MANY}) as r(i)"""
        )
        warehouse.execute(
            "insert into history.schedules (property_id, assessment_type_id, valid_from, change, payload) "
            "values ('p0', 't', timestamptz '2026-03-02', 'update', '{\"n\":0.5}'), "
            "('p10', 't', timestamptz '2026-03-02', 'delete', '{\"n\":10}')"
        )
        yield warehouse


def staged(warehouse, numbers):
    """What is staged of some records."""
    warehouse.execute("create or replace table staging.dirty_records (property_id varchar, assessment_type_id varchar)")
    warehouse.add("staging.dirty_records", [(f"p{number}", "t") for number in numbers])
    show_versions(warehouse, dirty_versions(warehouse, SCHEDULES, len(numbers)))
    return sorted(payload for (payload,) in warehouse.rows(DIRTY_PAYLOADS))


def test_few_and_many_are_the_latest_versions_of_what_is_not_gone(warehouse):
    assert staged(warehouse, [0, 1, 10]) == ['{"n":0.5}', '{"n":1}']
    every = sorted(payload for (payload,) in warehouse.rows(latest_payloads(SCHEDULES)))
    assert staged(warehouse, range(MANY)) == every
    assert staged(warehouse, [2]) == ['{"n":2}']  # few again, after many
    assert staged(warehouse, []) == []


def test_few_are_read_once_and_many_are_not_copied(warehouse):
    def kept():
        return warehouse.value("select count(*) from duckdb_tables() where table_name = 'few_dirty_versions'")

    staged(warehouse, range(MANY))
    assert kept() == 0
    staged(warehouse, [1])
    assert kept() == 1
