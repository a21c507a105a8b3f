"""The questions of the dashboard: a select each in `sql/dashboard/`, which the page also shows.

A file opens with `-- title:`, `-- of:` (the table that must have rows, or the answer is unknown) and `-- why:`.
Each may continue on further lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from propsync.shipped import shipped

_HEADER = re.compile(r"^-- (title|of|why): (.+(?:\n-- (?!(?:title|of|why): ).+)*)", re.MULTILINE)


@dataclass(frozen=True)
class Question:
    """One file: `sql` is its whole text, which people can paste into `propsync query`."""

    name: str
    title: str
    of: str
    why: str
    sql: str

    @property
    def schema(self) -> str:
        """The schema of the table that must have rows."""
        return self.of.partition(".")[0]

    @property
    def table(self) -> str:
        """That table, without its schema."""
        return self.of.partition(".")[2]

    @property
    def unordered(self) -> str:
        """The select without its last clause, which says the order: DuckDB would sort the rows only to count them."""
        return self.sql.rpartition("\norder by")[0] or self.sql


@cache
def question(name: str) -> Question:
    """The question in `sql/dashboard/<name>.sql`."""
    sql = (shipped("sql") / "dashboard" / f"{name}.sql").read_text(encoding="utf-8").strip().rstrip(";")
    header = {part: text.replace("\n--", "") for part, text in _HEADER.findall(sql)}
    return Question(name, header["title"], header["of"], header["why"], sql)
