"""A state database that does not open is named, with the step that helps."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from propsync.errors import StateUnusable
from propsync.warehouse import OldFile, Warehouse


def test_a_file_from_a_backup_beside_the_log_of_a_killed_run_asks_for_a_rebuild(tmp_path: Path) -> None:
    """Copying a backup back over a home replaces the file and leaves the log."""
    live, restored = tmp_path / "live.duckdb", tmp_path / "restored.duckdb"
    with Warehouse(live, memory_limit="200MB", folder=tmp_path):
        pass
    shutil.copy(live, restored)
    with duckdb.connect(live) as connection:
        connection.execute("create table ops.later as from range(9)")
        connection.execute("checkpoint")
        connection.execute("delete from ops.later where range > 4")
        shutil.copy(f"{live}.wal", f"{restored}.wal")
    with pytest.raises(StateUnusable, match=r"replaying WAL file .*! Run `propsync rebuild`$"):
        Warehouse(restored, memory_limit="200MB", folder=tmp_path)


def test_a_refused_file_is_free_although_somebody_keeps_the_error(tmp_path: Path) -> None:
    """A rebuild in the same Python would take it for damaged, and carry nothing over."""
    path = tmp_path / "other.duckdb"
    with Warehouse(path, memory_limit="200MB", folder=tmp_path) as warehouse:
        warehouse.execute("update ops.schema_version set version = 1")
    with pytest.raises(StateUnusable, match="its schema version is 1") as kept:
        Warehouse(path, memory_limit="200MB", folder=tmp_path)
    with OldFile(path, memory_limit="300MB", folder=tmp_path) as old:
        assert old.value("select version from ops.schema_version") == 1
    assert kept


def test_a_first_run_that_could_not_make_its_file_leaves_none_that_the_next_one_refuses(tmp_path: Path) -> None:
    """Landing is empty, so there is nothing to rebuild a damaged file from."""
    path = tmp_path / "state.duckdb"
    code = f"""
import resource
from pathlib import Path
from propsync.errors import FileLimited
from propsync.warehouse import Warehouse
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    Warehouse(Path({str(path)!r}), memory_limit="200MB", folder=Path({str(tmp_path)!r}))
except FileLimited:
    print("limited")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "limited\n", done.stderr
    with Warehouse(path, memory_limit="200MB", folder=tmp_path) as warehouse:
        assert warehouse.value("select count(*) from ops.runs") == 0
