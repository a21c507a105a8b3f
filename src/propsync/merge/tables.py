"""`ops.tables`: how fresh each table is, and which run changed it last."""

from __future__ import annotations

from collections.abc import Iterable

from propsync.warehouse import Warehouse, quoted


def mark_tables(warehouse: Warehouse, run_id: str, schema: str, names: Iterable[str]) -> None:
    """Notes that a run changed these tables, inside the caller's transaction."""
    marked = list(names)
    if not marked:
        return
    counts = ", ".join(f"(select count(*) from {quoted(schema)}.{quoted(name)})" for name in marked)
    rows = warehouse.rows(f"select {counts}")[0]
    warehouse.execute(
        "delete from ops.tables where table_schema = ? and list_contains(?, table_name)", [schema, marked]
    )
    warehouse.add("ops.tables", [(schema, name, None, run_id, count) for name, count in zip(marked, rows, strict=True)])
