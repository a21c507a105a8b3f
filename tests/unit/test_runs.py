"""Promises of runs: ids that sort by time, verdicts, and one run at a time."""

import errno
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from threading import Timer

import pytest
from hypothesis import given
from hypothesis import strategies as st

from propsync.errors import Busy, DiskFull
from propsync.runs import RunLock, Verdict, exit_code, next_run, run_status

seconds = st.floats(0, 7e9)
moments = seconds.map(lambda second: datetime.fromtimestamp(second, UTC))
zones = st.integers(-14, 14).map(lambda hours: timezone(timedelta(hours=hours)))


@given(st.lists(moments, min_size=2, max_size=8), zones)
def test_each_run_is_later_than_any_before_whatever_the_clock_says(clock, zone):
    last, runs = None, []
    for now in clock:
        runs.append(next_run("nightly", last, now))
        last = runs[-1].time.astimezone(zone)  # DuckDB tells times in the computer's own zone
    assert all(one.time < other.time for one, other in pairwise(runs))
    assert all(one.run_id < other.run_id for one, other in pairwise(runs))


@given(moments, moments)
def test_ids_sort_as_their_times_do(one, other):
    first, second = next_run("nightly", None, one), next_run("backfill", None, other)
    assert (first.run_id < second.run_id) is (one < other)
    assert (first.run_id == second.run_id) is (one == other)


def test_a_run_s_time_is_the_clock_s_where_the_clock_went_on():
    now = datetime(2026, 3, 29, 1, 30, tzinfo=UTC)
    run = next_run("nightly", now - timedelta(days=1), now)
    assert (run.time, run.run_id, run.flow) == (now, "20260329T013000000000Z", "nightly")
    assert abs(next_run("nightly", None).time - datetime.now(UTC)) < timedelta(minutes=1)


@given(st.dictionaries(st.sampled_from(["assets", "assessments", "schedules"]), st.sampled_from(Verdict)))
def test_a_run_is_ok_only_if_every_resource_was_read_completely_and_failed_only_if_none_was(verdicts):
    found = set(verdicts.values())
    status = run_status(verdicts)
    assert (status == "ok") is (found <= {Verdict.CERTIFIED, Verdict.AGREED})
    assert (status == "failed") is (found == {Verdict.FAILED})
    assert exit_code(status) == {"ok": 0, "attention": 3, "failed": 1}[status]


def test_a_killed_run_published_nothing():
    assert exit_code("killed") == 1


HOLDER = """
import sys, time
from pathlib import Path
from propsync.runs import RunLock
with RunLock(Path(sys.argv[1])).held("nightly", 0):
    print("held", flush=True)
    sys.stdin.readline()
"""


NOTE = '{"what": "nightly", "pid": 1, "host": "here", "since": "2026-01-31T00:00:00Z"}'


@pytest.fixture
def lock(tmp_path):
    return RunLock(tmp_path / "run.lock")


@pytest.fixture
def holder(lock):
    """Another process that holds the lock until it reads a line."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, lock.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


def test_a_second_process_waits_then_says_who_is_at_work(lock, holder):
    started = time.monotonic()
    told = rf"^backfill: nightly \(process {holder.pid} on .*\) is at work"
    with pytest.raises(Busy, match=told) as caught, lock.held("backfill", 0.5):
        pytest.fail("two hold the lock")
    assert 0.5 <= time.monotonic() - started < 5
    assert caught.value.exit_code == 4
    assert lock.is_held()
    assert lock.owner().what == "nightly"  # waiting has not wiped the name


def test_a_process_that_waits_gets_the_lock_when_the_holder_ends(lock, holder):
    holder.stdin.write("\n")
    holder.stdin.flush()
    with lock.held("backfill", 20):
        assert lock.owner().what == "backfill"
        assert lock.owner().ended is None


def test_the_death_of_the_holder_frees_the_lock(lock, holder):
    assert lock.is_held()
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert not lock.is_held()
    assert lock.owner().ended is None  # it had no time to say so
    with lock.held("nightly", 0):
        assert lock.is_held()


def test_a_run_that_does_not_wait_begins_after_a_look_at_the_lock(lock):
    """Such as that of `propsync status`, which keeps runs away while it opens the state database."""
    with lock.held("nightly", 0):
        pass
    with ExitStack() as look:
        assert look.enter_context(lock.looking())
        end = Timer(0.5, look.pop_all().close)
        end.start()
        with lock.held("nightly", 0):
            assert lock.owner().ended is None
        end.join()


def test_programs_that_the_holder_starts_do_not_inherit_the_lock(lock):
    with lock.held("nightly", 0):
        child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    try:
        assert not lock.is_held()
    finally:
        child.communicate()


def test_a_disk_that_fails_at_the_end_hides_nothing_of_how_the_run_ended(lock, monkeypatch):
    def refuse(*_):
        raise OSError(errno.EROFS, "Read-only file system")

    def run(error=None):
        with monkeypatch.context() as patch, lock.held("nightly", 0):
            patch.setattr(os, "pwrite", refuse)
            if error:
                raise error

    run()
    with pytest.raises(DiskFull):
        run(DiskFull("/x", "the disk is full"))
    assert not lock.is_held()


def test_how_the_holder_ended_is_told_after_it(lock):
    with lock.held("nightly", 0):
        pass
    assert re.fullmatch(r"nightly \(process \d+ on .+, since \d{4}-\d\d-\d\d \d\d:\d\d UTC\)", lock.holder())
    assert lock.owner().ended
    assert lock.owner().error is None
    with pytest.raises(DiskFull), lock.held("nightly", 0):
        raise DiskFull("/x", "the disk is full")
    assert lock.owner().error.startswith("/x: the disk is full")
    with pytest.raises(ValueError, match="t0ken"), lock.held("nightly", 0):
        raise ValueError("t0ken")
    assert lock.owner().error == "ValueError"
    assert not lock.is_held()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "7",
        "{}",
        '{"pid": 1}',
        "[" * 9_999,
        NOTE.replace("2026", "x"),
        NOTE.replace("}", ', "before": [5]}'),
    ],
)
def test_a_lock_file_that_tells_nothing_is_another_run(lock, text):
    lock.path.write_text(text)
    assert lock.holder() == "another run"
    with lock.held("nightly", 0):
        assert json.loads(lock.path.read_text())["what"] == "nightly"


def test_the_last_note_of_each_command_stays(lock):
    for what in ("nightly", "archive", "nightly", "dashboard", "archive"):
        with lock.held(what, 0):
            pass
    assert [(note.what, note.before) for note in lock.notes()] == [("archive", []), ("dashboard", []), ("nightly", [])]


def test_an_error_whose_letters_nobody_can_write_is_told_after_it(lock):
    with pytest.raises(DiskFull), lock.held("nightly", 0):
        raise DiskFull("/x\udcff", "the disk is full")
    assert lock.owner().error.startswith("/x?: the disk is full")


def test_without_a_lock_file_nobody_holds_it(lock):
    assert not lock.is_held()
    assert lock.owner() is None
