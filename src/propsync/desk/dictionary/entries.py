"""The entries of the dictionary: a column each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Any, Protocol

from propsync.desk.dictionary.safety import may_show
from propsync.warehouse import quoted, statement

_AT_ONCE = 400  # columns in one query
_VISIBLE = r"[^\s\v\p{Z}\x{200B}\x{FEFF}]"
"""A character of a text that is not blank, as in the macro staging.is_blank, which no published file has."""


class Reader(Protocol):
    """What is published."""

    def rows(self, query: str, /) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Column names, and all rows."""


@dataclass(frozen=True)
class Entry:
    """A column. `filled` is the share of rows with a value, None for a view and for a table without rows."""

    table: str
    about_table: str | None
    column: str
    type: str
    meaning: str | None
    source: str | None
    filled: float | None = None
    example: str | None = None


@dataclass(frozen=True)
class _Column:
    """A column as DuckDB describes it, before anybody looked at its values."""

    schema: str
    table: str
    is_view: bool
    option: str | None
    entry: Entry

    @property
    def name(self) -> str:
        return quoted(self.entry.column)

    @property
    def shows_example(self) -> bool:
        return may_show(self.schema, self.table, self.entry.column, self.entry.type, self.entry.meaning)

    @property
    def wanted(self) -> str:
        """The expressions of its count and its example; a blank text and an empty list are no values."""
        counted = f"count({self.name})"
        if self.entry.type == "VARCHAR":
            is_plain = f"{self.name} between '!' and '~'"  # most are, and to compare takes a third of the search
            visible = f"case when {is_plain} then true else regexp_matches({self.name}, '{_VISIBLE}') end"
            counted = f"count(*) filter ({visible})"
        elif self.entry.type.endswith("[]"):
            counted = f"count(nullif(len({self.name}), 0))"
        return f"{counted}, {f'max({self.name})::varchar' if self.shows_example else 'null'}"


def entries(reader: Reader) -> Iterator[Entry]:
    """Every column of every table and view, in the order in which people look for them."""
    columns = [_described(*row) for row in reader.rows(statement("desk/dictionary/columns"))[1]]
    for _, of_table in groupby(columns, lambda one: (one.schema, one.table)):
        whole = list(of_table)
        for start in range(0, len(whole), _AT_ONCE):
            yield from _looked_at(reader, whole[start : start + _AT_ONCE])


def _described(
    schema: str,
    table: str,
    about: str | None,
    is_view: bool,
    column: str,
    kind: str,
    meaning: str | None,
    source: str | None,
    option: str | None,
) -> _Column:
    name = table if schema == "main" else f"{schema}.{table}"
    return _Column(schema, table, is_view, option, Entry(name, about, column, kind, meaning, source))


def _looked_at(reader: Reader, columns: Sequence[_Column]) -> Iterator[Entry]:
    """The entries with what the table's values show; a view would cost more than it tells."""
    first = columns[0]
    if first.is_view:
        yield from (one.entry for one in columns)
        return
    wanted = ", ".join(["count(*)", *(one.wanted for one in columns)])
    named = f"{quoted(first.schema)}.{quoted(first.table)}"
    ((rows, *values),) = reader.rows(statement("desk/dictionary/values", wanted=wanted, table=named))[1]
    for one, count, example in zip(columns, values[::2], values[1::2], strict=True):
        filled = count / rows if rows else None
        yield replace(one.entry, filled=filled, example=one.option or _short(example))


def _short(example: str | None) -> str | None:
    """A moment without its fraction; other examples as they are."""
    try:
        return datetime.fromisoformat(example).isoformat(" ", "minutes") if example and len(example) > 19 else example
    except ValueError:
        return example
