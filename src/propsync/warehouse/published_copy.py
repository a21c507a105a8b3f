"""The edition: a copy of the state database, made into the file that people open in old and new clients."""

from __future__ import annotations

from pathlib import Path

import duckdb

from propsync.warehouse.connection import STORAGE_VERSION, our_errors
from propsync.warehouse.macros import macros_for_people

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "storage_compatibility_version": STORAGE_VERSION,
    # clients before 1.4.2 follow each metadata block to the next; a block from an earlier checkpoint may name a deleted
    # next block
    "experimental_metadata_reuse": False,
    "threads": 1,
    "autoinstall_known_extensions": False,
}


def make_published_copy(copy: Path, *, memory_limit: str, folder: Path) -> None:
    """Rewrites all metadata of `copy`, with the macros of this release; its rows stay in place.

    `folder` holds whatever exceeds `memory_limit`. Raises DiskFull, and StateUnusable for a damaged copy.
    """
    config = _CONFIG | {"memory_limit": memory_limit, "temp_directory": str(folder)}
    with our_errors(copy), duckdb.connect(copy, config=config) as connection:
        for statements in macros_for_people():  # a checkpoint after no change writes nothing
            connection.execute(statements)
        connection.execute("checkpoint")
