"""Promises of progress: it suits the place, and leaves no trace of quick work."""

import io
import logging
import time
from datetime import UTC, datetime
from typing import Any

import pytest

from propsync import log
from propsync.cli.terminal import lines
from propsync.progress import LineProgress, progress, watched

SECRET = "t0k/en+secret=="


@pytest.fixture(autouse=True)
def _undo():
    yield
    lines.configure(logging.WARNING, io.StringIO())


@pytest.fixture
def stream():
    stream = io.StringIO()
    lines.configure("DEBUG", stream)
    return stream


def test_elsewhere_than_on_a_terminal_progress_is_a_line_every_ten_seconds(stream):
    now = [0.0]
    bar = LineProgress("assets", None, "pages", lambda: now[0])
    for _ in range(25):
        now[0] += 1
        bar.total = 25
        bar.advance()
    bar.finish()
    told = [line.split("progress ")[1] for line in stream.getvalue().splitlines()]
    assert told == ["assets: 10 of 25 pages", "assets: 20 of 25 pages", "assets: 25 of 25 pages"]


def test_the_end_repeats_no_line(stream):
    now = [0.0]
    bar = LineProgress("Backfilling", 1, "chunks", lambda: now[0])
    now[0] = 11
    bar.advance()
    bar.finish()
    assert stream.getvalue().count("Backfilling: 1 of 1 chunks") == 1


def test_quick_work_leaves_no_progress_lines(stream):
    with progress("quick", 3, "pages") as bar:
        bar.advance(3)
    assert stream.getvalue() == ""


def test_on_a_terminal_bars_may_be_nested_and_lines_are_redacted():
    stream = io.StringIO()
    lines.configure("INFO", stream, interactive=True)
    log.conceal(SECRET)
    with progress("outer", 2, "lists") as outer, progress("inner") as inner:
        inner.total = 5
        inner.advance(2)
        outer.advance()
        logging.getLogger("propsync").info("sent %s", SECRET)
        assert inner.total == 5
    assert "[redacted]" in stream.getvalue()
    assert SECRET not in stream.getvalue()


def test_on_a_terminal_a_line_has_its_time_in_utc(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    try:
        stream = io.StringIO()
        lines.configure("INFO", stream, interactive=True)
        record = logging.LogRecord("propsync", logging.INFO, __file__, 1, "a line", None, None)
        record.created = datetime(2026, 11, 30, 23, 49, 8, tzinfo=UTC).timestamp()
        logging.getLogger("propsync").handle(record)
    finally:
        monkeypatch.undo()
        time.tzset()
    assert stream.getvalue().startswith("2026-11-30T23:49:08Z")


def test_where_bytes_are_counted_the_line_tells_the_rate_and_the_time_left(stream):
    now = [0.0]
    bar = LineProgress("Archiving", 400, "documents", lambda: now[0])
    for _ in range(20):
        now[0] += 1
        bar.advance(2, 3_000_000)
    told = [line.split("progress ")[1] for line in stream.getvalue().splitlines()]
    assert told == [
        "Archiving: 20 of 400 documents, 30.0 MB at 3.0 MB/s, 3 min left",
        "Archiving: 40 of 400 documents, 60.0 MB at 3.0 MB/s, 3 min left",
    ]


def test_on_a_terminal_the_rate_stands_beside_the_bar():
    lines.configure("INFO", io.StringIO(), interactive=True)
    with progress("Archiving", 2, "documents") as bar:
        bar.advance(1, 5_000_000)
        bar.advance(1, 5_000_000)
        bars: Any = bar
        (task,) = bars._bars.tasks
        assert (task.completed, task.fields["traffic"][:10]) == (2, "10.0 MB at")


def test_who_watches_is_told_what_the_lines_tell_and_nothing_afterwards(stream):
    now, told = [0.0], []
    with watched(lambda *one: told.append(one)):
        bar = LineProgress("Archiving", 40, "documents", lambda: now[0])
        for _ in range(20):
            now[0] += 1
            bar.advance(1, 500_000)
        LineProgress("quick", 1, "pages", lambda: now[0]).advance()
    now[0] += 60
    bar.advance()
    assert [(description, done, total) for description, done, total, _ in told] == [
        ("Archiving", 10, 40),
        ("Archiving", 20, 40),
    ]
    assert told[1][3] == "Archiving: 20 of 40 documents, 10.0 MB at 0.5 MB/s, 20 s left"
