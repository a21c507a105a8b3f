"""Notes on which tables a run changed: there may be as many as the service has types."""

from __future__ import annotations

from pathlib import Path

from propsync.merge.freshness import mark_tables
from propsync.warehouse import Warehouse

_MANY = 1_100  # more than DuckDB's bound on the depth of a query


def test_any_number_of_tables_is_marked_with_its_rows(tmp_path: Path):
    names = [f"kind's {number}" for number in range(_MANY)]
    with Warehouse(tmp_path / "state.duckdb", memory_limit="500MB", folder=tmp_path) as warehouse:
        made = (
            f'create table by_type."{name}" as select 1 as one limit {place % 2}' for place, name in enumerate(names)
        )
        warehouse.execute(";\n".join(made))
        mark_tables(warehouse, "run", "by_type", names)
        marked = warehouse.rows("select table_name, row_count from ops.tables where table_schema = 'by_type'")
    assert dict(marked) == {name: place % 2 for place, name in enumerate(names)}
