"""Comments on the columns of many wide tables take no memory by the square of a table's width."""

from __future__ import annotations

import multiprocessing
import resource
from pathlib import Path

import pytest

from propsync.warehouse import Warehouse, comment_on_column, write_comments

_TABLES = 6
_COLUMNS = 300
_ROOM = 110_000_000  # in one transaction they take 170 MB


def bytes_taken(folder: Path) -> tuple[int, int]:
    """The bytes that the comments add to the memory of this process, and their number."""
    with Warehouse(folder / "state.duckdb", memory_limit="300MB", folder=folder) as warehouse:
        made = (
            f"create table by_type.t{n} ({', '.join(f'c{i} text' for i in range(_COLUMNS))})" for n in range(_TABLES)
        )
        warehouse.execute(";".join(made))
        before = _most_taken()
        names = [(f"by_type.t{n}", f"c{i}") for n in range(_TABLES) for i in range(_COLUMNS)]
        write_comments(warehouse, [comment_on_column(table, column, f"{table} {column}") for table, column in names])
        taken = _most_taken() - before
        written = "select count(*) from duckdb_columns() where comment = 'by_type.' || table_name || ' ' || column_name"
        return taken, warehouse.value(written)


def _most_taken() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@pytest.mark.slow
def test_comments_on_wide_tables_take_little_memory(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        taken, written = pool.apply(bytes_taken, (tmp_path,))
    assert written == _TABLES * _COLUMNS
    assert taken < _ROOM
