"""The table of a list that people keep themselves, and its columns in the API's table of the same name."""

from __future__ import annotations

import logging
from collections.abc import Collection

from propsync.resources import Resource
from propsync.warehouse import Warehouse, comment_on_column, quoted, statement, unique_name

_log = logging.getLogger("propsync.reference")

KEYS = {"properties": "property_id", "users": "user_id"}
"""The lists with a key, and the key of each, if the API has no list of that name."""

NAMES = ("name", "full_name", "display_name", "title")
"""The columns that may have the name of a property or a user; the first one that a list has counts."""


def api_lists(warehouse: Warehouse, key: str) -> list[Resource]:
    """The API's own lists of what `key` identifies, such as property_id: those that this run may read."""
    catalogue = warehouse.catalogue
    return [
        one for one in catalogue.synced if one.is_further and (one.key_columns == (key,) or KEYS.get(one.name) == key)
    ]


def is_of_api(warehouse: Warehouse, name: str) -> bool:
    """Whether the API has a list of that name too: then people's columns are added to the API's table."""
    return name in warehouse.catalogue and warehouse.catalogue[name].is_further


def key_of(warehouse: Warehouse, name: str) -> str | None:
    """The column that identifies a row of people's list; None if it has no key."""
    return warehouse.catalogue[name].key_columns[0] if is_of_api(warehouse, name) else KEYS.get(name)


def list_schema(warehouse: Warehouse, name: str) -> str:
    """The schema of the table with the rows of people's list."""
    return "reference" if is_of_api(warehouse, name) else "main"


def list_target(warehouse: Warehouse, name: str) -> str:
    """The table with the rows of people's list, as SQL."""
    return f"{list_schema(warehouse, name)}.{quoted(name)}"


def list_columns(warehouse: Warehouse, name: str) -> list[str]:
    """The columns of people's list as it is now; none if there is no such list."""
    return _columns(warehouse, list_schema(warehouse, name), name)


def remove_unnamed(warehouse: Warehouse, run_id: str, named: Collection[str]) -> list[str]:
    """Removes the tables of lists that are not `named` any more, and their columns in the API's tables.

    Returns a line for each.
    """
    removed = []
    for schema, name in warehouse.rows(statement("merge/reference/lists")):
        if name in named or f"{schema}.{name}" in warehouse.tables:
            continue
        removed.append(dropped(name))
        _log.warning("%s", removed[-1])
        with warehouse.transaction():
            warehouse.execute(statement("merge/reference/drop_list", table=f"{schema}.{quoted(name)}"))
            warehouse.execute(statement("merge/freshness/forget_marks"), {"schema": schema, "tables": [name]})
            if is_of_api(warehouse, name):
                _make(warehouse, name, {})
                warehouse.execute(statement("reference/note_filled"), {"run_id": run_id, "table": name})
    return removed


def dropped(name: str) -> str:
    """The line for a list that went with its entry: perhaps with all of propsync.toml, which nobody meant."""
    return (
        f"the list {name}: propsync.toml does not name it any more, so its table is gone and no mart rests on it. "
        "If that is a mistake, name it under [reference] and run `propsync sync`"
    )


def add_list_columns(warehouse: Warehouse, run_id: str, name: str) -> None:
    """Adds the columns of people's list to the API's table of that name, and brings their values up to date.

    A column gets the prefix `list_` if the API has one of its name. Without such a list nothing changes.
    """
    own = _columns(warehouse, "reference", name) if is_of_api(warehouse, name) else []
    if not own:
        return
    key = warehouse.catalogue[name].key_columns[0]
    names = _names(warehouse, name, [column for column in own if column != key])
    with warehouse.transaction():
        _make(warehouse, name, names)
    if names:
        _fill(warehouse, run_id, name, key, names)


def _columns(warehouse: Warehouse, schema: str, table: str) -> list[str]:
    rows = warehouse.rows(statement("reference/columns_of"), {"schema": schema, "table": table})
    return [column for (column,) in rows]


def _of_api(warehouse: Warehouse, name: str) -> set[str]:
    found = warehouse.rows(statement("reference/api_columns"), {"table": name})
    return {*warehouse.tables[f"main.{name}"].columns, *(column for (column,) in found)}


def _names(warehouse: Warehouse, name: str, columns: list[str]) -> dict[str, str]:
    """The name of each of the list's columns in the API's table."""
    taken = _of_api(warehouse, name)
    names: dict[str, str] = {}
    for column in columns:
        if column in taken:
            names[column] = unique_name(f"list_{column}", {*taken, *columns, *names.values()})
        else:
            names[column] = column
    return names


def _make(warehouse: Warehouse, name: str, names: dict[str, str]) -> None:
    target, wanted = f"main.{quoted(name)}", list(names.values())
    present = [one for one in _columns(warehouse, "main", name) if one not in _of_api(warehouse, name)]
    if present == wanted:
        return
    for column in present:
        warehouse.execute(statement("warehouse/drop_column", table=target, column=quoted(column)))
    for column in wanted:
        warehouse.execute(statement("warehouse/add_column", table=target, column=quoted(column), type="varchar"))
        warehouse.execute(comment_on_column(target, column, "Column of your own list, which [reference] names"))


def _fill(warehouse: Warehouse, run_id: str, name: str, key: str, names: dict[str, str]) -> None:
    values = [(quoted(column), quoted(shown)) for column, shown in names.items()]
    filled = statement(
        "reference/fill_columns",
        table=quoted(name),
        key=quoted(key),
        new_values=", ".join(f"{shown} = own.{column}" for column, shown in values),
        differs=" or ".join(f"shown.{shown} is distinct from own.{column}" for column, shown in values),
    )
    with warehouse.transaction():
        if warehouse.value(filled):
            warehouse.execute(statement("reference/note_filled"), {"run_id": run_id, "table": name})
