"""The floor's marts and dashboard: runs their SQL once, writes the Parquet, and a page of plain tables."""

import pickle
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import duckdb

from benchmarks.floor_load import write_parquet

STATE = "state.duckdb"
ZONE = "UTC"
_SHOWN = 500  # rows of a question, as in propsync's page


@dataclass(frozen=True)
class Script:
    """The statements of the marts with their parameters, the questions of the page, and the marts that change."""

    macros: list[str]
    statements: list[tuple[str, Any]]
    questions: list[str]
    changed: list[str]

    @classmethod
    def read(cls, folder: Path) -> "Script":
        """The one that benchmarks/desk_script.py left in the folder."""
        script = pickle.loads((folder / "script").read_bytes())
        assert isinstance(script, cls)
        return script


def run(desk: Path, folder: Path, memory_limit: str) -> None:
    """Runs the script of `desk` on its state; `folder` gets Parquet and dashboard.html."""
    script = Script.read(desk)
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": memory_limit,
        "temp_directory": str(desk),
        "preserve_insertion_order": False,
    }
    with duckdb.connect(desk / STATE, config=config) as connection:
        connection.execute("attach ':memory:' as staging")
        for statement in script.macros:
            connection.execute(statement)
        for statement, parameters in script.statements:
            connection.execute(statement, parameters)
        connection.execute("checkpoint")
        write_parquet(connection, folder, [("marts", mart.removeprefix("marts.")) for mart in script.changed])
        page = "".join(_drawn(connection, question) for question in script.questions)
    (folder / "dashboard.html").write_text(page, encoding="utf-8")


def _drawn(connection: duckdb.DuckDBPyConnection, question: str) -> str:
    found = connection.execute(question)
    rows = [tuple(name for name, *_ in found.description), *found.fetchall()[:_SHOWN]]
    cells = ("".join(f"<td>{escape(str(value))}" for value in row) for row in rows)
    return f"<table>{''.join(f'<tr>{row}' for row in cells)}</table>"
