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
            f"{quoted(name)} {kind}{compressed(kind, by_dictionary=self._repeats(name))}"
            for name, (kind, _) in self.columns.items()
        )
        target = f"{quoted(self.schema)}.{quoted(self.name)}"
        comments = [comment_on_column(target, name, comment) for name, (_, comment) in self.columns.items()]
        return [f"create table {target} ({columns})", f"comment on table {target} is {text(self.comment)}", *comments]

    def _repeats(self, column: str) -> bool:
        """Whether rows share the column's texts: words, their parent's id, or one part of their key."""
        return column in _REPEATED or (column in self.key and len(self.key) > 1)


def compressed(kind: str, *, by_dictionary: bool) -> str:
    """A column's compression, as the end of its definition: trying all kinds takes longer than the write.

    zstd takes the least room and time to write; DuckDB reads texts with a dictionary several times as fast.
    """
    if kind not in ("VARCHAR", "JSON"):
        return ""
    return f" using compression {'dictionary' if by_dictionary and kind == 'VARCHAR' else 'zstd'}"


def comment_on_column(target: str, column: str, comment: str) -> str:
    """The statement that comments a column of `target`, a quoted name."""
    return f"comment on column {target}.{quoted(column)} is {text(comment)}"


def quoted(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """A text as an SQL literal, for statements that cannot bind values."""
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


_REPEATED = {
    "property_id",
    "asset_type_id",
    "assessment_type_id",
    "asset_type",
    "label",
    "kind",
    "status",
    "change",
    "run_id",
}

TABLES: dict[str, Table] = _declared()
