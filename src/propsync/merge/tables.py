"""`ops.tables`: how fresh each table is, and which run changed it last."""

from __future__ import annotations

from collections.abc import Iterable

from propsync.warehouse import Warehouse, quoted


def mark_tables(warehouse: Warehouse, run_id: str, schema: str, names: Iterable[str]) -> None:
    """Notes that a run changed these tables, inside the caller's transaction."""
    for name in names:
        rows = warehouse.value(f"select count(*) from {quoted(schema)}.{quoted(name)}")
        warehouse.execute("delete from ops.tables where table_schema = ? and table_name = ?", [schema, name])
        warehouse.execute("insert into ops.tables values (?, ?, null, ?, ?)", [schema, name, run_id, rows])
