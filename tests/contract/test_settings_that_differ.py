"""What a run does under settings that are legal, and that few people have."""

from __future__ import annotations

import pytest
from kit.home import Home
from kit.nights import Nights

LARGEST = {
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
