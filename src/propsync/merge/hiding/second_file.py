"""The second file: the whole records of versions that the state shows without what is hidden."""

from __future__ import annotations

import secrets

from propsync.resources import Resource
from propsync.warehouse import Warehouse, key_parts, quoted, statement, text

SETTING = "hidden"
KEPT = "hidden.versions"
"""The table of whole records in the second file."""

RECORDS = "hidden.records"
"""The table of records of hidden types."""

_PATTERN = "hidden-{}.duckdb"
HIDDEN_FILES = _PATTERN.format("*")


def new_name() -> str:
    """A name that no second file has had."""
    return _PATTERN.format(secrets.token_hex(4))


def remembered(warehouse: Warehouse) -> tuple[str, str] | None:
    """The second file's name and the mark of its lines; None if the state hides nothing."""
    found = warehouse.value(statement("runbooks/setting"), {"setting": SETTING})
    if found is None:
        return None
    name, _, mark = str(found).partition(" ")
    return name, mark


def make_tables(warehouse: Warehouse) -> None:
    """Makes the tables of a second file that it lacks."""
    warehouse.execute(statement("merge/hidden/make_versions"))
    warehouse.execute(statement("merge/hidden/make_fields"))
    warehouse.execute(statement("merge/hidden/make_met"))
    warehouse.execute(statement("merge/hidden/make_records"))


def whole_history(resource: Resource) -> str:
    """A relation with the resource's history as it came, although parts of records are hidden."""
    first, second = key_parts(resource)
    second = second if second.startswith("'") else f"versions.{second}"
    return statement(
        "merge/hidden/whole_history",
        kept=KEPT,
        table=quoted(resource.name),
        resource=text(resource.name),
        first=first,
        second=second,
    )
