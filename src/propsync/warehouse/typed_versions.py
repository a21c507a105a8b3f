"""Every version of a record with the columns of its table: which columns are kept, and the view that shows them all.

`main.<resource>` has the typed columns of the latest versions, `history.<resource>_earlier` those of all others, and
the view `history.<resource>_typed` shows both as one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from propsync.resources import Resource
from propsync.shipped import shipped
from propsync.warehouse.declared_tables import (
    TABLES,
    Table,
    comment_on_column,
    earlier_table,
    quoted,
    tables_of,
    version_columns,
)
from propsync.warehouse.names import unique_name
from propsync.warehouse.resource_sql import resource_fragments
from propsync.warehouse.statements import statement
from propsync.warehouse.templates import filled
from propsync.warehouse.view import View

Rows = Callable[[str, Any], list[tuple[Any, ...]]]
"""Runs a query on a database file, with its parameters."""


@dataclass(frozen=True)
class KeptColumn:
    """A column of `main.<resource>` that earlier versions keep, under a name that no column of a version has."""

    name: str
    kept_as: str
    type: str
    comment: str


class TypedVersions:
    """The typed versions of one resource, in the database that `rows` queries."""

    def __init__(self, resource: Resource, rows: Rows) -> None:
        self._resource = resource
        self._rows = rows
        self._declared = earlier_table(resource, _main(resource))
        self.target = f"history.{quoted(self._declared.name)}"
        """The table of earlier versions, as SQL names it."""

    def missing(self) -> list[str]:
        """The statements that give earlier versions each column that the present ones have, of the same type."""
        present = self._described(self.target)
        return [made for column in self._wanted() for made in self._made(column, present.get(column.kept_as))]

    def kept(self) -> list[KeptColumn]:
        """The columns that earlier versions have now."""
        present = self._described(self.target)
        return [column for column in self._wanted() if column.kept_as in present]

    def view(self) -> View:
        """The view of all versions."""
        return typed_view(self._resource, self.kept())

    def _wanted(self) -> Iterator[KeptColumn]:
        yield from _declared_columns(self._resource)
        taken = {*version_columns(self._resource)[1], *_main(self._resource).columns}
        present = self._described(f"main.{quoted(self._resource.name)}")
        of_table = {"schema": "main", "table": self._resource.name}
        for source, name, _ in self._rows(statement("columns/registered"), of_table):
            if name in present:
                kept_as = unique_name(f"api_{name}" if name in taken else name, taken)
                taken.add(kept_as)
                yield KeptColumn(name, kept_as, present[name], f"{source}, as the API sends it")

    def _made(self, column: KeptColumn, present: str | None) -> Iterator[str]:
        named = {"table": self.target, "column": quoted(column.kept_as), "type": column.type}
        if present is None:
            yield statement("warehouse/add_column", **named)
            yield comment_on_column(self.target, column.kept_as, column.comment)
        elif present != column.type:
            yield statement("warehouse/widen_column", **named)

    def _described(self, target: str) -> dict[str, str]:
        rows = self._rows(statement("warehouse/describe", table=target), None)
        return {str(name): str(kind) for name, kind in rows}


def typed_view(resource: Resource, kept: Sequence[KeptColumn]) -> View:
    """The view of a resource's versions, whose columns are those of its table as far as earlier versions have them."""
    main, (comment, of_version) = _main(resource), version_columns(resource)
    shown = {one.kept_as: (one.type, one.comment) for one in kept}
    computed = {name: column for name, column in main.columns.items() if name in ("asset_type", "changed_at")}
    columns = {name: (shown | computed)[name] for name in main.columns if name in shown | computed} | shown | of_version
    beside = [one for one in kept if one.name not in resource.key_columns]
    fragments = resource_fragments(resource) | {
        "columns": ",\n  ".join(
            "valid_from as changed_at" if name == "changed_at" else quoted(name) for name in columns
        ),
        "kept_columns": "".join(f", {quoted(one.name)} as {quoted(one.kept_as)}" for one in beside),
        "earlier_columns": "".join(f", {quoted(one.kept_as)}" for one in beside),
        "names": _names(resource) if "asset_type" in computed else "",
    }
    return View("history", f"{resource.name}_typed", filled(_written("typed"), fragments), comment, columns)


def declared_typed_view(resource: Resource) -> View:
    """The same before any data has given the table further columns."""
    return typed_view(resource, list(_declared_columns(resource)))


def _declared_columns(resource: Resource) -> Iterator[KeptColumn]:
    main = _main(resource)
    for name, (kind, comment) in earlier_table(resource, main).columns.items():
        if name in main.columns:
            yield KeptColumn(name, name, kind, comment)


def _names(resource: Resource) -> str:
    """A join for the names that only other tables have."""
    return f"\nleft join (\n{_written(f'names/{resource.name}').strip()}\n) as names using (asset_type_id)"


def _main(resource: Resource) -> Table:
    return TABLES.get(f"main.{resource.name}") or next(iter(tables_of(resource)))


def _written(name: str) -> str:
    return (shipped("sql") / "views" / "each_resource" / f"{name}.sql").read_text(encoding="utf-8")
