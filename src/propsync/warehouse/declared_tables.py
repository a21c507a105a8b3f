"""The tables with fixed columns: those of `sql/tables.toml`, and those that each resource has."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from propsync.resources import BUILT_IN, Resource
from propsync.shipped import shipped
from propsync.warehouse.statements import statement


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
        made = statement("warehouse/make_table", table=target, columns=columns)
        return [made, comment_on_table(target, self.comment), *comments]

    def _repeats(self, column: str) -> bool:
        """Whether rows share the column's texts: words, their parent's id, or one part of their key."""
        if self.key == (column,):
            return False
        return column in _REPEATED or column in self.key


def compressed(kind: str, *, by_dictionary: bool) -> str:
    """A column's compression, as the end of its definition: trying all kinds takes longer than the write.

    zstd takes the least room and time to write; DuckDB reads texts with a dictionary several times as fast.
    """
    if kind not in ("VARCHAR", "JSON"):
        return ""
    return f" using compression {'dictionary' if by_dictionary and kind == 'VARCHAR' else 'zstd'}"


def comment_on_table(target: str, comment: str) -> str:
    """The statement that comments `target`, a quoted name."""
    return statement("warehouse/comment_on_table", table=target, comment=text(comment))


def comment_on_column(target: str, column: str, comment: str) -> str:
    """The statement that comments a column of `target`, a quoted name."""
    return statement("warehouse/comment_on_column", table=target, column=quoted(column), comment=text(comment))


def quoted(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """A text as an SQL literal, for statements that cannot bind values."""
    return "'" + value.replace("'", "''") + "'"


def tables_of(resource: Resource) -> Iterator[Table]:
    """A resource's own table, if `sql/tables.toml` does not declare it, its history, and the typed columns of it."""
    templates = _toml("resource_tables.toml")
    main = TABLES.get(f"main.{resource.name}") if not resource.is_further else None
    if main is None:
        written = templates["main"]
        keys = dict.fromkeys(resource.key_columns, ("VARCHAR", written["key_column"]))
        comment = _filled(written["comment"], resource)
        main = Table("main", resource.name, comment, keys | _columns(written["columns"]), resource.key_columns, True)
        yield main
    written = templates["history"]
    keys = {name: main.columns[name] for name in resource.key_columns}
    facts = _columns(written["facts"]) if resource.performed else {}
    yield Table(
        "history",
        resource.name,
        _filled(written["comment"], resource),
        keys | facts | _columns(written["columns"]),
        (*resource.key_columns, "valid_from"),
        False,
    )
    if has_typed_history(resource):
        yield earlier_table(resource, main)


def has_typed_history(resource: Resource) -> bool:
    """Whether each version of the resource is kept with typed columns: lists of types have definitions instead."""
    return resource.is_further or resource in BUILT_IN.families


def earlier_table(resource: Resource, main: Table) -> Table:
    """The table of typed columns that `main` no longer shows."""
    written = _toml("resource_tables.toml")["earlier"]
    kept = {name: column for name, column in main.columns.items() if name not in _NOT_KEPT}
    columns = kept | _columns(written["columns"])
    key = (*resource.key_columns, "valid_from")
    return Table("history", f"{resource.name}_earlier", _filled(written["comment"], resource), columns, key, False)


def version_columns(resource: Resource) -> tuple[str, dict[str, tuple[str, str]]]:
    """The comment of a resource's view of typed versions, and the columns that say when each version was valid."""
    written = _toml("resource_tables.toml")["typed"]
    return _filled(written["comment"], resource), _columns(written["columns"])


def fixed_columns() -> frozenset[str]:
    """The columns that a further list's table and history have beside its key."""
    templates = _toml("resource_tables.toml")
    history = templates["history"]
    return frozenset().union(templates["main"]["columns"], history["columns"], history["facts"])


def _filled(comment: str, resource: Resource) -> str:
    return comment.replace("{{words}}", resource.words).replace("{{name}}", resource.name)


def _columns(written: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    return {column: (kind, comment) for column, (kind, comment) in written.items()}


@cache
def _toml(name: str) -> dict[str, Any]:
    return tomllib.loads((shipped("sql") / name).read_text(encoding="utf-8"))


def _declared() -> Iterator[Table]:
    for schema, of_schema in _toml("tables.toml").items():
        for name, spec in of_schema.items():
            yield _table(schema, name, spec)


def _marts() -> Iterator[Table]:
    """Each mart's columns stand beside its model."""
    for path in sorted((shipped("sql") / "marts").glob("*.toml")):
        yield _table("marts", path.stem, tomllib.loads(path.read_text(encoding="utf-8")))


def _table(schema: str, name: str, spec: Mapping[str, Any]) -> Table:
    key, is_open = tuple(spec.get("key", ())), spec.get("open", False)
    return Table(schema, name, spec["comment"], _columns(spec["columns"]), key, is_open)


def by_name(tables: Iterable[Table]) -> dict[str, Table]:
    """Tables by schema.name."""
    return {table.full_name: table for table in tables}


_NOT_KEPT = ("payload", "changed_at", "asset_type")
"""history.* has the payload and the moment of each version, and a type has its present name everywhere."""

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

MARTS: dict[str, Table] = by_name(_marts())
"""The marts that the desk builds, by schema.name."""

TABLES: dict[str, Table] = by_name(_declared()) | MARTS
TABLES |= by_name(table for resource in BUILT_IN for table in tables_of(resource))
"""The tables that every copy has."""
