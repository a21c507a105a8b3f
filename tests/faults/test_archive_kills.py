"""An archive run that is killed at any moment leaves no half file, forgets nothing that it noted, harms no table."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import duckdb
import pytest
from kit.archives import SMALL, Pair, Place, flaws, noted, place
from kit.home import Rows
from kit.kills import is_killed_after, numbers, seconds_at_work, spread, started, wait_for_the_lock

_ARCHIVE = """
import sys
from propsync.runbooks import archive
from propsync.settings import load_settings
sys.modules["propsync.runbooks.archiving.archive"]._CHUNK = 6  # so that there are as many chunks as in a long run
sys.exit(archive(load_settings()).exit_code)
"""
_SYNC = """
from propsync.runbooks import nightly
from propsync.settings import load_settings
raise SystemExit(nightly(load_settings()).exit_code)
"""


def recorded(home: Path) -> set[Pair]:
    with duckdb.connect(home / "state" / "warehouse.duckdb") as state:
        return {*state.execute("select assessment_id, kind from documents").fetchall()}


def program(text: str) -> list[str]:
    return [sys.executable, "-X", "faulthandler", "-c", text]  # one that crashes says where


def archive_killed_after(seconds: float, made: Place) -> bool:
    process = started(made, program(_ARCHIVE), archive_text="true")
    wait_for_the_lock(process, made.path / "archive" / "archive.lock")
    return is_killed_after(seconds, process)


def documents(made: Place) -> Rows:
    return made.rows("select assessment_id, kind, version, is_latest, state, sha256 from documents order by all")


@pytest.mark.release
@pytest.mark.costly
@pytest.mark.parametrize("number", numbers(daily=1))
def test_killed_at_moments_all_over_an_archive_run_nothing_is_half_and_nothing_is_fetched_twice(
    synced: Path, tmp_path: Path, number: int
) -> None:
    with place(tmp_path / "whole", synced) as made:
        process = started(made, program(_ARCHIVE), archive_text="true")
        length = seconds_at_work(process, made.path / "archive" / "archive.lock")
        whole = documents(made)
        tables = {name: made.rows(f"from {name} order by all") for name in ("bundle_actions", "document_text")}
    for moment in spread(number, length):
        with place(tmp_path / f"home {moment}", synced) as made:
            while not archive_killed_after(moment, made):
                moment *= 0.7  # the machine is quicker now
                shutil.rmtree(made.path)
                shutil.copytree(synced, made.path)
            kept = recorded(made.path) | noted(made.path)
            assert flaws(made.path) == []
            made.asked()
            assert made.archive(archive_text="true").exit_code == 0
            asked = made.asked()
            assert not kept & set(asked)
            assert set(asked) == made.pairs() - kept
            assert made.differing() == set()
            assert documents(made) == whole
            assert {name: made.rows(f"from {name} order by all") for name in tables} == tables
            assert noted(made.path) == set()
            assert [*(made.path / "archive" / "partial").iterdir()] == []
            assert not made.rows("from documents where read_at is null")


@pytest.mark.release
@pytest.mark.costly
@pytest.mark.parametrize("number", numbers(daily=1))
def test_after_a_sync_that_was_killed_documents_are_archived_and_the_tables_stay_sound(
    archived_small: Path, tmp_path: Path, number: int
) -> None:
    with place(tmp_path / "home", archived_small, scale=SMALL) as made:
        lock = made.path / "state" / "run.lock"
        made.edit(*made.wanted()[:3])
        length = seconds_at_work(started(made, program(_SYNC)), lock)
        for moment in spread(number, length):
            made.edit(*made.wanted()[:3])
            made.sandbox.world.assessments.add(status="approved", performed=("For",))
            process = started(made, program(_SYNC))
            wait_for_the_lock(process, lock)
            is_killed_after(moment, process)
            assert made.archive().exit_code == 0
            count = made.rows("select count(*) from assessments")[0][0]
            assert count >= len(made.sandbox.world.assessments) - number
        made.sync()
        made.archive()
        assert made.differing() == set()
