"""Finds blocks of a database file that the disk has damaged: a night reads few of them, and publishes all."""

from __future__ import annotations

from pathlib import Path
from struct import Struct

import duckdb

from propsync.warehouse.database_errors import our_errors
from propsync.warehouse.declared_tables import quoted
from propsync.warehouse.statements import statement

_HEADERS = 12_288  # bytes before the first block
_BLOCK = 262_144
_COUNTED_AT = 4_096, 8_192  # two headers, which DuckDB writes in turn
_COUNTS = Struct("<8xQ16xQ")  # how often it has written one so far, and the number of blocks
_FACTOR, _SEED = 0xBF58476D1CE4E5B9, 5381  # of DuckDB's checksum


def refuse_damaged(copy: Path, state: Path, *, memory_limit: str, folder: Path) -> None:
    """Raises StateUnusable in the name of `state` if DuckDB cannot read each row of its `copy`.

    It lets DuckDB read them only if a block lacks its checksum: that one may be free, and then it does no harm.
    """
    if not has_checksums(copy):
        refuse_unreadable(copy, state, memory_limit=memory_limit, folder=folder)


def refuse_unreadable(copy: Path, state: Path, *, memory_limit: str, folder: Path) -> None:
    """The same, and DuckDB reads the rows in any case: some 2 CPU s for 100,000 assets."""
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": memory_limit,
        "temp_directory": str(folder),
    }
    with our_errors(state), duckdb.connect(copy, read_only=True, config=config) as connection:
        for schema, table in connection.execute(statement("warehouse/tables")).fetchall():
            connection.execute(statement("warehouse/read_whole", table=f"{quoted(schema)}.{quoted(table)}"))


def is_short(path: Path) -> bool:
    """Whether a database file has fewer blocks than its newer header counts: DuckDB cuts off free ones, others any."""
    with path.open("rb") as file:
        start = file.read(_HEADERS)
    if len(start) < _HEADERS:
        return True
    _, blocks = max(_COUNTS.unpack_from(start, place) for place in _COUNTED_AT)
    return bool(path.stat().st_size < _HEADERS + blocks * _BLOCK)


def has_checksums(path: Path) -> bool:
    """Whether each block of a database file is whole, with the checksum that DuckDB wrote into it."""
    import numpy as np  # it loads slowly, and only a run that publishes needs it

    factor = np.uint64(_FACTOR)
    with path.open("rb") as file:
        file.seek(_HEADERS)
        while block := file.read(_BLOCK):
            if len(block) < _BLOCK:  # the file was cut; zeros that it lost would not show in the checksum
                return False
            words = np.frombuffer(block, dtype="<u8")
            if int(np.bitwise_xor.reduce(words[1:] * factor)) ^ _SEED != int(words[0]):
                return False
    return True
