"""Promises of joins: while tables are built, DuckDB holds no payload of a join's left side in memory."""

import pytest

from propsync.errors import DiskFull
from propsync.warehouse import Warehouse

JOINED = "from staging.payloads as payloads left join staging.many using (place) select count(*), max(payload)"
SEMI = "from (from staging.payloads semi join staging.many using (place)) select max(payload)"


def joined(warehouse, query):
    """How DuckDB would join."""
    ((_, plan),) = warehouse.rows(f"explain {query}")
    (kind,) = {line.split("Join Type:")[1].split()[0] for line in plan.splitlines() if "Join Type:" in line}
    return kind


def test_the_left_side_is_read_past_the_right_one_however_few_rows_it_has(warehouse):
    warehouse.execute("create table staging.payloads as select range as place, 'long' as payload from range(10)")
    warehouse.execute("create table staging.many as select range as place from range(10_000)")
    with warehouse.joins_as_written():
        assert (joined(warehouse, JOINED), joined(warehouse, SEMI)) == ("LEFT", "SEMI")
    assert (joined(warehouse, JOINED), joined(warehouse, SEMI)) == ("RIGHT", "RIGHT_SEMI")


def break_connection(warehouse):
    with warehouse.joins_as_written():
        warehouse.close()
        raise DiskFull("state.duckdb", "the disk is full")


def test_an_error_that_breaks_the_connection_stays_the_one_to_see(tmp_path):
    warehouse = Warehouse(tmp_path / "state.duckdb", memory_limit="100MB", folder=tmp_path)
    with pytest.raises(DiskFull):
        break_connection(warehouse)
