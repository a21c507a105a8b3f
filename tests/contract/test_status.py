"""`propsync status` tells how the last sync ended, and what went wrong since; runs on documents hide nothing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any, Self

import pytest
from kit.archives import SMALL, Place, place
from kit.small_api import SmallHome, asset

from propsync.cli.status.command import print_status
from propsync.errors import TokenRefused, UsageError
from propsync.runbooks import Scope, erase
from propsync.runs import RunLock


@pytest.fixture
def at(synced_small: Path, tmp_path: Path) -> Iterator[Place]:
    with place(tmp_path / "home", synced_small, scale=SMALL) as made:
        yield made


@pytest.fixture
def told(at: Place, capsys: pytest.CaptureFixture[str]):
    """The output of `propsync status`, as a mapping and as lines."""

    def tell() -> tuple[dict[str, Any], list[str]]:
        capsys.readouterr()
        assert print_status(at.settings(), None, as_json=True) == 0
        status = json.loads(capsys.readouterr().out)
        print_status(at.settings(), None, as_json=False)
        return status, capsys.readouterr().out.splitlines()

    return tell


def flows(at: Place) -> list[tuple[str, str]]:
    return at.rows("select flow, status from ops.runs order by run_id")


@pytest.mark.release
def test_documents_that_came_well_do_not_hide_what_the_sync_left_behind(at: Place, told):
    at.fail("/properties/assets", kind="status", status=400)
    report = at.night()
    assert report.documents is not None
    assert (report.exit_code, report.documents["stored"] > 0) == (3, True)
    assert flows(at)[-1] == ("archive", "ok")
    status, lines = told()
    assert (status["status"], status["run_id"], status["left_behind"]) == (
        "attention",
        report.run_id,
        report.left_behind,
    )
    assert lines[0].endswith(f"run {report.run_id}, attention")
    assert f"Left behind: {report.left_behind[0]}" in lines
    assert lines[-1] == "Next: propsync sync"
    at.sandbox.set_faults([])
    assert at.night().exit_code == 0
    status, lines = told()
    assert (status["status"], status["left_behind"]) == ("ok", [])
    assert not any(line.startswith("Left behind") for line in lines)


@pytest.mark.release
def test_what_went_wrong_after_the_sync_is_told_until_the_next_one(at: Place, told):
    at.fail("/properties/assets", kind="status", status=400)
    (here,) = at.rows("select property_id from assets limit 1")[0]
    left = at.backfill(Scope(properties=(here,)))
    assert left.exit_code == 3
    at.sandbox.set_faults([])
    assert at.backfill(Scope(properties=(here,))).exit_code == 0
    assert at.archive().exit_code == 0
    status, _ = told()
    assert (status["status"], status["run_id"], status["left_behind"]) == ("attention", left.run_id, left.left_behind)
    at.sync()
    assert told()[0]["status"] == "ok"


@pytest.mark.release
def test_of_runs_on_documents_the_last_one_tells(at: Place, told):
    at.fail(f".*{at.wanted()[0]}.*pdf", kind="status", status=500)
    came = at.archive()
    assert came.exit_code == 3
    status, _ = told()
    assert (status["status"], status["left_behind"]) == ("attention", came.left_behind)
    at.sandbox.set_faults([])
    at.days_pass(1)
    assert at.archive().exit_code == 0
    assert told()[0]["status"] == "ok"


@pytest.mark.release
def test_a_run_on_documents_that_was_refused_is_told(at: Place, told):
    at.fail(".*", kind="status", status=401)
    with pytest.raises(TokenRefused):
        at.archive()
    status, lines = told()
    assert status["status"] == "attention"
    assert any(line.startswith("Left behind: ") and "PROPSYNC_TOKEN" in line for line in lines)


@pytest.mark.release
def test_a_run_on_documents_that_reached_nothing_is_told_though_no_table_changed(at: Place, told):
    at.archive()
    at.sandbox.stop()
    assert at.archive(archive_statuses="submitted").exit_code == 3
    status, _ = told()
    assert status["status"] == "attention"


def test_published_files_that_are_gone_are_no_failed_night(at: Place, capsys: pytest.CaptureFixture[str]):
    shutil.rmtree(at.path / "published")
    print_status(at.settings(), None, as_json=False)
    printed = capsys.readouterr().out
    assert "or somebody has removed the files since" in printed
    assert printed.endswith("Next: propsync sync\n")
    at.state.unlink()
    print_status(at.settings(), None, as_json=False)
    assert capsys.readouterr().out.endswith("Next: propsync rebuild\n")


def test_after_a_clock_was_ahead_the_watchdog_sees_the_true_time_and_each_run_warns(
    at: Place, told, caplog: pytest.LogCaptureFixture
):
    at.in_state("update ops.runs set started_at = started_at + interval 1 year, ended_at = ended_at + interval 1 year")
    report = at.sync()
    (started,) = at.rows("select started_at from ops.runs where run_id = ?", report.run_id)[0]
    assert started > datetime.now(UTC) + timedelta(days=300)  # later than any run before it
    assert "the clock of this machine is behind it. Until then, history dates each change with that time" in caplog.text
    assert "the marts count days up to it" in report.notes[0]  # so the notice of a timetable says it too
    status, _ = told()
    assert datetime.fromisoformat(status["published_at"]) <= datetime.now(UTC)
    assert max(datetime.fromisoformat(one["read_at"]) for one in status["resources"]) <= datetime.now(UTC)
    assert print_status(at.settings(), "26h", as_json=False) == 0
    assert print_status(at.settings(), "0m", as_json=False) == 3
    at.fail(".*", kind="status", status=401)
    with pytest.raises(TokenRefused):
        at.sync()
    assert "failed" in told()[0]["trouble"]


def test_a_home_that_no_sync_has_read_is_not_fresh_however_often_parts_are_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    with place(tmp_path / "home", scale=SMALL) as at:
        assert at.backfill(Scope(properties=("P1",))).exit_code == 0
        assert print_status(at.settings(), None, as_json=False) == 0
        assert " rows  no sync has read them yet, only a run that reads a part\n" in capsys.readouterr().out
        assert print_status(at.settings(), "26h", as_json=False) == 3
        last = "No sync has published yet, only runs that read a part. Next: propsync sync\n"
        assert capsys.readouterr().out.endswith(last)
        assert print_status(at.settings(), "26h", as_json=True) == 3
        assert json.loads(capsys.readouterr().out)["was_synced"] is False
        at.sync()
        assert print_status(at.settings(), "26h", as_json=False) == 0
        assert "only a run that reads a part" not in capsys.readouterr().out


def test_a_copy_is_as_old_as_the_resource_that_no_sync_reads(at: Place, capsys: pytest.CaptureFixture[str]):
    at.in_state("update ops.runs set started_at = started_at - interval 2 day, ended_at = ended_at - interval 2 day")
    at.sync(only=("assets",))
    assert print_status(at.settings(), "26h", as_json=False) == 3
    last = capsys.readouterr().out.splitlines()[-1]
    others = "assessment_types, assessments, schedules"
    assert last == f"Older than 26h: {others}. A nightly run is missing. Next: propsync sync"
    at.fail(".*/schedules", kind="status", status=400)
    assert at.sync().exit_code == 3
    assert print_status(at.settings(), "26h", as_json=True) == 3
    assert json.loads(capsys.readouterr().out)["old"] == ["schedules"]
    at.sandbox.set_faults([])
    at.sync()
    assert print_status(at.settings(), "26h", as_json=False) == 0


@pytest.mark.parametrize("what", ["propsync archive", "propsync erase --dry-run", "propsync dashboard"])
def test_no_command_that_reads_no_tables_hides_that_the_last_sync_failed(at: Place, told, what: str):
    lock = RunLock(at.settings().state / "run.lock")
    with pytest.raises(TokenRefused), lock.held("propsync nightly", 0):
        raise TokenRefused("GET /properties/assets", "the API answered 401")
    for _ in range(2):
        with lock.held(what, 0):
            pass
    status, lines = told()
    assert "failed: GET /properties/assets: the API answered 401" in status["trouble"]
    assert status["trouble"] in lines
    at.sync()
    assert told()[0]["trouble"] is None


def test_a_sync_settles_a_failure_whose_clock_was_ahead(at: Place, told):
    lock = RunLock(at.settings().state / "run.lock")
    with pytest.raises(TokenRefused), lock.held("propsync backfill", 0):
        raise TokenRefused("GET /properties/assets", "the API answered 401")
    note = json.loads(lock.path.read_text())
    ahead = {
        name: (datetime.fromisoformat(note[name]) + timedelta(days=400)).isoformat() for name in ("since", "ended")
    }
    lock.path.write_text(json.dumps(note | ahead))
    assert "failed: GET /properties/assets: the API answered 401" in told()[0]["trouble"]
    at.sync()
    with lock.held("propsync archive", 0):
        pass
    assert told()[0]["trouble"] is None


def test_a_wrong_option_is_no_run_that_failed(at: Place, told):
    with pytest.raises(UsageError):
        erase(at.settings(), None)
    assert told()[0]["trouble"] is None


def test_an_erasure_keeps_no_error_of_earlier_runs(at: Place):
    lock = RunLock(at.settings().state / "run.lock")
    with pytest.raises(TokenRefused), lock.held("propsync nightly", 0):
        raise TokenRefused("GET /properties/assets?id=Secret1", "the API answered 401")
    with lock.held("propsync archive", 0):
        pass
    assert b"Secret1" in lock.path.read_bytes()
    with lock.held("propsync erase", 0, is_erasing=True):
        assert b"Secret1" not in lock.path.read_bytes()


class Cancelled(BaseException):
    """Prefect's way to stop a run, which is no KeyboardInterrupt."""


@pytest.mark.parametrize("stop", [KeyboardInterrupt, Cancelled])
def test_a_run_that_somebody_stopped_was_interrupted_and_did_not_fail(at: Place, told, stop: type[BaseException]):
    with pytest.raises(stop), RunLock(at.settings().state / "run.lock").held("propsync nightly", 0):
        raise stop
    status, lines = told()
    assert status["trouble"].endswith(" UTC was interrupted")
    assert status["trouble"] in lines
    assert lines[-1] == "Next: propsync sync"


class TwoDaysAgo(datetime):
    """A clock that is behind."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return super().now(tz) - timedelta(days=2)


def test_a_sync_during_which_somebody_set_the_clock_back_did_not_fail(at: Place, told, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("propsync.runs.journal.datetime", TwoDaysAgo)
    at.sync()
    lock = RunLock(at.settings().state / "run.lock")
    note = json.loads(lock.path.read_text())
    ended = datetime.fromisoformat(note["ended"]) - timedelta(days=2)
    lock.path.write_text(json.dumps(note | {"ended": ended.isoformat()}))
    assert told()[0]["trouble"] is None
    with lock.held("propsync nightly", 0):
        pass
    assert "failed: nothing could be read" in told()[0]["trouble"]


def test_tables_of_a_time_to_come_are_not_fresh(at: Place, told, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("propsync.cli.status.command.datetime", TwoDaysAgo)
    assert print_status(at.settings(), "26h", as_json=False) == 3
    assert told()[1][-1].startswith("The tables are dated in the future: correct the clock")


class ThreeDaysAhead(datetime):
    """The clock of somebody who looks later."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return super().now(tz) + timedelta(days=3)


def test_a_timetable_that_stopped_is_told_also_without_a_limit(at: Place, told, monkeypatch: pytest.MonkeyPatch):
    assert told()[1][-1] == "Next: propsync query --tables"
    monkeypatch.setattr("propsync.cli.status.words.datetime", ThreeDaysAhead)
    assert told()[1][-1] == "The last sync was 3 days ago. Next: propsync sync"


def test_older_tables_beside_newer_landing_are_told(small_nights: SmallHome, capsys: pytest.CaptureFixture[str]):
    home, told = small_nights, "Landed and not in these tables: 1 run, the last of "
    home.sync()
    for folder in ("state", "published"):
        shutil.copytree(home.path / folder, home.path.parent / folder)
    home.server.assets[0] = asset("a0", property="p7")
    home.sync()
    for folder in ("state", "published"):
        shutil.rmtree(home.path / folder)
        shutil.copytree(home.path.parent / folder, home.path / folder)
    for is_there in (True, False):
        capsys.readouterr()
        print_status(home.settings(), None, as_json=False)
        lines = capsys.readouterr().out.splitlines()
        assert any(line.startswith(told) for line in lines) is is_there
        assert (lines[-1] == "Next: propsync sync") is is_there
        home.sync()
