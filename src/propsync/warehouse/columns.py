"""Columns that exist because the data has them: made when first seen, widened when they must, never dropped."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from propsync.warehouse.connection import Warehouse
from propsync.warehouse.names import snake_case, unique_name
from propsync.warehouse.tables import Table, comment_on_column, quoted, text

_TYPES = {"UBIGINT": "BIGINT", "BIGINT": "BIGINT", "DOUBLE": "DOUBLE", "BOOLEAN": "BOOLEAN", "VARCHAR": "VARCHAR"}
_WIDTH = ("BIGINT", "DOUBLE", "VARCHAR")
_MOST = 400  # columns of one table; an object used as a dictionary would otherwise make one for each of its keys
Source = tuple[str, ...]


@dataclass(frozen=True)
class OpenColumn:
    """One such column: where its values stand in the payload, its name and type."""

    source: Source
    name: str
    type: str


class OpenColumns:
    """The columns of one open table beyond the declared ones (`ops.columns`)."""

    def __init__(self, warehouse: Warehouse, table: Table, excluded: Collection[Source]) -> None:
        """`excluded` are members that have a declared column or a table of their own."""
        self._warehouse = warehouse
        self._table = table
        self._excluded = set(excluded)
        self.members: set[str] = set()
        """Top-level members that the payloads had, after `learn`."""
        self.columns = {column.source: column for column in self._registered()}

    def learn(self, payloads: str, run_id: str) -> list[tuple[str, str, str]]:
        """Makes or widens columns for the scalars in the query `payloads` (one column, `payload`).

        Returns what moved, as (change, column, type). Call it before the transaction that reads the columns.
        """
        moved = []
        for source, kind in self._scalars(payloads):
            known = self.columns.get(source)
            column = self._make(source, kind) if known is None else _widened(known, kind)
            if column != known:
                self.columns[source] = column
                moved.append(("column" if known is None else "column type", column.name, column.type))
                self._write(column, is_new=known is None, run_id=run_id)
        return moved

    def select_list(self) -> str:
        """The columns as the end of a select list over `payload`, each with a comma before it."""
        return "".join(
            f",\n  try_cast(payload->>{text(json_path(c.source))} as {c.type}) as {quoted(c.name)}"
            for c in self.columns.values()
        )

    def _registered(self) -> list[OpenColumn]:
        found = self._warehouse.rows(
            "select source, column_name, type from ops.columns where table_schema = ? and table_name = ? "
            "order by first_run_id, column_name",
            [self._table.schema, self._table.name],
        )
        return [OpenColumn(tuple(source.split(".")), name, kind) for source, name, kind in found]

    def _scalars(self, payloads: str) -> Iterator[tuple[Source, str]]:
        for source, kind in leaves(self._structure(payloads)):
            if self._is_excluded(source) or (len(self.columns) >= _MOST and source not in self.columns):
                continue
            yield source, self._fitting(payloads, source) if kind == "BIGINT" else kind

    def _is_excluded(self, source: Source) -> bool:
        return source in self._excluded or any("." in name for name in source)

    def _structure(self, payloads: str) -> dict[str, Any]:
        """The scalars' types by member. Big members that have tables of their own are not even looked into."""
        found = self._warehouse.rows(f"select distinct unnest(json_keys(payload)) from ({payloads})")
        self.members = {name for (name,) in found}
        names = sorted(name for name in self.members if (name, "*") not in self._excluded)
        if not names:
            return {}
        paths = ", ".join(text(json_path((name,))) for name in names)
        structures = ", ".join(f"json_group_structure(members[{place}])" for place in range(1, len(names) + 1))
        query = f"select {structures} from (select json_extract(payload, [{paths}]) as members from ({payloads}))"
        told = self._warehouse.rows(query)[0]
        return {name: json.loads(one) for name, one in zip(names, told, strict=True) if one is not None}

    def _fitting(self, payloads: str, source: Source) -> str:
        """Whole numbers beyond 64 bits fit no BIGINT, and would lose digits in a DOUBLE."""
        path = text(json_path(source))
        beyond = self._warehouse.value(
            f"select count(*) from ({payloads}) where payload->>{path} is not null "
            f"and try_cast(payload->>{path} as bigint) is null"
        )
        return "VARCHAR" if beyond else "BIGINT"

    def _make(self, source: Source, kind: str) -> OpenColumn:
        name = "_".join(snake_case(name, "member") for name in source)
        if name in self._table.columns:
            name = f"api_{name}"
        taken = {*self._table.columns, *(column.name for column in self.columns.values())}
        return OpenColumn(source, unique_name(name, taken), kind)

    def _write(self, column: OpenColumn, *, is_new: bool, run_id: str) -> None:
        target = f"{quoted(self._table.schema)}.{quoted(self._table.name)}"
        source = ".".join(column.source)
        place = [self._table.schema, self._table.name, column.name]
        with self._warehouse.transaction():
            if is_new:
                self._warehouse.execute(f"alter table {target} add column {quoted(column.name)} {column.type}")
                self._warehouse.execute(comment_on_column(target, column.name, f"{source}, as the API sends it"))
                row = [*place, source, column.type, run_id, run_id]
                self._warehouse.execute("insert into ops.columns values (?, ?, ?, ?, ?, ?, ?)", row)
            else:
                kind = f"alter table {target} alter column {quoted(column.name)} type {column.type}"
                self._warehouse.execute(kind)
                # every row is made anew: a wider type may show a value as the API wrote it
                self._warehouse.execute(
                    "update ops.tables set built_through = null where table_schema = ? and table_name = ?", place[:2]
                )
                self._warehouse.execute(
                    "update ops.columns set type = ?, last_run_id = ? "
                    "where table_schema = ? and table_name = ? and column_name = ?",
                    [column.type, run_id, *place],
                )


def leaves(structure: Any, prefix: Source = ()) -> Iterator[tuple[Source, str]]:
    """Scalars of a structure as `json_group_structure` tells it; arrays and members that were always null are none."""
    if isinstance(structure, dict):
        for name, inner in structure.items():
            yield from leaves(inner, (*prefix, name))
    elif prefix and isinstance(structure, str) and structure != "NULL":
        yield prefix, _TYPES.get(structure, "VARCHAR")


def json_path(source: Source) -> str:
    """A path into JSON that DuckDB takes: each member quoted, or a pointer where a quoted name would not be itself."""
    if "" in source or "*" in source:
        return "".join("/" + name.replace("~", "~0").replace("/", "~1") for name in source)
    escaped = (name.replace("\\", "\\\\").replace('"', '\\"') for name in source)
    return "$" + "".join(f'."{name}"' for name in escaped)


def _widened(column: OpenColumn, kind: str) -> OpenColumn:
    if kind == column.type:
        return column
    if kind in _WIDTH and column.type in _WIDTH:
        wider = max(kind, column.type, key=_WIDTH.index)
        return OpenColumn(column.source, column.name, wider)
    return OpenColumn(column.source, column.name, "VARCHAR")
