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


@pytest.mark.parametrize(("resource", "status"), [("assessments", "submitted"), ("schedules", "inprogress")])
def test_statuses_that_no_record_has_are_warned_of(
    nights: Nights, caplog: pytest.LogCaptureFixture, resource: str, status: str
):
    nights.estate.add_assessments([("p1", "k0"), ("p2", "k1")])
    nights.estate.add_schedules([("p1", "k0"), ("p2", "k1")])
    home, setting = Home(nights.path, nights.url), f"{resource.removesuffix('s')}_statuses"
    narrow: dict[str, Any] = {setting: status}
    assert home.sync([resource], **narrow).notes == []  # there may be no record yet
    assert home.sync([resource]).notes == []
    assert "lists none with the statuses" not in caplog.text
    for _ in range(2):  # the second night is as quiet as the first
        caplog.clear()
        report = home.sync([resource], **narrow)
        (line,) = report.notes  # a timetable keeps no log of a night that exits 0
        assert (report.exit_code, line in caplog.text) == (0, True)
        assert f"{resource}: the API lists none with the statuses {status}, and earlier runs read some" in line
        assert f"Check PROPSYNC_{setting.upper()}" in line


def test_misspelt_statuses_keep_the_rows_and_say_so(nights: Nights):
    """The records stay as they were on the last good night, and nothing else would show that they grow old."""
    nights.estate.add_assessments([("p1", "k0"), ("p2", "k1")])
    home = Home(nights.path, nights.url)
    assert home.sync(assessment_statuses="aproved").exit_code == 3, "the first night has no rows to keep"
    assert home.sync().exit_code == 0
    for _ in range(2):
        report = home.sync(assessment_statuses="aproved")
        assert report.exit_code == 3
        (line,) = report.left_behind
        assert "the API lists none with the statuses aproved, which no record has" in line
        assert line.endswith("Check PROPSYNC_ASSESSMENT_STATUSES")
    assert home.sync(assessment_statuses="aproved,approved").exit_code == 0
    assert home.sync().exit_code == 0
