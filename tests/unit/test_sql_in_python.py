"""SQL is in sql/: in these packages Python has names, literals and clauses that are computed, and no statement."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from propsync.shipped import shipped

SOURCE = Path(__file__).parents[2] / "src" / "propsync"
STATEMENTS = shipped("sql") / "statements"
DONE = (
    "api", "cli", "documents", "landing", "merge", "publish", "runbooks", "runs", "serving", "shapes", "sweep",
    "warehouse/checks", "warehouse/columns", "warehouse/declared_tables", "warehouse/scalars",
)  # fmt: skip
"""The others still have statements of their own: what in warehouse deals with DuckDB itself."""
_STATEMENT = re.compile(
    r"^\s*(select\s.*\bfrom\b|with\s+\w+\s+as\s*\(|from\s+[\w{}\"]+\.[\w{}\"]+"
    r"|insert\s+into\s|update\s+[\w.\"{}]+\s.*\bset\b|delete\s+from\s|copy\s|(alter|drop)\s+(table|view)\s"
    r"|create\s+(or\s+replace\s+)?(temp\s+)?(table|view|macro|schema)\s)"
    r"|comment\s+on\s+(table|column)\s|select\s+(not\s+)?exists\s",
    re.DOTALL | re.IGNORECASE,
)
_COMPUTED = {
    "alter table main.{} add column {} VARCHAR",
    "alter table {} add column {} {}",
    "alter table {} drop column if exists {}",
    "select {} from main.{}",
    "alter table {} alter column {} type {}",
}
"""What is made of names alone: DuckDB takes no column's name as a value."""


def texts(path: Path) -> Iterator[str]:
    """The texts of a module, docstrings apart; `{}` stands for what an f-string puts in."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in inside | said:
            yield _written(node)


def _written(node: ast.expr) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(_written(part) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


@pytest.mark.parametrize("package", DONE)
def test_no_statement_stands_in_python(package: str) -> None:
    where = SOURCE / package
    found = {text for path in sorted(where.rglob("*.py")) or [where.with_suffix(".py")] for text in texts(path)}
    assert {text for text in found if _STATEMENT.match(text)} - _COMPUTED == set()


@pytest.mark.parametrize(
    "text",
    [
        "select count(*) from ops.runs",
        "\nwith ended as (from ops.runs) select * from ended",
        "from main.documents",
        "update ops.runs set status = ?",
        "delete from {} where {} in (select unnest(?))",
        "create or replace table staging.x ({})",
        "insert into ops.runs values (?)",
        "drop table if exists staging.x",
        "comment on column {}.{} is {}",
        "select not exists (from {})",
    ],
)
def test_a_statement_is_known_when_it_is_seen(text: str) -> None:
    assert _STATEMENT.match(text)


def test_every_statement_is_asked_for_and_every_one_asked_for_is_there() -> None:
    files = {str(path.relative_to(STATEMENTS)).removesuffix(".sql") for path in STATEMENTS.rglob("*.sql")}
    named = {text for path in SOURCE.rglob("*.py") for text in texts(path)}
    ends = {name.rpartition("/")[2] for name in files if name.startswith(("cli/status/", "cli/demo/"))}
    assert {name for name in files if name not in named and name.rpartition("/")[2] not in named & ends} == set()
