"""SQL is in sql/: Python has names, literals and clauses that are computed, and no statement but DuckDB's own work."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from propsync.shipped import shipped

SOURCE = Path(__file__).parents[2] / "src" / "propsync"
STATEMENTS = shipped("sql") / "statements"
OWN = {
    "traces/sqlite.py": "reads databases of SQLite, which shares no statement with DuckDB",
    "warehouse/connection.py": "appends rows that Python holds, and makes schemas",
    "warehouse/models.py": "makes a statement of a model and its table",
    "warehouse/query_result.py": "gives the rows of any query",
    "warehouse/rows.py": "copies the rows of any query from one file to another",
}
"""The modules with statements of their own, and why."""
_STATEMENT = re.compile(
    r"^\s*(select\s.*\bfrom\b|with\s+\w+\s+as\s*\(|from\s+[\w{}\"]+\.[\w{}\"]+"
    r"|insert\s+into\s|update\s+[\w.\"{}]+\s.*\bset\b|delete\s+from\s|copy\s.*\bto\s+[\'{]"
    r"|(alter|drop)\s+(table|view)\s"
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
    "create schema if not exists reference",
    "create table reference.{} as from {}",
    "drop table {}",
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


def test_no_statement_stands_in_python() -> None:
    found = {str(path.relative_to(SOURCE)): statements(path) for path in sorted(SOURCE.rglob("*.py"))}
    assert {name: of_it for name, of_it in found.items() if of_it and name not in OWN} == {}
    assert all(found[name] for name in OWN)


def statements(path: Path) -> set[str]:
    return {text for text in texts(path) if _STATEMENT.match(text)} - _COMPUTED


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
