"""Answers to the dashboard's questions: a count and the first rows, or why there are none."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from propsync.desk.dashboard.question import Question, question
from propsync.errors import MergeFailed, UsageError
from propsync.warehouse import quoted, statement

Rows = list[tuple[Any, ...]]


class Reader(Protocol):
    """The state database of a run, or what is published."""

    def rows(self, query: str, /) -> tuple[list[str], Rows]:
        """Column names, and all rows."""


@dataclass(frozen=True)
class Answer:
    """`count` rows, of which `rows` are the first; `nothing` or `error` says in words why there is no answer."""

    question: Question
    count: int | None = None
    columns: Sequence[str] = ()
    rows: Sequence[tuple[Any, ...]] = ()
    nothing: str | None = None
    error: str | None = None

    @property
    def is_known(self) -> bool:
        """Whether the number is known; it may be 0."""
        return self.count is not None

    def dicts(self) -> list[dict[str, Any]]:
        """The rows by column."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    @property
    def numeric(self) -> frozenset[str]:
        """The columns of numbers, by the first value of each."""
        firsts = (
            (name, next((row[at] for row in self.rows if row[at] is not None), None))
            for at, name in enumerate(self.columns)
        )
        return frozenset(
            name for name, value in firsts if isinstance(value, int | float) and not isinstance(value, bool)
        )

    def cut(self, most: int) -> Answer:
        """The same with at most that many rows."""
        return Answer(self.question, self.count, self.columns, self.rows[:most], self.nothing, self.error)


class Asker:
    """Asks questions of one reader, unless they read a table in `withheld`; looks at each table once."""

    def __init__(self, reader: Reader, withheld: Collection[str] = ()) -> None:
        self._reader = reader
        self._withheld = withheld
        self._tables = frozenset(row[0] for row in reader.rows(statement("desk/dashboard/tables"))[1])
        self._has_rows: dict[str, bool] = {}

    def answer(self, name: str, most: int) -> Answer:
        """The answer with at most `most` rows. A question that DuckDB cannot answer has an `error`."""
        asked = question(name)
        if unpublished := sorted(one for one in self._withheld if re.search(rf"\b{re.escape(one)}\b", asked.sql)):
            return Answer(
                asked, nothing=f"Unknown: {', '.join(unpublished)} breaks a rule, and keeps its earlier rows."
            )
        try:
            return self._answer(asked, most)
        except (MergeFailed, UsageError) as error:
            return Answer(asked, error=error.what)

    def _answer(self, asked: Question, most: int) -> Answer:
        if (table := ".".join(asked.table)) not in self._tables:
            return Answer(asked, nothing=f"This copy does not have {table} yet. The next sync makes it.")
        columns, rows = self._reader.rows(f"{asked.sql}\nlimit {most}")
        if rows and f"from {asked.of}\n" in asked.sql:
            self._has_rows[asked.of] = True
        if not self._looks_through_rows(asked):
            lacks = "has no value before a complete read" if asked.column else "has no rows"
            return Answer(asked, nothing=f"Unknown: {asked.of} {lacks}.")
        return Answer(asked, len(rows) if len(rows) < most else self._count(asked), columns, rows)

    def _looks_through_rows(self, asked: Question) -> bool:
        if asked.of not in self._has_rows:
            named = ".".join(map(quoted, asked.table))
            counts = f"{quoted(asked.column)} is not null" if asked.column else "true"
            found = self._reader.rows(statement("desk/dashboard/has_rows", table=named, counts=counts))[1]
            self._has_rows[asked.of] = bool(found[0][0])
        return self._has_rows[asked.of]

    def _count(self, asked: Question) -> int:
        """Of all rows, when some may have been left out."""
        return int(self._reader.rows(statement("desk/dashboard/count", query=asked.unordered))[1][0][0])
