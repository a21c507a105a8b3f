"""A slow statement prints nothing, also where DuckDB takes the program for a person at a prompt."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
from pathlib import Path
from propsync.warehouse import OldFile, Warehouse
from propsync.warehouse.sealed_query import SealedQuery
folder, asked = Path(sys.argv[1]), "select current_setting('enable_progress_bar')"
path = folder / "state.duckdb"
with Warehouse(path, memory_limit="300MB", folder=folder) as warehouse:
    print(warehouse.value(asked), [row for lot in warehouse.batches(asked) for row in lot])
with OldFile(path, memory_limit="300MB", folder=folder) as old:
    print(old.value(asked))
with SealedQuery(path, memory_limit="300MB", zone="UTC") as inquiry:
    for one in (inquiry._connection, inquiry._writer):
        print(one.execute(asked).fetchone())
"""


@pytest.mark.slow
def test_duckdb_shows_no_bar_of_its_own(tmp_path: Path) -> None:
    told = subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, check=True)
    assert told.stdout == "False [(False,)]\nFalse\n(False,)\n(False,)\n"
