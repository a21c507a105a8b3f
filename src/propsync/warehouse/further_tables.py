"""The tables of further lists: made when propsync.toml first names a list, and kept when it no longer does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from propsync.errors import SettingsError
from propsync.resources import RESERVED, Catalogue, Definition, Resource, definition_of, further_resources
from propsync.warehouse.declared_tables import TABLES, fixed_columns, quoted, tables_of
from propsync.warehouse.macros import macros_for_people
from propsync.warehouse.statements import statement
from propsync.warehouse.typed_versions import TypedVersions

if TYPE_CHECKING:
    from propsync.warehouse.connection import Warehouse


def stored_resources(rows: Iterable[tuple[Any, ...]]) -> list[Resource]:
    """The lists that the rows of `warehouse/further_lists` describe."""
    return further_resources({row[0]: Definition(*row[1:]) for row in rows})


def declared(warehouse: Warehouse, catalogue: Catalogue) -> Catalogue:
    """Makes the tables of lists that propsync.toml names for the first time; adds the lists of earlier runs."""
    rows = warehouse.rows(statement("warehouse/further_lists"))
    stored = {one.name: one for one in stored_resources(rows)}
    check_further(catalogue, stored.values())
    whole = catalogue.with_dropped(stored.values())
    changed = [row for one in whole.further if (row := _stored_row(one)) not in rows]
    if changed:
        with warehouse.transaction():
            for name in (str(row[0]) for row in changed):
                warehouse.execute(statement("warehouse/forget_further_list"), {"resource": name})
                if name not in stored:
                    _make_tables(warehouse, whole[name])
            warehouse.add("ops.resources", changed)
            for statements in macros_for_people(whole.families):
                warehouse.execute(statements)
    return whole


def _stored_row(resource: Resource) -> tuple[str | bool | None, ...]:
    """The row of `ops.resources` for a list."""
    one = definition_of(resource)
    return (resource.name, one.path, one.key, one.key_column, one.is_paged, one.id_filter)


def _make_tables(warehouse: Warehouse, resource: Resource) -> None:
    """Makes the tables of a further list. A list of people's own gives up the name, and keeps its rows."""
    own, named = f"main.{quoted(resource.name)}", {"table_name": resource.name}
    warehouse.execute("create schema if not exists reference")
    if warehouse.value(statement("warehouse/has_table"), named):
        warehouse.execute(f"create table reference.{quoted(resource.name)} as from {own}")
        warehouse.execute(f"drop table {own}")
        warehouse.execute(statement("warehouse/forget_table"), named)
    warehouse.execute(";\n".join(ddl for table in tables_of(resource) for ddl in table.ddl()))
    warehouse.execute(";\n".join(TypedVersions(resource, warehouse.rows).view().ddl()))


def check_further(catalogue: Catalogue, stored: Iterable[Resource] = ()) -> None:
    """Raises SettingsError if a list cannot have its table, or has had it with another key column."""
    for resource in catalogue.further:
        if _is_taken(resource.name, catalogue):
            what = f"propsync itself uses the name {resource.name}"
            raise SettingsError(f"[resources.{resource.name}]", what, "Give the list another name")
        if clash := fixed_columns().intersection(resource.key_columns):
            step = "Give another key_column"
            raise SettingsError(f"[resources.{resource.name}]", f"its table has a column {min(clash)} itself", step)
    for before in stored:
        if before.name in catalogue and catalogue[before.name].key_columns != before.key_columns:
            what = f"its key is the column {before.key_columns[0]} since its first sync"
            step = f'Write key_column = "{before.key_columns[0]}", or give the list another name'
            raise SettingsError(f"[resources.{before.name}]", what, step)


def _is_taken(name: str, catalogue: Catalogue) -> bool:
    """Whether a folder of landing, or a table or view beside those of another list, has the name."""
    of, _, kind = name.rpartition("_")
    is_beside = kind in ("typed", "earlier") and of in catalogue
    return is_beside or name in RESERVED or bool({f"main.{name}", f"history.{name}"} & TABLES.keys())
