"""docs/questions.md as its readers copy it: each question with its SELECT. Also the queries of other pages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from questions.oracle import some_day
from questions.oracle.moves import busiest_asset
from questions.witness import Witness

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "questions.md"
OTHERS = ("actions-and-flags.md", "compliance.md", "checks.md", "desk.md")
"""Pages whose queries need documents and several nights too."""
_ASKED = re.compile(r"^### (\d+)\. (.+?)\n\n```sql\n(.+?)```$", re.MULTILINE | re.DOTALL)
_SQL = re.compile(r"^```sql\n(.*?)^```", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^### ", re.MULTILINE)
_THE_DAY, _THE_ASSET = "2026-03-31", "'…'"


@dataclass(frozen=True)
class Asked:
    """A question of the page."""

    number: int
    words: str
    sql: str

    @property
    def lines(self) -> int:
        return len(self.sql.strip().splitlines())

    def about(self, witness: Witness) -> str:
        """The SELECT after a reader has put in a day and an asset of their own."""
        return self.sql.replace(_THE_DAY, str(some_day(witness))).replace(_THE_ASSET, f"'{busiest_asset(witness)}'")


def asked() -> Sequence[Asked]:
    """All questions of the page, in its order; each heading has its SELECT."""
    text = PAGE.read_text(encoding="utf-8")
    found = [Asked(int(number), words, sql) for number, words, sql in _ASKED.findall(text)]
    assert len(found) == len(_HEADING.findall(text))
    return found


def shown_elsewhere() -> Sequence[tuple[str, str]]:
    """Name of the page, and query; each block is one."""
    return [(name, sql) for name in OTHERS for sql in _SQL.findall((DOCS / name).read_text(encoding="utf-8"))]
