"""Promises of the threads that DuckDB uses in a run."""

import pytest

from propsync.warehouse import Warehouse


@pytest.mark.parametrize(("given", "used"), [({}, 1), ({"threads": 3}, 3)])
def test_the_state_database_uses_one_thread_or_as_many_as_are_set(tmp_path, given, used):
    with Warehouse(tmp_path / "state.duckdb", memory_limit="100MB", folder=tmp_path, **given) as warehouse:
        assert warehouse.value("select current_setting('threads')") == used
