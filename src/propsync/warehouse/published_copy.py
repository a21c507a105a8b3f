"""The edition: a copy of the state database, made into the file that people open in old and new clients."""

from __future__ import annotations

from pathlib import Path

import duckdb

from propsync.warehouse.connection import STORAGE_VERSION, our_errors
from propsync.warehouse.macros import macros_for_people

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "storage_compatibility_version": STORAGE_VERSION,
    # clients before 1.4.2 follow each metadata block to the next; one that was kept from an earlier checkpoint may name
    # a next block that is gone
    "experimental_metadata_reuse": False,
    "threads": 1,
    "autoinstall_known_extensions": False,
}


def make_published_copy(copy: Path, *, memory_limit: str, folder: Path) -> None:
    """Writes all metadata of `copy` afresh, with the macros of this release; its rows stay where they are.

    `folder` gets what does not fit into `memory_limit`. Raises DiskFull, and StateUnusable for a damaged copy.
    """
    config = _CONFIG | {"memory_limit": memory_limit, "temp_directory": str(folder)}
    with our_errors(copy), duckdb.connect(copy, config=config) as connection:
        for statements in macros_for_people():  # a checkpoint without a change before it writes nothing
            connection.execute(statements)
        connection.execute("checkpoint")
