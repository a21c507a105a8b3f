"""A run that is killed at any moment harms nothing: what is published stays whole, the next run needs no help."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb

from propsync_sandbox import Sandbox

KILLS = 12
PROGRAM = str(Path(sys.executable).with_name("propsync"))


def start(sandbox: Sandbox, home: Path) -> subprocess.Popen[bytes]:
    environ = os.environ | {
        "PROPSYNC_BASE_URL": sandbox.base_url,
        "PROPSYNC_TOKEN": sandbox.token,
        "PROPSYNC_HOME": str(home),
        "PROPSYNC_PAGE_LIMIT": "40",
    }
    return subprocess.Popen([PROGRAM, "sync"], env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def read_whole(path: Path) -> int:
    """Reads every table; a torn file fails here."""
    with duckdb.connect(path, read_only=True) as published:
        tables = published.execute("select schema_name, table_name from duckdb_tables() where not internal").fetchall()
        return sum(len(published.execute(f'from "{schema}"."{table}"').fetchall()) for schema, table in tables)


def test_killed_again_and_again_and_then_right(tmp_path: Path):
    dice = random.Random(4)
    path = tmp_path / "home" / "published" / "warehouse.duckdb"
    with Sandbox(scale=160, seed=21) as sandbox:
        began = time.monotonic()
        first = start(sandbox, tmp_path / "home")
        _, told = first.communicate()
        assert first.returncode == 0, told.decode()
        length = time.monotonic() - began
        for _ in range(KILLS):
            sandbox.night()
            process = start(sandbox, tmp_path / "home")
            time.sleep(dice.uniform(0.1, 1.0) * length)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            assert read_whole(path) > 2_000
        last = start(sandbox, tmp_path / "home")
        _, told = last.communicate()
        assert last.returncode == 0, told.decode()
        truth = sandbox.world.truth("assets")
    assert not path.with_suffix(".duckdb.wal").exists()
    with duckdb.connect(path, read_only=True) as published:
        shown = dict(published.execute("select asset_id, property_id from assets").fetchall())
        assert {key: shown[key] for key in truth} == {key: record["property"] for key, record in truth.items()}
        statuses = published.execute("select status, count(*) from ops.runs group by all").fetchall()
        assert dict(statuses).get("killed", 0) >= 1
        open_rows = published.execute(
            "select count(*), count(distinct asset_id) from history.assets where valid_to is null"
        ).fetchall()[0]
        assert open_rows[0] == open_rows[1] >= len(truth)
