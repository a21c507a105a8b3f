"""The edition: a copy of the state database, made into the file that people open in old and new clients."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import duckdb
import xxhash

from propsync.warehouse.connection import NO_BAR, STORAGE_VERSION, Warehouse
from propsync.warehouse.database_errors import our_errors
from propsync.warehouse.declared_tables import TABLES, quoted, text
from propsync.warehouse.macros import macros_for_people
from propsync.warehouse.statements import statement
from propsync.warehouse.views import views_for_people

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "storage_compatibility_version": STORAGE_VERSION,
    # clients before 1.4.2 follow each metadata block to the next; a block from an earlier checkpoint may name a deleted
    # next block
    "experimental_metadata_reuse": False,
    "threads": 1,
    "autoinstall_known_extensions": False,
}


@dataclass(frozen=True)
class Earlier:
    """The published file before, and the tables, as schema.table, whose rows stay as they are in it.

    Without a file these tables are empty.
    """

    path: Path | None
    tables: Collection[str]


def renew_views(warehouse: Warehouse) -> None:
    """Gives the state the views and macros of this release, for the columns that its tables have now.

    Each copy has them too. The state remembers a hash of their text: to make them takes longer than to compare that.
    """
    chosen = warehouse.catalogue.families
    made = [*views_for_people(chosen, warehouse.rows), *macros_for_people(chosen)]
    noted = {"setting": "views", "value": xxhash.xxh3_128_hexdigest("\0".join(made).encode())}
    if warehouse.value(statement("warehouse/setting"), {"setting": "views"}) == noted["value"]:
        return
    with warehouse.transaction():
        for statements in made:
            warehouse.execute(statements)
        warehouse.execute(statement("warehouse/forget_setting"), noted)
        warehouse.execute(statement("warehouse/note_setting"), noted)


def make_published_copy(copy: Path, *, memory_limit: str, folder: Path, earlier: Earlier | None = None) -> None:
    """Rewrites all metadata of `copy`, a copy of the state with the views of this release; its rows stay.

    But the tables that `earlier` names get their earlier rows again. `folder` holds whatever exceeds `memory_limit`.
    Raises DiskFull, and StateUnusable for a damaged copy.
    """
    config = _CONFIG | {"memory_limit": memory_limit, "temp_directory": str(folder)}
    with our_errors(copy), duckdb.connect(copy, config=config) as connection:
        connection.execute(NO_BAR)
        if earlier:
            _put_back(connection, earlier)
        connection.execute(statement("publish/touch", comment=text(TABLES["ops.schema_version"].comment)))
        connection.execute("checkpoint")


def in_published(path: Path, sql: str, *, memory_limit: str, folder: Path) -> None:
    """Runs a statement that only reads on a published file. Raises DiskFull and StateUnusable."""
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": memory_limit,
        "temp_directory": str(folder),
    }
    with our_errors(path), duckdb.connect(path, read_only=True, config=config) as connection:
        connection.execute(NO_BAR)
        connection.execute(sql)


def _put_back(connection: duckdb.DuckDBPyConnection, earlier: Earlier) -> None:
    """A table that the earlier file lacks is empty: propsync has never published it."""
    there = set()
    if earlier.path is not None:
        connection.execute(statement("publish/attach_earlier", file=text(str(earlier.path))))
        there = {name for (name,) in connection.execute(statement("publish/earlier_tables")).fetchall()}
    now = {name for (name,) in connection.execute(statement("publish/present_tables")).fetchall()}
    for name in sorted({*earlier.tables} & now):
        schema, _, table = name.partition(".")
        target = f"{quoted(schema)}.{quoted(table)}"
        connection.execute(statement("desk/empty", target=target))
        if name in there:
            connection.execute(statement("publish/put_back", target=target))
    if earlier.path is not None:
        connection.execute(statement("publish/detach_earlier"))
