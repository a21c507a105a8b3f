"""An archive run that is killed at any moment leaves no half file, forgets nothing that it noted, harms no table."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import duckdb
import pytest
from contract.archives import Pair, Place, flaws, noted, place

KILLS = int(os.environ.get("KILLS", "4"))
"""Moments, spread evenly; `KILLS=20` takes a minute."""

_ARCHIVE = """
import sys
from propsync.runbooks import archive
from propsync.settings import load_settings
sys.modules["propsync.runbooks.archive"]._CHUNK = 6  # so that there are as many chunks as in a long run
sys.exit(archive(load_settings()).exit_code)
"""
_SYNC = """
from propsync.runbooks import nightly
from propsync.settings import load_settings
raise SystemExit(nightly(load_settings()).exit_code)
"""


def start(made: Place, program: str, **settings: str) -> subprocess.Popen[bytes]:
    given = {"base_url": made.sandbox.base_url, "token": made.sandbox.token, "home": str(made.home)} | settings
    environ = os.environ | {f"PROPSYNC_{name.upper()}": text for name, text in given.items()}
    command = [sys.executable, "-X", "faulthandler", "-c", program]  # one that crashes says where
    return subprocess.Popen(command, env=environ, stderr=subprocess.PIPE)


def wait_for_the_lock(process: subprocess.Popen[bytes], lock: Path) -> None:
    """Until the run is at work: what comes before is Python starting, which a kill cannot harm."""
    while process.poll() is None:
        with suppress(FileNotFoundError, ValueError, KeyError):
            if json.loads(lock.read_text())["pid"] == process.pid:
                return
        time.sleep(0.002)


def is_killed_after(seconds: float, process: subprocess.Popen[bytes]) -> bool:
    """False where it ended sooner, well."""
    try:
        _, told = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.communicate()
        return True
    assert process.returncode == 0, told.decode()
    return False


def recorded(home: Path) -> set[Pair]:
    with duckdb.connect(home / "state" / "warehouse.duckdb") as state:
        return {*state.execute("select assessment_id, kind from documents").fetchall()}


@pytest.fixture(scope="module")
def synced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home after its first sync; to be copied, not used."""
    home = tmp_path_factory.mktemp("synced") / "home"
    with place(home) as made:
        assert made.sync().exit_code == 0
    return home


def archive_killed_after(seconds: float, made: Place) -> bool:
    process = start(made, _ARCHIVE, archive_text="true")
    wait_for_the_lock(process, made.home / "archive" / "archive.lock")
    return is_killed_after(seconds, process)


@pytest.mark.timeout(60 + 20 * KILLS)
def test_killed_at_moments_all_over_an_archive_run_nothing_is_half_and_nothing_is_fetched_twice(
    synced: Path, tmp_path: Path
) -> None:
    with place(tmp_path / "whole", synced) as made:
        began = time.monotonic()
        assert not archive_killed_after(60, made)
        length = time.monotonic() - began
        whole = made.rows("select assessment_id, kind, version, is_latest, state, sha256 from documents order by all")
        tables = {name: made.rows(f"from {name} order by all") for name in ("bundle_actions", "document_text")}
    for number in range(KILLS):
        moment = (number + 0.5) / KILLS * length
        with place(tmp_path / f"home {number}", synced) as made:
            while not archive_killed_after(moment, made):
                moment *= 0.7  # the machine is quicker now
                shutil.rmtree(made.home)
                shutil.copytree(synced, made.home)
            kept = recorded(made.home) | noted(made.home)
            assert flaws(made.home) == []
            made.asked()
            assert made.archive(archive_text="true").exit_code == 0
            asked = made.asked()
            assert not kept & set(asked)
            assert set(asked) == made.pairs() - kept
            assert made.differing() == set()
            columns = "select assessment_id, kind, version, is_latest, state, sha256 from documents order by all"
            assert made.rows(columns) == whole
            assert {name: made.rows(f"from {name} order by all") for name in tables} == tables
            assert noted(made.home) == set()
            assert [*(made.home / "archive" / "partial").iterdir()] == []
            assert not made.rows("from documents where read_at is null")


def test_after_a_sync_that_was_killed_documents_are_archived_and_the_tables_stay_sound(
    synced: Path, tmp_path: Path
) -> None:
    with place(tmp_path / "home", synced) as made:
        process = start(made, _SYNC)
        wait_for_the_lock(process, made.home / "state" / "run.lock")
        began = time.monotonic()
        assert not is_killed_after(60, process)
        length = time.monotonic() - began
        for number in range(KILLS):
            made.edit(*made.wanted()[:3])
            made.sandbox.world.assessments.add(status="approved", performed=("For",))
            process = start(made, _SYNC)
            wait_for_the_lock(process, made.home / "state" / "run.lock")
            is_killed_after((number + 0.5) / KILLS * length, process)
            assert made.archive().exit_code == 0
            count = "select count(*) from assessments"
            assert made.rows(count)[0][0] >= len(made.sandbox.world.assessments) - KILLS
        made.sync()
        made.archive()
        assert made.differing() == set()
