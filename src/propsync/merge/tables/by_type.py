"""One wide table a type of asset: a row an asset, a column a field."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from propsync.merge.tables.wide_table import COLUMN_TYPES, WideColumn, WideTable, effective_kind
from propsync.resources import ASSETS
from propsync.warehouse import (
    Models,
    Warehouse,
    comment_on_column,
    quoted,
    resource_fragments,
    statement,
    text,
    write_comments,
)


class ByType:
    """Plans the wide tables, then writes them inside the caller's transaction.

    `earlier` is a table of values that closed since the last build, None if none did.
    """

    def __init__(self, warehouse: Warehouse, run_id: str, earlier: str | None = None) -> None:
        self._warehouse = warehouse
        self._run_id = run_id
        self._earlier = earlier

    def plan(self) -> list[WideTable]:
        """Plans every type's table and columns, from `main.asset_types`, `main.asset_type_fields` and the present
        values.
        """
        registered = self._registered
        recorded = self._recorded_kinds("main.asset_field_values")
        earlier = self._recorded_kinds(self._earlier) if self._earlier else {}
        fields: dict[str, list[WideColumn]] = defaultdict(list)
        rows = self._warehouse.rows(statement("merge/tables/by_type/fields"))
        tables = self._warehouse.rows(statement("merge/tables/type_names"))
        names = {asset_type_id: table for asset_type_id, table, _ in tables}
        for asset_type_id, field_id, column, kind, label in rows:
            of_table = registered.get(names[asset_type_id], {})
            kinds = recorded.get((asset_type_id, field_id), frozenset())
            if column not in of_table:  # no build has seen any of them: the line that hid them is gone, for example
                kinds |= earlier.get((asset_type_id, field_id), frozenset())
            kinds = kinds or _kinds_before(of_table.get(column))
            shown = effective_kind(kind, kinds)
            kind_type = COLUMN_TYPES.get(shown, ("JSON", ""))[0]
            is_open = of_table.get(column, kind_type) == kind_type or self._may_become(
                shown, names[asset_type_id], column
            )
            wide = kind_type if is_open else "VARCHAR"
            fields[asset_type_id].append(WideColumn(field_id, column, shown, label, wide))
        existing = self._existing
        return [
            _wide_table(kind, table, name, fields[kind], registered[table], is_made=table in existing)
            for kind, table, name in tables
        ]

    def write(self, tables: Sequence[WideTable], models: Models) -> Iterator[tuple[str, int]]:
        """Updates each table; yields its name and how many rows changed."""
        self._drop_others({table.name for table in tables})
        self._register(tables)
        self._shape(tables)
        leaving = self._leaving([table.name for table in tables if not table.is_new])
        coming = self._coming()
        for table in tables:
            removed = self._remove(table, models) if table.name in leaving else 0
            added = self._fill(table, models) if table.is_new or table.asset_type_id in coming else 0
            yield table.name, removed + added + len(table.added) + table.is_new

    def _may_become(self, kind: str, table: str, column: str) -> bool:
        """Whether a column without a value becomes one of dates or times: no definition says that kind (API §2.1)."""
        if kind not in ("date", "time") or table not in self._existing:
            return False
        named = {"table": quoted(table), "column": quoted(column)}
        return not self._warehouse.value(statement("merge/tables/by_type/count_values", **named))

    def _remove(self, table: WideTable, models: Models) -> int:
        return models.with_fragments(**resource_fragments(ASSETS)).close("main/records.close", table.target)

    def _leaving(self, tables: Sequence[str]) -> set[str]:
        """The tables with rows of assets to build again: one query finds them all, as most have none on most days."""
        if not tables:
            return set()
        each = (statement("merge/tables/by_type/rows_of_table", name=text(name), table=quoted(name)) for name in tables)
        query = statement("merge/tables/by_type/tables_to_clear", rows=" union all ".join(each))
        return {name for (name,) in self._warehouse.rows(query)}

    def _coming(self) -> set[str]:
        """The types of the assets to build again."""
        rows = self._warehouse.rows(statement("merge/tables/by_type/types_to_fill"))
        return {asset_type_id for (asset_type_id,) in rows}

    def _fill(self, table: WideTable, models: Models) -> int:
        return models.with_fragments(
            of_dirty="" if table.is_new else "semi join staging.dirty_records using (asset_id)",
            asset_type_id=text(table.asset_type_id),
            by_asset=table.by_asset(),
        ).open("by_type/type.open", table.target)

    def _drop_others(self, names: set[str]) -> None:
        """Drops tables under provisional names: they have other names now."""
        for name in sorted(self._existing - names):
            self._warehouse.execute(statement("merge/tables/by_type/drop", table=quoted(name)))
            for forgotten in ("merge/tables/by_type/forget_columns", "merge/tables/by_type/forget_table"):
                self._warehouse.execute(statement(forgotten), {"table": name})

    @cached_property
    def _existing(self) -> set[str]:
        return {name for (name,) in self._warehouse.rows(statement("merge/tables/by_type/existing"))}

    @cached_property
    def _registered(self) -> dict[str, dict[str, str]]:
        found: dict[str, dict[str, str]] = defaultdict(dict)
        for table, column, kind in self._warehouse.rows(statement("merge/tables/by_type/registered")):
            found[table][column] = kind
        return found

    def _recorded_kinds(self, values: str) -> dict[tuple[str, str], frozenset[str]]:
        rows = self._warehouse.rows(statement("merge/tables/by_type/recorded_kinds", values=values))
        return {(asset_type_id, field_id): frozenset(kinds) for asset_type_id, field_id, kinds in rows}

    def _shape(self, tables: Iterable[WideTable]) -> None:
        """Makes tables, or adds missing columns: all statements at once, as there are many of them."""
        statements = [made for table in tables for made in table.ddl()]
        if statements:
            self._warehouse.execute(";\n".join(statements))

    def _register(self, tables: Sequence[WideTable]) -> None:
        """Registers the source of each column in `ops.columns`; a replaced column keeps its first run."""
        pairs = [(table, column) for table in tables for column in (table.columns if table.is_new else table.added)]
        known = self._registered
        new = [(table, column) for table, column in pairs if column.name not in known[table.name]]
        again = [(table.name, column.name, column.type) for table, column in pairs if column.name in known[table.name]]
        if again:
            values = zip(("tables", "columns", "types"), map(list, zip(*again, strict=True)), strict=True)
            noted = dict(values) | {"run_id": self._run_id}
            self._warehouse.execute(statement("merge/tables/by_type/note_types"), noted)
        rows = [
            ("by_type", table.name, column.name, column.field_id, column.type, self._run_id, self._run_id)
            for table, column in new
        ]
        self._warehouse.add("ops.columns", rows)


def comment_on_types(warehouse: Warehouse) -> None:
    """Says what each column of the tables of types means: label, kind, options, former labels, id.

    Not inside a transaction: it makes several. A build that a kill interrupts among them is repeated.
    """
    rows = warehouse.rows(statement("merge/tables/by_type/comments"))
    write_comments(warehouse, [comment_on_column(f"by_type.{quoted(table)}", *column) for table, *column in rows])


def _kinds_before(column_type: str | None) -> frozenset[str]:
    """The kind of the results before a night that has none: a column of dates stays one of dates until a text comes."""
    return frozenset(kind for kind in ("date", "time") if COLUMN_TYPES[kind][0] == column_type)


def _wide_table(
    asset_type_id: str,
    name: str,
    type_name: str | None,
    columns: Sequence[WideColumn],
    before: Mapping[str, str],
    *,
    is_made: bool,
) -> WideTable:
    is_new = not is_made or any(before.get(column.name, column.type) != column.type for column in columns)
    added = [column for column in columns if column.name not in before]
    return WideTable(asset_type_id, name, type_name, columns, is_new, added)
