"""The timetable of prefect.yaml gives one run a night, on the nights when clocks change too."""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo, available_timezones

import pytest
import yaml

from propsync.serving.timetable import comes_once_a_day, settled
from propsync.shipped import shipped

if TYPE_CHECKING:
    from prefect.server.schemas.schedules import CronSchedule

LONDON = ZoneInfo("Europe/London")
CHANGES = [date(2026, 3, 29), date(2026, 10, 25), date(2027, 3, 28), date(2027, 10, 31)]


def cron_schedule(**given: Any) -> CronSchedule:
    """As Prefect's server has it. Prefect is slow to import, and sets up the log of the process."""
    handlers = list(logging.getLogger().handlers)
    try:
        from prefect.server.schemas.schedules import CronSchedule
    finally:
        logging.getLogger().handlers[:] = handlers
    return CronSchedule(**given)


@pytest.fixture(scope="module")
def nightly() -> CronSchedule:
    """The schedule in prefect.yaml, as Prefect's server reads it."""
    told = yaml.safe_load(shipped("prefect.yaml").read_text())
    ((given,),) = (one["schedules"] for one in told["deployments"] if one["name"] == "nightly")
    return cron_schedule(**given)


def minutes_of(day: date) -> list[datetime]:
    """Every minute of a day in London, in UTC: 23 hours in March, 25 in October."""
    begins, ends = (datetime.combine(one, time(), LONDON).astimezone(UTC) for one in (day, day + timedelta(days=1)))
    return [begins + timedelta(minutes=count) for count in range(int((ends - begins).total_seconds() // 60))]


@pytest.mark.slow
@pytest.mark.parametrize("day", CHANGES)
def test_from_every_minute_of_a_day_on_which_clocks_change_the_next_run_is_that_night_s_or_the_next(nightly, day):
    tonight, next_night = (datetime.combine(one, time(2, 30), LONDON) for one in (day, day + timedelta(days=1)))
    tonight, next_night = tonight.astimezone(UTC), next_night.astimezone(UTC)

    async def asked() -> list[list[datetime]]:
        return [await nightly.get_dates(n=2, start=minute) for minute in minutes_of(day)]

    minutes, answers = minutes_of(day), asyncio.run(asked())
    assert len(minutes) in (23 * 60, 25 * 60)
    for minute, dates in zip(minutes, answers, strict=True):
        first = dates[0].astimezone(UTC)
        assert first == (tonight if minute <= tonight else next_night), minute
        assert dates[1] - dates[0] >= timedelta(hours=23), "no second run the same night"
    assert {one.date() for dates in answers for one in dates if one.astimezone(LONDON).date() == day} == {day}


def test_at_half_past_one_there_would_be_a_night_without_a_run_or_with_two():
    """The comment in prefect.yaml about 01:30 is true, so nobody should move the timetable there."""
    march, october = (datetime.combine(day, time(1, 30), LONDON) for day in CHANGES[:2])
    assert march.astimezone(UTC).astimezone(LONDON).time() != time(1, 30), "skipped"
    assert october.astimezone(UTC) != october.replace(fold=1).astimezone(UTC), "twice"


FIRST = date(2026, 1, 1)
SHIPPED = "30 2 * * *"


@pytest.fixture(scope="module")
def zones() -> list[ZoneInfo]:
    """One zone of each kind: those whose clocks agree in every week of the coming twelve years are one."""
    noons = [datetime(2026, 1, 1, 12, tzinfo=UTC) + timedelta(weeks=count) for count in range(12 * 52)]
    kinds: dict[tuple[object, ...], ZoneInfo] = {}
    for name in sorted(available_timezones()):
        zone = ZoneInfo(name)
        # that does not tell at what time of day clocks change, so the changes themselves count too
        kinds.setdefault((*(noon.astimezone(zone).utcoffset() for noon in noons), *changes(zone)), zone)
    assert len(kinds) > 50
    return list(kinds.values())


def changes(zone: ZoneInfo) -> list[datetime]:
    """The moments in 2026 and 2027 at which its clocks change, to the quarter of an hour."""
    found, day, step = [], datetime(2026, 1, 1, tzinfo=UTC), timedelta(minutes=15)
    while day.year < 2028:
        if day.astimezone(zone).utcoffset() != (day + timedelta(days=1)).astimezone(zone).utcoffset():
            quarters = [day + step * count for count in range(1, 97)]
            found += [one for one in quarters if utcoffset(one, zone) != utcoffset(one - step, zone)]
        day += timedelta(days=1)
    return found


def utcoffset(moment: datetime, zone: ZoneInfo) -> timedelta | None:
    return moment.astimezone(zone).utcoffset()


def dates_of(zone: ZoneInfo, start: datetime, count: int) -> list[datetime]:
    """The moments that Prefect's server plans for the timetable that `propsync serve` makes in a zone."""
    schedule = cron_schedule(cron=settled(SHIPPED, zone.key, FIRST), timezone=zone.key)
    return [one.astimezone(UTC) for one in asyncio.run(schedule.get_dates(n=count, start=start))]


def nights_of(zone: ZoneInfo, first: date, count: int) -> list[datetime]:
    hour = int(settled(SHIPPED, zone.key, FIRST).split()[1])
    days = (first + timedelta(days=number) for number in range(count))
    return [datetime.combine(day, time(hour, 30), zone).astimezone(UTC) for day in days]


@pytest.mark.release
def test_in_every_time_zone_each_night_of_two_years_has_one_run(zones):
    for zone in zones:
        planned = dates_of(zone, datetime(2026, 1, 1, tzinfo=zone), 730)
        assert planned == nights_of(zone, FIRST, 730), zone
        nights = [one.astimezone(zone).date() for one in planned]
        assert nights == sorted(set(nights)), zone


@pytest.mark.release
def test_from_moments_around_a_change_of_clocks_the_next_run_is_that_night_s_or_the_next(zones):
    """Prefect's scheduler asks again and again, from whatever moment it is."""
    for zone in zones:
        for change in changes(zone)[:2]:
            nights = nights_of(zone, change.astimezone(zone).date() - timedelta(days=1), 5)
            for minutes in (-45, 0, 45):
                start = change + timedelta(minutes=minutes)
                assert dates_of(zone, start, 2) == [one for one in nights if one >= start][:2], (zone, start)


@pytest.mark.slow
def test_the_quiet_hour_is_quiet_everywhere_in_the_coming_years(zones):
    assert all(comes_once_a_day(time(4, minute), zone, FIRST) for zone in zones for minute in (0, 30, 59))


@pytest.mark.parametrize(
    ("name", "cron"),
    [
        ("Europe/London", SHIPPED),
        ("UTC", SHIPPED),
        ("Asia/Kolkata", SHIPPED),
        ("Africa/Cairo", SHIPPED),
        ("Europe/Berlin", "30 4 * * *"),
        ("America/New_York", "30 4 * * *"),
        ("Antarctica/Troll", "30 4 * * *"),
    ],
)
def test_the_shipped_time_stays_where_it_comes_once_a_night(name, cron):
    assert settled(SHIPPED, name, FIRST) == cron


def test_half_an_hour_that_is_skipped_counts_too_and_lines_without_a_time_stay():
    assert settled("15 2 * * *", "Australia/Lord_Howe", FIRST) == "15 4 * * *"
    assert settled("45 2 * * 0", "Australia/Lord_Howe", FIRST) == "45 2 * * 0"
    assert settled("*/5 2 * * *", "Europe/Berlin", FIRST) == "*/5 2 * * *"
