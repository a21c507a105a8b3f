"""A night whose clock is years ahead often fails, as no certificate is valid then. Later nights have the true time."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from kit.server import Server
from kit.small_api import SmallApi, SmallHome, asset

from propsync.errors import StopRun

NIGHT = datetime(2026, 3, 30, 2, 30, tzinfo=UTC)
AHEAD = NIGHT + timedelta(days=730)
NEXT_NIGHT = NIGHT + timedelta(days=1)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[SmallHome]:
    """A home with its marts, after one night."""
    api = SmallApi()
    with Server(api) as server:
        home = SmallHome(tmp_path / "home", server.url, api)
        home.has_desk = True
        assert home.sync(now=NIGHT).exit_code == 0
        yield home


def fails(home: SmallHome, status: int) -> None:
    """A night whose clock is ahead, and that reads nothing."""
    home.server.answer = lambda path, query: (status, {})
    if status == 401:
        with pytest.raises(StopRun):
            home.sync(now=AHEAD)
    else:
        assert home.sync(now=AHEAD).status == "failed"
    home.server.answer = lambda path, query: None


@pytest.mark.costly
@pytest.mark.parametrize("status", [403, 401])
def test_a_failed_night_whose_clock_was_ahead_dates_no_later_one(
    home: SmallHome, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    fails(home, status)
    home.server.assets.append(asset("new"))
    with caplog.at_level(logging.WARNING):
        report = home.sync(now=NEXT_NIGHT)
    assert "it failed when the clock was ahead, and left nothing" in caplog.text
    assert (report.exit_code, report.notes) == (0, [])
    assert home.rows("select distinct started_at from ops.runs order by all") == [(NIGHT,), (NEXT_NIGHT,)]
    assert home.column("select valid_from from history.assets where asset_id = 'new'") == [NEXT_NIGHT]
    assert home.column("select max(day) from marts.compliance_days") == [NEXT_NIGHT.date()]
    assert set(home.column("select run_id from ops.run_resources")) == set(home.column("select run_id from ops.runs"))


def test_a_rebuild_after_such_a_night_has_the_true_time_too(home: SmallHome) -> None:
    fails(home, 401)
    home.rebuild()
    (started,) = home.column("select started_at from ops.runs where flow = 'rebuild'")
    assert abs(started - datetime.now(UTC)) < timedelta(hours=1)


def test_a_night_that_left_versions_counts_although_it_failed(home: SmallHome) -> None:
    """History has its time: a later version must be later."""

    def answer(path: str, query: dict[str, str]) -> tuple[int, dict[str, str]] | None:
        return (401, {}) if path.startswith("/assessments") else None

    home.server.assets.append(asset("early"))
    home.server.answer = answer
    with pytest.raises(StopRun):
        home.sync(now=AHEAD)
    home.server.answer = lambda path, query: None
    home.server.assets.append(asset("late"))
    report = home.sync(now=NEXT_NIGHT)
    assert "the clock of this machine is behind it" in report.notes[0]
    times: dict[str, datetime] = dict(home.rows("select asset_id, valid_from from history.assets"))
    assert AHEAD <= times["early"] < times["late"]
