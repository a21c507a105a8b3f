"""The questions of the dashboard: a select each in `sql/dashboard/`, which the page also shows.

A file opens with `-- title:`, `-- of:` and `-- why:`. Each may continue on further lines. `of` is a table that must
have rows, or a column of one that must have a value. Without them, the answer is unknown.
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
    def table(self) -> tuple[str, str]:
        """The schema and the name of the table that must have rows."""
        schema, name, *_ = self.of.split(".")
        return schema, name

    @property
    def column(self) -> str | None:
        """Its column that must have a value, if `of` names one."""
        return next(iter(self.of.split(".")[2:]), None)

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
