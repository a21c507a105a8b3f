"""A state database that does not open is named, with the step that helps."""

from __future__ import annotations

import shutil
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
