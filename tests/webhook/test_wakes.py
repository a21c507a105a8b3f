"""A read comes some seconds after the first hint, when a look is due, and again after a failure."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from propsync.errors import StopRun
from propsync.storage import LocalStorage
from propsync.webhook import wakes
from propsync.webhook.next_look import NextLook, Spent
from propsync.webhook.wakes import Wakes


class Clock:
    """Notes when it is asked to read, and what it says then."""

    def __init__(self, *answers: datetime | Exception | None) -> None:
        self.began = time.monotonic()
        self.times: list[float] = []
        self._answers = list(answers)

    async def read(self) -> datetime | None:
        self.times.append(time.monotonic() - self.began)
        answer = self._answers.pop(0) if self._answers else None
        if isinstance(answer, Exception):
            raise answer
        return answer


def lived(
    clock: Clock, seconds: float, wait: float = 0.3, then: Callable[[Wakes], None] = lambda _: None
) -> list[float]:
    """The times of the reads; `then` is called after a tenth of a second."""

    async def live() -> None:
        made = Wakes(wait, clock.read, pause=0.05)
        running = asyncio.ensure_future(made.run())
        await asyncio.sleep(0.1)
        then(made)
        await asyncio.sleep(seconds)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(live())
    return clock.times


def test_hints_from_before_are_read_at_once_and_then_nothing():
    assert len(lived(Clock(), 0.5)) == 1


def test_many_hints_are_one_read_after_the_wait():
    def hints(made: Wakes) -> None:
        for _ in range(100):
            made.hint()

    _, second = lived(Clock(), 0.8, then=hints)
    assert 0.35 < second < 0.7


def test_a_look_that_is_due_later_is_read_then_unless_a_hint_comes_first():
    later = datetime.now(UTC) + timedelta(seconds=0.6)
    assert [round(one, 1) for one in lived(Clock(later), 1.0)][1:] in ([0.6], [0.7], [0.8])
    soon = lived(Clock(datetime.now(UTC) + timedelta(seconds=60)), 0.8, then=Wakes.hint)
    assert len(soon) == 2


@pytest.mark.slow
def test_a_read_that_fails_is_tried_again_and_each_time_twice_as_late(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr(wakes, "_AFTER_FAILURE", 0.2)
    monkeypatch.setattr(wakes, "_LONGEST", 0.4)
    clock = Clock(OSError("exit code 4"), StopRun("serve", "no answer"), ValueError("nonsense"))
    assert len(lived(clock, 1.7)) == 4
    assert "exit code 4. propsync tries again in 0.2 s" in caplog.text
    assert caplog.text.count("propsync tries again in 0.4 s") == 2


def test_no_hint_brings_a_read_forward_that_has_just_failed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(wakes, "_AFTER_FAILURE", 60.0)
    assert len(lived(Clock(OSError("exit code 1")), 0.8, then=Wakes.hint)) == 1


def test_an_error_that_nobody_expected_is_logged_with_its_trace_and_tried_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr(wakes, "_AFTER_FAILURE", 0.1)
    assert len(lived(Clock(TypeError("not subscriptable")), 0.6)) == 2
    assert "reading hints failed unexpectedly. propsync tries again in 0.1 s" in caplog.text
    assert "Traceback" in caplog.text
    assert "TypeError: not subscriptable" in caplog.text


def test_a_look_in_the_past_makes_no_storm():
    past = datetime.now(UTC) - timedelta(hours=1)
    assert len(lived(Clock(*[past] * 100), 1.0)) < 5


@pytest.mark.parametrize("look", [timedelta(minutes=1), None])
def test_after_the_requests_of_the_day_the_next_look_is_at_its_end(tmp_path: Path, look: timedelta | None):
    """An earlier time would start a read every half minute for nothing, and none would leave hints on the disk."""
    now = datetime(2026, 1, 1, 20, tzinfo=UTC)
    midnight = now + timedelta(hours=4)
    following = NextLook(LocalStorage(tmp_path))
    look_at = now + look if look else None
    following.note(look_at, Spent(midnight, 12))
    assert following.at(now + timedelta(minutes=2), 12) == midnight
    assert following.at(now + timedelta(minutes=2), 13) == look_at, "more requests than were used up"
    assert following.at(midnight, 12) == look_at


def test_a_day_of_a_clock_that_was_ahead_holds_no_hint_back(tmp_path: Path):
    now = datetime(2026, 1, 1, 20, tzinfo=UTC)
    following = NextLook(LocalStorage(tmp_path))
    following.note(None, Spent(now + timedelta(days=365), 12))
    assert following.spent(now, 12) is None
