"""A receiver reads every few minutes, and a problem that stays is worth one notice a day."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from kit.hint_home import HintHome, assessment_hint
from kit.notices import NoticeReceiver
from kit.small_api import SmallHome

from propsync.errors import Busy
from propsync.runbooks import read_hints
from propsync.runs import RunLock
from propsync.storage import LocalStorage
from propsync.webhook.inbox import Inbox, Post

AWAY = [{"effect": {"kind": "status", "status": 503}}]


@pytest.fixture
def chat() -> Iterator[NoticeReceiver]:
    one = NoticeReceiver()
    yield one
    one.close()


def _read(home: HintHome, chat: NoticeReceiver) -> int:
    """Reads a hint, and returns the number of notices up to then."""
    (key,) = home.column("select assessment_id from assessments where status = 'approved' order by 1 limit 1")
    home.wait(minutes=40)
    home.hint(assessment_hint(key))
    home.read(notify_url=chat.url, lock_wait=0)
    return len(chat.got)


@pytest.mark.slow
def test_a_problem_that_stays_is_told_once_a_day(home: HintHome, chat: NoticeReceiver) -> None:
    home.sandbox.set_faults(AWAY)
    assert [_read(home, chat) for _ in range(3)] == [1, 1, 1]
    note = home.path / "state" / "hints" / "notice.json"
    told = json.loads(note.read_bytes())
    yesterday = datetime.fromisoformat(told["at"]) - timedelta(days=1)
    note.write_text(json.dumps(told | {"at": yesterday.isoformat()}))
    assert [_read(home, chat) for _ in range(2)] == [2, 2]
    home.sandbox.set_faults([])
    assert _read(home, chat) == 2
    home.sandbox.set_faults(AWAY)
    assert [_read(home, chat) for _ in range(2)] == [3, 3]
    note.write_text("{")
    assert _read(home, chat) == 4


@pytest.mark.costly
@pytest.mark.parametrize("at", ["2999-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2026-01-01T00:00:00"])
def test_a_note_of_a_wrong_clock_silences_nothing(home: HintHome, chat: NoticeReceiver, at: str) -> None:
    home.sandbox.set_faults(AWAY)
    assert _read(home, chat) == 1
    note = home.path / "state" / "hints" / "notice.json"
    note.write_text(json.dumps(json.loads(note.read_bytes()) | {"at": at}))
    assert [_read(home, chat) for _ in range(2)] == [2, 2]


@pytest.mark.slow
def test_a_note_that_nobody_can_read_silences_nothing(home: HintHome, chat: NoticeReceiver) -> None:
    home.sandbox.set_faults(AWAY)
    note = home.path / "state" / "hints" / "notice.json"
    note.parent.mkdir(parents=True, exist_ok=True)
    note.symlink_to(note)
    assert [_read(home, chat) for _ in range(2)] == [1, 1]
    note.write_text("[" * 100_000)
    assert _read(home, chat) == 2
    note.unlink()
    note.mkdir()
    assert [_read(home, chat) for _ in range(2)] == [3, 4]


def test_a_problem_that_nobody_heard_of_is_told_again(home: HintHome, chat: NoticeReceiver) -> None:
    home.sandbox.set_faults(AWAY)
    chat.status = 500
    assert _read(home, chat) == 1
    chat.status = 200
    assert [_read(home, chat) for _ in range(2)] == [2, 2]


def test_a_run_at_work_is_no_problem(home: HintHome, chat: NoticeReceiver) -> None:
    with RunLock(home.path / "state" / "run.lock").held("propsync nightly", 0), pytest.raises(Busy):
        _read(home, chat)
    assert chat.got == []


def test_an_api_that_fails_is_told_and_the_hint_waits(home: HintHome) -> None:
    home.sandbox.set_faults(AWAY)
    (key,) = home.column("select assessment_id from assessments where status = 'approved' order by 1 limit 1")
    home.hint(assessment_hint(key))
    report = home.read()
    assert report.exit_code == 3
    (line,) = report.left_behind
    assert line.startswith("assessments: propsync could not look up all that hints name, so 1 of 1 records wait")
    assert "503" in line
    assert home.states() == ["waiting"]


@pytest.mark.parametrize(
    ("is_empty", "why"),
    [(False, "the API ignores the ids in the request"), (True, "look-ups show nothing, not even known records")],
)
def test_an_api_whose_look_ups_say_nothing_is_told(small_nights: SmallHome, *, is_empty: bool, why: str) -> None:
    """Nobody would know that each hint waits for the night."""
    home, api = small_nights, small_nights.server
    home.sync()
    nothing = (200, {"total": 0, "assessments": []})
    api.answer = lambda _, query: nothing if is_empty and "assessment" in query else None
    now = datetime.now(UTC) + timedelta(hours=1)
    Inbox(LocalStorage(home.path)).add([Post(now, json.dumps([assessment_hint("s1")]).encode())])
    report = read_hints(home.settings(), call=home.call, policy=home.policy, now=now)
    assert report.exit_code == 3
    told = f"assessments: propsync could not look up all that hints name, so 1 of 1 records wait: {why}"
    assert report.left_behind == [told]
