"""`ops.tables`: how fresh each table is, which run changed it last, and up to which version propsync built it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from propsync.warehouse import Warehouse, quoted

NEVER = datetime(1970, 1, 1, tzinfo=UTC)


class Freshness:
    """The version of history up to which propsync built the tables, so that it simply repeats an interrupted build."""

    def __init__(self, warehouse: Warehouse, run_id: str) -> None:
        self._warehouse = warehouse
        self._run_id = run_id

    def built_through(self, tables: Sequence[str]) -> datetime:
        """The run up to which propsync built all of these tables; the beginning of time if it never built one."""
        marks = self._warehouse.rows(
            "select built_through from ops.tables where table_schema = 'main' and list_contains(?, table_name)",
            [list(tables)],
        )
        return min(mark or NEVER for (mark,) in marks) if len(marks) == len(tables) else NEVER

    def has_news(self, types: str) -> bool:
        """Whether a list of types has a version that its table does not show yet."""
        query = "select built_through from ops.tables where table_schema = 'main' and table_name = ?"
        mark = self._warehouse.value(query, [types]) or NEVER
        return bool(self._warehouse.value(f"select count(*) from history.{types} where valid_from > ?", [mark]))

    def mark(self, tables: Sequence[str], changed: Sequence[bool], sources: Sequence[str]) -> None:
        """Notes, inside the transaction that built them, which tables changed, and up to which version they are
        built.
        """
        marked = self._warehouse.rows("select table_name from ops.tables where table_schema = 'main'")
        # marks an empty table too, or propsync would build its family again every night
        names = [name for name, is_changed in zip(tables, changed, strict=True) if is_changed or (name,) not in marked]
        mark_tables(self._warehouse, self._run_id, "main", names)
        latest = [self._warehouse.value(f"select max(valid_from) from history.{source}") for source in sources]
        self._warehouse.execute(
            "update ops.tables set built_through = ? where table_schema = 'main' and list_contains(?, table_name)",
            [max((time for time in latest if time), default=None), list(tables)],
        )


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
