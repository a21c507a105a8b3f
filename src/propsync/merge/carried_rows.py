"""The rows that a rebuild cannot find in landing: which they are, and files of them from an older database."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from propsync.merge.tables.naming import FIELD_NAMES, TYPE_NAMES
from propsync.warehouse import TABLES, OldFile, Warehouse, quoted, statement, text, write_rows

CHANGES, ISSUES, SHAPES = "ops.schema_changes", "ops.value_issues", "ops.shapes"
SETTINGS = "ops.settings"
JOURNAL = (
    *("ops.runs", "ops.run_resources", "ops.sweeps", "ops.held_deletes"),
    *("ops.rejected_records", ISSUES, "ops.columns", "ops.headlines", "ops.writes", "ops.hints"),
    SETTINGS,
)
DOCUMENTS = (
    "main.documents",
    "main.bundle_members",
    "main.document_text",
    "main.bundle_actions",
    "main.bundle_controls",
    "main.bundle_elements",
    "history.bundle_actions",
)
LISTS = "lists."
"""Before the name of a list of people's own, in the name of its file."""
HIDDEN_NAMES = "hidden.fields"
NAMES = {"names.types": TYPE_NAMES, "names.fields": FIELD_NAMES, "names.layout": statement("merge/layout")}
CARRIED = (
    {one: statement("merge/rows_of", table=one) for one in (*JOURNAL, CHANGES, SHAPES, *DOCUMENTS)}
    | NAMES
    | {SETTINGS: statement("merge/api_of_home")}
)
"""The rows to carry over: the query for each, by the name of its file."""


@dataclass(frozen=True)
class OldRows:
    """Files of rows from an older database. `kept` are rows about hidden parts, which a second file has.

    `is_older` says that another version of propsync wrote the database, `mark` tells its lines of `[privacy] hide`.
    """

    files: dict[str, Path]
    is_older: bool
    mark: str = ""
    kept: dict[str, Path] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, *, memory_limit: str, folder: Path, state: Path | None, lists: Iterable[str]) -> OldRows:
        """Raises StateUnusable if DuckDB cannot read the database."""
        with OldFile(path, memory_limit=memory_limit, folder=folder) as old:
            of_api = {one.name for one in old.further_resources()}
            own = {
                f"{LISTS}{name}": _rows_of("reference" if name in of_api else "main", name)
                for name in lists
                if _is_list(name)
            }
            files, is_older = old.write(CARRIED | own), not old.is_current
            hides = old.value(statement("merge/hidden/remembered"))
        second, _, mark = str(hides or "").partition(" ")
        hidden = state / second if state is not None and second else None
        if hidden is None or not hidden.exists():
            return cls(files, is_older, mark)
        return cls(files, is_older, mark, _kept_in(hidden, memory_limit, folder))


def _kept_in(hidden: Path, memory_limit: str, folder: Path) -> dict[str, Path]:
    """The rows that wait in a second file, by the names of their tables."""
    tables = {name: statement("merge/rows_of", table=quoted(name)) for name in CARRIED}
    tables[HIDDEN_NAMES] = statement("merge/hidden/names")
    with OldFile(hidden, memory_limit=memory_limit, folder=folder) as old:
        found = old.write({f"kept.{name}": query for name, query in tables.items()})
    return {name.removeprefix("kept."): path for name, path in found.items()}


def carry_out(warehouse: Warehouse, name: str, path: Path) -> None:
    """Writes one of `CARRIED` from the open database."""
    write_rows(warehouse, CARRIED[name], path)


def latest_run(path: Path, *, memory_limit: str, folder: Path) -> str:
    """The latest run in a database, empty if it has none. Raises StateUnusable."""
    with OldFile(path, memory_limit=memory_limit, folder=folder) as old:
        return old.value(statement("merge/latest_run")) or ""


def knows_run(path: Path, run_id: str, *, memory_limit: str, folder: Path) -> bool:
    """Whether a database knows a run. Raises StateUnusable."""
    with OldFile(path, memory_limit=memory_limit, folder=folder) as old:
        return bool(old.value(statement("merge/knows_run", run_id=text(run_id))))


def _rows_of(schema: str, table: str) -> str:
    return statement("merge/rows_of", table=f"{schema}.{quoted(table)}")


def _is_list(name: str) -> bool:
    return re.fullmatch(r"[a-z][a-z0-9_]*", name) is not None and f"main.{name}" not in TABLES
