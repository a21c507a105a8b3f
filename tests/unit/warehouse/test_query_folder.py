"""The rows that a killed query leaves in its temporary folder go with the next query, and no others do."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from propsync.warehouse.query_folder import query_folder

_QUERY = """
import sys
from propsync.warehouse.query_folder import query_folder

with query_folder() as folder:
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def at_work(temporary: Path) -> tuple[subprocess.Popen[str], Path]:
    """A query in a program of its own, with rows in its folder, some time after it began."""
    query = subprocess.Popen(
        [sys.executable, "-c", _QUERY],
        env=os.environ | {"TMPDIR": str(temporary)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert query.stdout is not None
    folder = Path(query.stdout.readline().strip())
    (folder / "duckdb_temp_storage.tmp").write_bytes(b"rows")
    os.utime(folder, (time.time() - 120,) * 2)
    return query, folder


def test_the_next_query_removes_the_rows_of_a_killed_one_and_leaves_those_of_others(temporary: Path) -> None:
    query, folder = at_work(temporary)
    elsewhere, new = temporary / "propsync-other", temporary / "propsync-query-new"
    for path in (elsewhere, new):
        path.mkdir()
    (temporary / "propsync-query-link").symlink_to(elsewhere)
    with query, query_folder():
        assert folder.exists()
        query.kill()
    with query_folder() as own:
        assert {*temporary.iterdir()} == {elsewhere, new, temporary / "propsync-query-link", Path(own)}
