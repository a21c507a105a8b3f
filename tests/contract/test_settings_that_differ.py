"""Promises of a run under settings that are legal, and that few people have."""

from __future__ import annotations

from typing import Any

import pytest
from kit.home import Home
from kit.nights import Nights

LARGEST: dict[str, Any] = {
    "landing_keep_days": 10**6,
    "archive_recheck_days": 10**6,
    "backup_days": 10**6,
    "delta_keep_days": 10**6,
    "archive_keep_years": 1_000,
    "lock_wait": 10**9,
    "webhook_wait": 10**9,
    "archive_max_minutes": 10**9,
    "archive_max_gb": 10**9,
}


@pytest.fixture
def home(nights: Nights) -> Home:
    return Home(nights.path, nights.url)


def test_the_largest_numbers_that_settings_take_are_none_too_large(home: Home):
    assert home.sync(**LARGEST).exit_code == 0


@pytest.mark.parametrize("resource", ["assessments", "schedules"])
def test_statuses_that_no_record_has_are_warned_of(nights: Nights, caplog: pytest.LogCaptureFixture, resource: str):
    nights.estate.add_assessments([("p1", "k0"), ("p2", "k1")])
    nights.estate.add_schedules([("p1", "k0"), ("p2", "k1")])
    home, setting = Home(nights.path, nights.url), f"{resource.removesuffix('s')}_statuses"
    wrong: dict[str, Any] = {setting: "nosuch"}
    assert home.sync([resource], **wrong).notes == []  # there may be no record yet
    assert home.sync([resource]).notes == []
    assert "lists none with the statuses" not in caplog.text
    for _ in range(2):  # the second night is as quiet as the first
        caplog.clear()
        (line,) = home.sync([resource], **wrong).notes  # a timetable keeps no log of a night that exits 0
        assert line in caplog.text
        assert f"{resource}: the API lists none with the statuses nosuch, and earlier runs read some" in caplog.text
        assert f"Check PROPSYNC_{setting.upper()}" in caplog.text
