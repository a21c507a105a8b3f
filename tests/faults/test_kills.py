"""A run that is killed at any moment harms nothing: what is published stays whole, the next run needs no help."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb
import pytest

from propsync_sandbox import Sandbox

KILLS = int(os.environ.get("KILLS", "6"))
"""Moments, spread evenly; `KILLS=100` takes some minutes."""

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


def wait_for_the_lock(process: subprocess.Popen[bytes], home: Path) -> None:
    """Until the run is at work: what comes before is Python starting, which a kill cannot harm."""
    lock = home / "state" / "run.lock"
    while process.poll() is None:
        with suppress(FileNotFoundError, ValueError, KeyError):
            if json.loads(lock.read_text())["pid"] == process.pid:
                return
        time.sleep(0.002)


def is_killed_after(seconds: float, sandbox: Sandbox, home: Path) -> bool:
    """Lets a night pass and kills the run that follows; false where that ended sooner, well."""
    sandbox.night()
    process = start(sandbox, home)
    wait_for_the_lock(process, home)
    try:
        _, told = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.communicate()
        return True
    assert process.returncode == 0, told.decode()
    return False


def sync(sandbox: Sandbox, home: Path) -> float:
    """A whole run; returns the seconds that it was at work."""
    process = start(sandbox, home)
    wait_for_the_lock(process, home)
    began = time.monotonic()
    _, told = process.communicate()
    assert process.returncode == 0, told.decode()
    return time.monotonic() - began


def shown(path: Path) -> dict[str, dict[Any, str]]:
    """What is published, by resource and key."""
    with duckdb.connect(path, read_only=True) as published:
        return {
            "assets": dict(published.execute("select asset_id, property_id from assets").fetchall()),
            "assessments": dict(published.execute("select assessment_id, property_id from assessments").fetchall()),
            "schedules": {
                (property_id, type_id): property_id
                for property_id, type_id in published.execute(
                    "select property_id, assessment_type_id from schedules"
                ).fetchall()
            },
        }


@pytest.mark.timeout(120 + 20 * KILLS)
def test_killed_at_moments_all_over_a_sync_and_right_after_each(tmp_path: Path):
    home = tmp_path / "home"
    path = home / "published" / "warehouse.duckdb"
    with Sandbox(scale=160, seed=21) as sandbox:
        sync(sandbox, home)
        sandbox.night()
        length = sync(sandbox, home)
        for number in range(KILLS):
            moment = (number + 0.5) / KILLS * length
            while not is_killed_after(moment, sandbox, home):
                moment *= 0.8  # the machine is quicker now
            assert read_whole(path) > 2_000
            sync(sandbox, home)
            truth = {name: sandbox.world.truth(name) for name in ("assets", "assessments", "schedules")}
            assert shown(path) == {
                name: {key: record["property"] for key, record in records.items()} for name, records in truth.items()
            }
        assert not path.with_suffix(".duckdb.wal").exists()
    with duckdb.connect(path, read_only=True) as published:
        statuses = dict(published.execute("select status, count(*) from ops.runs group by all").fetchall())
        # every run was killed, but one that was publishing had ended, and one that had just begun had told nobody
        assert statuses["killed"] >= 1
        assert set(statuses) <= {"ok", "killed"}
        for table in ("assets", "assessments", "schedules"):
            key = (
                "asset_id"
                if table == "assets"
                else "assessment_id"
                if table == "assessments"
                else "property_id, assessment_type_id"
            )
            open_rows = f"select count(*), count(distinct ({key})) from history.{table} where valid_to is null"
            rows, keys = published.execute(open_rows).fetchall()[0]
            assert rows == keys
