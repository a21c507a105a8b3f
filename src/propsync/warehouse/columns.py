"""Columns that exist because the data has them: propsync makes and widens them as needed, and never drops them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from propsync.warehouse.connection import Warehouse
from propsync.warehouse.declared_tables import Table, comment_on_column, quoted, text
from propsync.warehouse.names import snake_case, unique_name
from propsync.warehouse.scalars import Scalars, Source, json_path, wider
from propsync.warehouse.statements import statement


@dataclass(frozen=True)
class OpenColumn:
    """One such column: its path in the payload, its name and type."""

    source: Source
    name: str
    type: str


class OpenColumns:
    """The columns of one open table beyond the declared ones (`ops.columns`)."""

    def __init__(self, warehouse: Warehouse, table: Table, excluded: Collection[Source]) -> None:
        """`excluded` are members that have a declared column or a table of their own."""
        self._warehouse = warehouse
        self._table = table
        self._target = f"{quoted(table.schema)}.{quoted(table.name)}"
        self._of_table = {"schema": table.schema, "table": table.name}
        self._excluded = set(excluded)
        self.members: set[str] = set()
        """Top-level members that the payloads had, after `learn`."""
        self.full: Sequence[Source] = ()
        """Members that have more below them than get columns, after `learn`; `()` is the record itself."""
        self.unfit: Sequence[Source] = ()
        """Members below which some have names that no column gets, after `learn`."""
        self.columns = {column.source: column for column in self._registered()}

    def learn(self, payloads: str, run_id: str) -> list[tuple[str, str, str]]:
        """Makes or widens columns for the scalars in the query `payloads` (one column, `payload`).

        Returns what moved, as (change, column, type). Call it before the transaction that reads the columns.
        """
        scalars = Scalars(self._warehouse, payloads, self._excluded, self.columns)
        found, self.full = scalars.find()
        self.members, self.unfit = scalars.members, sorted(scalars.unfit)
        moved = []
        held = self._held_before([source for source in found if source not in self.columns])
        for source, scalar in found.items():
            known = self.columns.get(source)
            kind = "VARCHAR" if held.get(source) else scalar.type
            column = self._make(source, kind) if known is None else _widened(known, kind)
            if column != known:
                self.columns[source] = column
                moved.append(("column" if known is None else "column type", column))
        if moved:
            with self._warehouse.transaction():
                self._add([column for change, column in moved if change == "column"], run_id)
                self._widen([column for change, column in moved if change == "column type"], run_id)
                if held or any(change == "column type" for change, _ in moved):
                    self._warehouse.execute(statement("columns/forget_built"), self._of_table)
        return [(change, column.name, column.type) for change, column in moved]

    def select_list(self, at: Callable[[Source], str] | None = None) -> str:
        """The columns as the end of a select list, each with a comma before it.

        `at` names the column with each source's text. By default it is `payload`, which DuckDB then parses again for
        each source.
        """
        read = at or (lambda source: f"payload->>{text(json_path(source))}")
        return "".join(
            f",\n  try_cast({read(column.source)} as {column.type}) as {quoted(column.name)}"
            for column in self.columns.values()
        )

    def _registered(self) -> list[OpenColumn]:
        found = self._warehouse.rows(statement("columns/registered"), self._of_table)
        return [OpenColumn(tuple(source.split(".")), name, kind) for source, name, kind in found]

    def _held_before(self, sources: Sequence[Source]) -> dict[Source, bool]:
        """Those of `sources` at which rows of the table, or closed versions of them, have something.

        The value says whether some have an object or an array.
        """
        if not sources:
            return {}
        paths = ", ".join(text(json_path(source)) for source in sources)
        asked = statement("columns/held_before", paths=f"[{paths}]", rows=self._rows())
        return {sources[place - 1]: is_apart for place, is_apart in self._warehouse.rows(asked)}

    def _rows(self) -> str:
        if f"history.{self._table.name}" not in self._warehouse.tables:
            return statement("columns/rows_now", table=self._target)
        history = f"history.{quoted(self._table.name)}"
        return statement("columns/rows_ever", table=self._target, history=history)

    def _make(self, source: Source, kind: str) -> OpenColumn:
        name = "_".join(snake_case(name, "member") for name in source)
        if name in self._table.columns:
            name = f"api_{name}"
        taken = {*self._table.columns, *(column.name for column in self.columns.values())}
        return OpenColumn(source, unique_name(name, taken), kind)

    def _add(self, columns: Sequence[OpenColumn], run_id: str) -> None:
        if not columns:
            return
        target = self._target
        # people's own list may have given the table such a column: it gets another name, and its values, after this
        named = [{"table": target, "column": quoted(one.name)} for one in columns]
        statements = [statement("warehouse/drop_column", **one) for one in named]
        kinds = (one.type for one in columns)
        statements += [
            statement("warehouse/add_column", type=kind, **one) for one, kind in zip(named, kinds, strict=True)
        ]
        statements += [
            comment_on_column(target, one.name, f"{'.'.join(one.source)}, as the API sends it") for one in columns
        ]
        self._warehouse.execute(";\n".join(statements))
        table = (self._table.schema, self._table.name)
        rows = [(*table, one.name, ".".join(one.source), one.type, run_id, run_id) for one in columns]
        self._warehouse.add("ops.columns", rows)

    def _widen(self, columns: Sequence[OpenColumn], run_id: str) -> None:
        for column in columns:
            names = {"table": self._target, "column": quoted(column.name), "type": column.type}
            self._warehouse.execute(statement("warehouse/widen_column", **names))
            wider_now = {"type": column.type, "run_id": run_id, "column": column.name}
            self._warehouse.execute(statement("columns/note_wider"), self._of_table | wider_now)


def _widened(column: OpenColumn, kind: str) -> OpenColumn:
    return OpenColumn(column.source, column.name, wider({column.type, kind}))
