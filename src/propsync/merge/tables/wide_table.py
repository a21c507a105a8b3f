"""The wide table of one type of asset as planned: its columns, their values, and the statements that make it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from propsync.warehouse import comment_on_column, comment_on_table, compressed, quoted, statement, text

COLUMN_TYPES = {
    "text": ("VARCHAR", "{text}"),
    "qr": ("VARCHAR", "{text}"),
    "number": ("DOUBLE", "value_number"),
    "date": ("DATE", "value_date"),
    "time": ("TIME", "value_time"),
    "option": ("VARCHAR", "{options}"),
    "image": ("JSON", "value_json"),
    "file": ("JSON", "value_json"),
    "pin": ("JSON", "value_json"),
}
_OPTIONS = "staging.choice(value_options, value_option_labels)"
_FEW = 40  # fields; up to this number one query for all values of a type is faster than one for each kind of value
# a field that becomes a text keeps the options that assets chose before
_TEXT = f"coalesce(value_text, {_OPTIONS})"
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
        type_of_kind, value = COLUMN_TYPES.get(self.kind, ("JSON", "coalesce(value_json, to_json(value_text))"))
        return _ANY if self.type != type_of_kind or value == "{options}" else _TEXT if value == "{text}" else value


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
            aggregates = statement("merge/tables/by_type/aggregates", columns="".join(map(_aggregate, self.columns)))
            return f"by_asset as ({aggregates})"
        of_value: dict[str, list[WideColumn]] = defaultdict(list)
        for column in self.columns:
            of_value[column.value].append(column)
        pivots = [f"pivot_{n} as ({_pivot(value, of)})" for n, (value, of) in enumerate(of_value.items())]
        joined = "".join(f" full join pivot_{place} using (asset_id)" for place in range(1, len(pivots)))
        return ",\n".join([*pivots, f"by_asset as (from pivot_0{joined})"])

    def ddl(self) -> Iterator[str]:
        """The statements that make it, or that add its missing columns; `comment_on_types` comments these."""
        if self.is_new:
            kinds = {"asset_id": "VARCHAR", "property_id": "VARCHAR"}
            kinds |= {column.name: column.type for column in self.columns}
            columns = (f"{quoted(name)} {kind}{compressed(kind, by_dictionary=True)}" for name, kind in kinds.items())
            yield statement("warehouse/replace_table", table=self.target, columns=", ".join(columns))
            yield comment_on_table(self.target, f"{self.type_name or self.name}, one row per asset")
            yield comment_on_column(self.target, "asset_id", "The asset's id in the API")
            yield comment_on_column(self.target, "property_id", "The property that the asset belongs to")
        else:
            for column in self.added:
                named = {"column": quoted(column.name), "type": column.type}
                yield statement("warehouse/add_column", table=self.target, **named)


def _aggregate(column: WideColumn) -> str:
    taken = f"any_value({column.value}) filter (field_id = {text(column.field_id)})"
    return f",\n  {taken} as {quoted(column.name)}"


def _pivot(value: str, columns: Sequence[WideColumn]) -> str:
    """The fields whose columns share one expression."""
    fields = ", ".join(text(column.field_id) for column in columns)
    named = ", ".join(f"{text(column.field_id)} as {quoted(column.name)}" for column in columns)
    return statement("merge/tables/by_type/pivot", value=value, fields=fields, named=named)


def effective_kind(defined: str | None, recorded: frozenset[str]) -> str:
    """Results have the kinds date and time though no definition says so (API §2.1, 2.2)."""
    if len(recorded) == 1 and defined not in COLUMN_TYPES.keys() - {"text"}:
        return next(iter(recorded))
    return defined or "text"
