"""`ops.tables`: how fresh each table is, which run changed it last, and up to which version propsync built it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from propsync.warehouse import Warehouse, quoted, statement, text

NEVER = datetime(1970, 1, 1, tzinfo=UTC)
_AT_ONCE = 50  # tables of one query: its time grows with their square, and DuckDB bounds its depth


class Freshness:
    """The version of history up to which propsync built the tables, so that it simply repeats an interrupted build."""

    def __init__(self, warehouse: Warehouse, run_id: str) -> None:
        self._warehouse = warehouse
        self._run_id = run_id

    def built_through(self, tables: Sequence[str]) -> datetime:
        """The run up to which propsync built all of these tables; the beginning of time if it never built one."""
        marks = self._warehouse.rows(statement("merge/freshness/built_through"), {"tables": list(tables)})
        return min(mark or NEVER for (mark,) in marks) if len(marks) == len(tables) else NEVER

    def has_news(self, types: str) -> bool:
        """Whether a list of types has a version that its table does not show yet."""
        count = statement("merge/freshness/count_versions_after", table=quoted(types))
        return bool(self._warehouse.value(count, {"since": self.built_through([types])}))

    def mark(self, tables: Sequence[str], changed: Sequence[bool], sources: Sequence[str]) -> None:
        """Notes, inside the transaction that built them, which tables changed, and up to which version they are
        built.
        """
        marked = self._warehouse.rows(statement("merge/freshness/marked_tables"))
        names = [name for name, is_changed in zip(tables, changed, strict=True) if is_changed or (name,) not in marked]
        mark_tables(self._warehouse, self._run_id, "main", names)
        newest = (statement("merge/freshness/latest_version", table=quoted(source)) for source in sources)
        latest = max((time for query in newest if (time := self._warehouse.value(query))), default=None)
        built = {"built_through": latest, "tables": list(tables)}
        self._warehouse.execute(statement("merge/freshness/note_built"), built)


def mark_tables(warehouse: Warehouse, run_id: str, schema: str, names: Iterable[str]) -> None:
    """Notes that a run changed these tables, inside the caller's transaction."""
    marked = list(names)
    if not marked:
        return
    counts = _counts(warehouse, schema, marked)
    warehouse.execute(statement("merge/freshness/forget_marks"), {"schema": schema, "tables": marked})
    warehouse.add("ops.tables", [(schema, name, None, run_id, counts[name]) for name in marked])


def _counts(warehouse: Warehouse, schema: str, names: Sequence[str]) -> dict[str, int]:
    """The rows of each table."""
    found: dict[str, int] = {}
    for start in range(0, len(names), _AT_ONCE):
        each = (
            statement("merge/freshness/rows_of_table", name=text(name), table=f"{quoted(schema)}.{quoted(name)}")
            for name in names[start : start + _AT_ONCE]
        )
        found |= dict(warehouse.rows(statement("merge/freshness/count_rows", counts=" union all ".join(each))))
    return found
