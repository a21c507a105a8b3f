"""One case: rows in (`given.toml`), rows out (`expected.toml`), and a reason for each row that is expected.

The folder names the file of `sql/`: `tests/sql/main/assets.open/moved/` is a case of `sql/main/assets.open.sql`. Both
files are TOML, whose texts in single quotes hold JSON as it is. A cell not written is NULL; in a list, 'NULL' is.

given.toml:
    resource = "assets"          the records in `history` that are built, if the model reads any
    of = "assets"                the resource that fills the template, if the model is one for each
    query = "…"                  what is asked once the model has run; of a macro, the only thing that runs. For one of
                                 sql/statements/, `{statement}` stands for it
    made = ["…"]                 statements that make what no table of ours is
    [tables]                     rows by table; a table that is not given is empty, or made by its own model
    [values]                     what the model binds
    [shapes.assets]              paths by part, where they differ from `shapes.toml`
    [fragments]                  pieces of SQL, where no shape gives them

expected.toml:
    is_ordered = true            where the order of rows is part of the promise
    nothing = "…"                the reason why no row is expected
    row = [{…, reason = "…"}]    columns that no row names are not compared
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
Row = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """What the two files of a folder say."""

    model: str
    name: str
    given: Row
    expected: Row

    @property
    def id(self) -> str:
        """The folder, as pytest shows it."""
        return f"{self.model}/{self.name}"

    @property
    def rows(self) -> list[Row]:
        """The rows that are expected, each with its reason."""
        return list(self.expected.get("row", ()))

    @property
    def columns(self) -> list[str]:
        """The columns that are compared: those that any expected row names."""
        named = (name for row in self.rows for name in row if name != "reason")
        return list(dict.fromkeys(named))

    def tables(self) -> dict[str, list[Row]]:
        """The rows that are given, by table."""
        return dict(self.given.get("tables", {}))


def read_cases() -> list[Case]:
    """Every case there is."""
    return [_read(path.parent) for path in sorted(FOLDER.rglob("given.toml"))]


def _read(folder: Path) -> Case:
    given, expected = (read_toml(folder / f"{name}.toml") for name in ("given", "expected"))
    return Case(str(folder.parent.relative_to(FOLDER)), folder.name, given, expected)


def read_toml(path: Path) -> Row:
    """A TOML file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def cell(told: Any) -> Any:
    """A cell as a case writes it; TOML's lists hold no NULL."""
    return [None if one == "NULL" else one for one in told] if isinstance(told, list) else told


def difference(case: Case, found: Sequence[tuple[Any, ...]]) -> list[str]:
    """A line for each row that is missing, with the reason why it is expected, and for each that nobody expects."""
    expected = [(tuple(cell(row.get(name)) for name in case.columns), row["reason"]) for row in case.rows]
    left = list(found)
    lines = []
    for row, reason in expected:
        if row in left:
            left.remove(row)
        else:
            lines.append(f"missing: {_shown(case, row)}: {reason}")
    lines += [f"not expected: {_shown(case, row)}" for row in left]
    is_moved = not lines and case.expected.get("is_ordered") and [row for row, _ in expected] != list(found)
    return ["the rows are right, their order is not"] if is_moved else lines


def _shown(case: Case, row: Sequence[Any]) -> str:
    named = zip(case.columns, row, strict=False)
    return ", ".join(f"{name} = {value!r}" for name, value in named if value is not None) or "(nothing but NULLs)"
