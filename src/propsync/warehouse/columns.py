"""Columns that exist because the data has them: made when first seen, widened when they must, never dropped."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
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
        self._target = f"{quoted(table.schema)}.{quoted(table.name)}"
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
                moved.append(("column" if known is None else "column type", column))
        if moved:
            with self._warehouse.transaction():
                self._add([column for change, column in moved if change == "column"], run_id)
                self._widen([column for change, column in moved if change == "column type"], run_id)
        return [(change, column.name, column.type) for change, column in moved]

    def select_list(self, at: Callable[[Source], str] | None = None) -> str:
        """The columns as the end of a select list, each with a comma before it.

        `at` tells where each source's text is, the column `payload` otherwise, which is parsed anew for each of them.
        """
        told = at or (lambda source: f"payload->>{text(json_path(source))}")
        return "".join(
            f",\n  try_cast({told(column.source)} as {column.type}) as {quoted(column.name)}"
            for column in self.columns.values()
        )

    def _registered(self) -> list[OpenColumn]:
        found = self._warehouse.rows(
            "select source, column_name, type from ops.columns where table_schema = ? and table_name = ? "
            "order by first_run_id, column_name",
            [self._table.schema, self._table.name],
        )
        return [OpenColumn(tuple(source.split(".")), name, kind) for source, name, kind in found]

    def _scalars(self, payloads: str) -> Iterator[tuple[Source, str]]:
        found = {source: kind for source, kind in leaves(self._structure(payloads)) if not self._is_excluded(source)}
        too_big = self._too_big(payloads, [source for source, kind in found.items() if kind in ("BIGINT", "DOUBLE")])
        for source, kind in found.items():
            if len(self.columns) < _MOST or source in self.columns:
                yield source, "VARCHAR" if source in too_big else kind

    def _is_excluded(self, source: Source) -> bool:
        return source in self._excluded or any("." in name for name in source)

    def _structure(self, payloads: str) -> dict[str, Any]:
        """The scalars' types by member. Big members that have tables of their own are not even looked into."""
        found = self._warehouse.rows(f"select distinct unnest(json_keys(payload)) from ({payloads})")
        self.members = {name for (name,) in found}
        names = sorted(name for name in self.members if (name, "*") not in self._excluded)
        known = [name for name in names if (name,) in self._excluded]
        # a member that has a column of its own has nothing to tell, unless it is an object
        objects = self._are_objects(payloads, known)
        names = [name for name in names if name not in known or objects[name]]
        return {name: json.loads(told) for name, told in self._structures(payloads, names) if told is not None}

    def _are_objects(self, payloads: str, names: Sequence[str]) -> dict[str, bool]:
        """Whether any payload has an object under a name; a payload is parsed once for all of them."""
        if not names:
            return {}
        are = ", ".join(f"bool_or(starts_with(members[{place}]::varchar, '{{'))" for place, _ in enumerate(names, 1))
        query = f"select {are} from (select json_extract(payload, {_paths(names)}) as members from ({payloads}))"
        return dict(zip(names, self._warehouse.rows(query)[0], strict=True))

    def _structures(self, payloads: str, names: Sequence[str]) -> Iterator[tuple[str, str | None]]:
        """The structure of what is under each name, as JSON.

        Of values that look alike one stands for all: `json_group_structure` keeps whatever it has seen in memory, which
        no limit bounds.
        """
        if not names:
            return
        members = f"select json_extract(payload, {_paths(names)}) as members from ({payloads})"
        each = f"select unnest(members) as member, generate_subscripts(members, 1) as place from ({members})"
        alike = f"select place, any_value(member) as member from ({each}) group by place, json_structure(member)"
        query = f"select place, json_group_structure(member) from ({alike}) group by place order by place"
        for place, told in self._warehouse.rows(query):
            yield names[place - 1], told

    def _too_big(self, payloads: str, sources: Sequence[Source]) -> set[Source]:
        """Those of `sources` with whole numbers beyond 64 bits, which would lose digits in a DOUBLE."""
        if not sources:
            return set()
        paths = [f"payload->>{text(json_path(source))}" for source in sources]
        # DuckDB tells a whole number of more than 64 bits as a double
        long = "regexp_full_match({0}, '-?[0-9]{{19,}}') and try_cast({0} as bigint) is null"
        beyond = ", ".join(f"bool_or({long.format(path)})" for path in paths)
        told = self._warehouse.rows(f"select {beyond} from ({payloads})")[0]
        return {source for source, is_beyond in zip(sources, told, strict=True) if is_beyond}

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
        statements = [f"alter table {target} add column {quoted(one.name)} {one.type}" for one in columns]
        statements += [
            comment_on_column(target, one.name, f"{'.'.join(one.source)}, as the API sends it") for one in columns
        ]
        self._warehouse.execute(";\n".join(statements))
        table = (self._table.schema, self._table.name)
        rows = [(*table, one.name, ".".join(one.source), one.type, run_id, run_id) for one in columns]
        self._warehouse.add("ops.columns", rows)

    def _widen(self, columns: Sequence[OpenColumn], run_id: str) -> None:
        table = [self._table.schema, self._table.name]
        for column in columns:
            kind = f"alter table {self._target} alter column {quoted(column.name)} type {column.type}"
            self._warehouse.execute(kind)
            self._warehouse.execute(
                "update ops.columns set type = ?, last_run_id = ? "
                "where table_schema = ? and table_name = ? and column_name = ?",
                [column.type, run_id, *table, column.name],
            )
        if columns:
            # every row is made anew: a wider type may show a value as the API wrote it
            self._warehouse.execute(
                "update ops.tables set built_through = null where table_schema = ? and table_name = ?", table
            )


def leaves(structure: Any, prefix: Source = ()) -> Iterator[tuple[Source, str]]:
    """Scalars of a structure as `json_group_structure` tells it; arrays and members that were always null are none."""
    if isinstance(structure, dict):
        for name, inner in sorted(structure.items()):  # of values that look alike any may have stood for all
            yield from leaves(inner, (*prefix, name))
    elif prefix and isinstance(structure, str) and structure != "NULL":
        yield prefix, _TYPES.get(structure, "VARCHAR")


def json_path(source: Source) -> str:
    """A path into JSON that DuckDB takes: each member quoted, or a pointer where a quoted name would not be itself."""
    if "" in source or "*" in source:
        return "".join("/" + name.replace("~", "~0").replace("/", "~1") for name in source)
    escaped = (name.replace("\\", "\\\\").replace('"', '\\"') for name in source)
    return "$" + "".join(f'."{name}"' for name in escaped)


def _paths(names: Sequence[str]) -> str:
    return f"[{', '.join(text(json_path((name,))) for name in names)}]"


def _widened(column: OpenColumn, kind: str) -> OpenColumn:
    if kind == column.type:
        return column
    if kind in _WIDTH and column.type in _WIDTH:
        wider = max(kind, column.type, key=_WIDTH.index)
        return OpenColumn(column.source, column.name, wider)
    return OpenColumn(column.source, column.name, "VARCHAR")
