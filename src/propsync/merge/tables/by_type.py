"""One wide table a type of asset: a row an asset, a column a field."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from propsync.resources import ASSETS
from propsync.warehouse import Models, Warehouse, comment_on_column, compressed, quoted, resource_fragments, text

_TYPES = {
    "text": ("VARCHAR", "value_text"),
    "qr": ("VARCHAR", "value_text"),
    "number": ("DOUBLE", "value_number"),
    "date": ("DATE", "value_date"),
    "time": ("TIME", "value_time"),
    "option": ("VARCHAR", "{options}"),
    "image": ("JSON", "value_json"),
    "file": ("JSON", "value_json"),
    "pin": ("JSON", "value_json"),
}
# an option that no type offers shows its id rather than nothing
_OPTIONS = (
    "if(value_options is null, null, array_to_string(list_transform(list_zip(value_options, value_option_labels), "
    "lambda chosen: coalesce(chosen[2], chosen[1])), '; '))"
)
_FEW = 40  # fields; up to this number one query for all values of a type is faster than one for each kind of value
_ANY = f"coalesce({_OPTIONS}, value_text, value_json::varchar)"


@dataclass(frozen=True)
class WideColumn:
    """A field's column; `type` is the column's, which may be wider than the field's kind needs."""

    field_id: str
    name: str
    kind: str
    label: str | None
    type: str

    @property
    def value(self) -> str:
        """The expression that takes it from a field value of `main.asset_field_values`."""
        type_of_kind, value = _TYPES.get(self.kind, ("JSON", "coalesce(value_json, to_json(value_text))"))
        return _ANY if self.type != type_of_kind or value == "{options}" else value


@dataclass(frozen=True)
class WideTable:
    """A type's table as planned; `is_new` if propsync must make it (or replace it, as a column's type changed)."""

    asset_type_id: str
    name: str
    type_name: str | None
    columns: Sequence[WideColumn]
    is_new: bool
    added: Sequence[WideColumn]

    @property
    def target(self) -> str:
        """The table as SQL names it."""
        return f"by_type.{quoted(self.name)}"

    def by_asset(self) -> str:
        """The end of a list of CTEs: `by_asset`, with a row an asset and a column a field, from `field_values`.

        An aggregate for each field takes time and memory with the square of their number, and a pivot does not. A pivot
        takes values of one type, though, so aggregates are faster for a table with few fields.
        """
        if len(self.columns) <= _FEW:
            return (
                f"by_asset as (select asset_id{''.join(map(_aggregate, self.columns))} from field_values group by all)"
            )
        of_value: dict[str, list[WideColumn]] = defaultdict(list)
        for column in self.columns:
            of_value[column.value].append(column)
        pivots = [f"pivot_{n} as ({_pivot(value, of)})" for n, (value, of) in enumerate(of_value.items())]
        joined = "".join(f" full join pivot_{place} using (asset_id)" for place in range(1, len(pivots)))
        return ",\n".join([*pivots, f"by_asset as (from pivot_0{joined})"])

    def ddl(self) -> Iterator[str]:
        """The statements that make it, or that add its missing columns, with their comments."""
        if self.is_new:
            kinds = {"asset_id": "VARCHAR", "property_id": "VARCHAR"}
            kinds |= {column.name: column.type for column in self.columns}
            columns = (f"{quoted(name)} {kind}{compressed(kind, by_dictionary=True)}" for name, kind in kinds.items())
            yield f"create or replace table {self.target} ({', '.join(columns)})"
            yield f"comment on table {self.target} is {text(f'{self.type_name or self.name}, one row an asset')}"
            yield comment_on_column(self.target, "asset_id", "The asset's id in the API")
            yield comment_on_column(self.target, "property_id", "The property that the asset belongs to")
        else:
            for column in self.added:
                yield f"alter table {self.target} add column {quoted(column.name)} {column.type}"
        for column in self.columns if self.is_new else self.added:
            yield comment_on_column(self.target, column.name, _comment(column))


class ByType:
    """Plans the wide tables, then writes them inside the caller's transaction."""

    def __init__(self, warehouse: Warehouse, run_id: str) -> None:
        self._warehouse = warehouse
        self._run_id = run_id

    def plan(self) -> list[WideTable]:
        """Plans every type's table and columns, from `main.asset_types`, `main.asset_type_fields` and the present
        values.
        """
        registered = self._registered
        recorded = self._recorded_kinds()
        fields: dict[str, list[WideColumn]] = defaultdict(list)
        rows = self._warehouse.rows(
            "select asset_type_id, field_id, column_name, kind, label from main.asset_type_fields "
            "order by asset_type_id, position, field_id"
        )
        tables = self._warehouse.rows(
            "select asset_type_id, table_name, name from main.asset_types order by table_name"
        )
        names = {asset_type_id: table for asset_type_id, table, _ in tables}
        for asset_type_id, field_id, column, kind, label in rows:
            of_table = registered.get(names[asset_type_id], {})
            shown = _effective_kind(kind, recorded.get((asset_type_id, field_id), frozenset()))
            kind_type = _TYPES.get(shown, ("JSON", ""))[0]
            wide = kind_type if of_table.get(column, kind_type) == kind_type else "VARCHAR"
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

    def _remove(self, table: WideTable, models: Models) -> int:
        return models.with_fragments(**resource_fragments(ASSETS)).close("main/records.close", table.target)

    def _leaving(self, tables: Sequence[str]) -> set[str]:
        """The tables with rows of assets to build again: one query finds them all, as most have none on most days."""
        if not tables:
            return set()
        rows = " union all ".join(
            f"select {text(name)} as name, asset_id from by_type.{quoted(name)}" for name in tables
        )
        query = f"select distinct name from ({rows}) semi join staging.dirty_records using (asset_id)"
        return {name for (name,) in self._warehouse.rows(query)}

    def _coming(self) -> set[str]:
        """The types of the assets to build again."""
        query = "select distinct asset_type_id from main.assets semi join staging.dirty_records using (asset_id)"
        return {asset_type_id for (asset_type_id,) in self._warehouse.rows(query)}

    def _fill(self, table: WideTable, models: Models) -> int:
        return models.with_fragments(
            of_dirty="" if table.is_new else "semi join staging.dirty_records using (asset_id)",
            asset_type_id=text(table.asset_type_id),
            by_asset=table.by_asset(),
        ).open("by_type/type.open", table.target)

    def _drop_others(self, names: set[str]) -> None:
        """Drops tables under provisional names: they have other names now."""
        for name in sorted(self._existing - names):
            self._warehouse.execute(f"drop table by_type.{quoted(name)}")
            for registry in ("ops.columns", "ops.tables"):
                query = f"delete from {registry} where table_schema = 'by_type' and table_name = ?"
                self._warehouse.execute(query, [name])

    @cached_property
    def _existing(self) -> set[str]:
        """The existing tables; for their names alone, DuckDB spells out each table's SQL."""
        return {
            name
            for (name,) in self._warehouse.rows("select table_name from duckdb_tables() where schema_name = 'by_type'")
        }

    @cached_property
    def _registered(self) -> dict[str, dict[str, str]]:
        found: dict[str, dict[str, str]] = defaultdict(dict)
        query = "select table_name, column_name, type from ops.columns where table_schema = 'by_type'"
        for table, column, kind in self._warehouse.rows(query):
            found[table][column] = kind
        return found

    def _recorded_kinds(self) -> dict[tuple[str, str], frozenset[str]]:
        rows = self._warehouse.rows(
            "select asset_type_id, field_id, list(distinct kind) from main.asset_field_values "
            "where value_text is not null and asset_type_id is not null and kind in ('text', 'date', 'time') "
            "group by all"
        )
        return {(asset_type_id, field_id): frozenset(kinds) for asset_type_id, field_id, kinds in rows}

    def _shape(self, tables: Iterable[WideTable]) -> None:
        """Makes tables, or adds missing columns: all statements at once, as there are many of them."""
        statements = [statement for table in tables for statement in table.ddl()]
        if statements:
            self._warehouse.execute(";\n".join(statements))

    def _register(self, tables: Sequence[WideTable]) -> None:
        """Registers the source of each column in `ops.columns`; a replaced column keeps its first run."""
        told = [(table, column) for table in tables for column in (table.columns if table.is_new else table.added)]
        known = self._registered
        new = [(table, column) for table, column in told if column.name not in known[table.name]]
        again = [(table.name, column.name, column.type) for table, column in told if column.name in known[table.name]]
        if again:
            self._warehouse.execute(
                "update ops.columns as columns set type = made.type, last_run_id = $run_id from ("
                "select unnest($tables) as table_name, unnest($columns) as column_name, unnest($types) as type"
                ") as made "
                "where table_schema = 'by_type' and columns.table_name = made.table_name "
                "and columns.column_name = made.column_name",
                dict(zip(("tables", "columns", "types"), map(list, zip(*again, strict=True)), strict=True))
                | {"run_id": self._run_id},
            )
        rows = [
            ("by_type", table.name, column.name, column.field_id, column.type, self._run_id, self._run_id)
            for table, column in new
        ]
        self._warehouse.add("ops.columns", rows)


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


def _aggregate(column: WideColumn) -> str:
    taken = f"any_value({column.value}) filter (field_id = {text(column.field_id)})"
    return f",\n  {taken} as {quoted(column.name)}"


def _pivot(value: str, columns: Sequence[WideColumn]) -> str:
    """The fields whose columns share one expression."""
    fields = ", ".join(text(column.field_id) for column in columns)
    named = ", ".join(f"{text(column.field_id)} as {quoted(column.name)}" for column in columns)
    taken = f"select asset_id, field_id, {value} as value from field_values where field_id in ({fields})"
    return f"from ({taken}) pivot (any_value(value) for field_id in ({named}) group by asset_id)"


def _effective_kind(defined: str | None, recorded: frozenset[str]) -> str:
    """Results have the kinds date and time though no definition says so (API sections 2.1, 2.2)."""
    if len(recorded) == 1 and defined not in _TYPES.keys() - {"text"}:
        return next(iter(recorded))
    return defined or "text"


def _comment(column: WideColumn) -> str:
    unit = "; labels joined by '; '" if column.kind == "option" else ""
    return f"{column.label or 'A field without a label'} ({column.kind} field{unit})"
