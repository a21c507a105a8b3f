"""The declared tables: `sql/tables.toml` as Python values."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass

from propsync.shipped import shipped


@dataclass(frozen=True)
class Table:
    """A table with fixed columns: name → (type, comment). `is_open` ones get a column for each further scalar."""

    schema: str
    name: str
    comment: str
    columns: dict[str, tuple[str, str]]
    key: tuple[str, ...]
    is_open: bool

    @property
    def full_name(self) -> str:
        """Schema and name, as models write it."""
        return f"{self.schema}.{self.name}"

    def ddl(self) -> list[str]:
        """The statements that make it, with its comments."""
        columns = ", ".join(
            f"{quoted(name)} {kind}{_COMPRESSION.get(name, '')}" for name, (kind, _) in self.columns.items()
        )
        target = f"{quoted(self.schema)}.{quoted(self.name)}"
        comments = [comment_on_column(target, name, comment) for name, (_, comment) in self.columns.items()]
        return [f"create table {target} ({columns})", f"comment on table {target} is {text(self.comment)}", *comments]


def comment_on_column(target: str, column: str, comment: str) -> str:
    """The statement that comments a column of `target`, which is quoted already."""
    return f"comment on column {target}.{quoted(column)} is {text(comment)}"


def quoted(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """A text as an SQL literal, for the places where nothing can be bound."""
    return "'" + value.replace("'", "''") + "'"


def _declared() -> dict[str, Table]:
    schemas = tomllib.loads((shipped("sql") / "tables.toml").read_text(encoding="utf-8"))
    tables = [
        Table(
            schema,
            name,
            spec["comment"],
            {column: (kind, comment) for column, (kind, comment) in spec["columns"].items()},
            tuple(spec.get("key", ())),
            spec.get("open", False),
        )
        for schema, of_schema in schemas.items()
        for name, spec in of_schema.items()
    ]
    return {table.full_name: table for table in tables}


_COMPRESSION = {"payload": " using compression zstd"}
"""Payloads of one table repeat one another; written so, they take a third of the room and less time."""

TABLES: dict[str, Table] = _declared()
