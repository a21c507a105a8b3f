"""The timetable of prefect.yaml gives one run a night, on the nights when clocks change too."""

from __future__ import annotations

import asyncio
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
import yaml
from prefect.client.schemas.schedules import construct_schedule
from prefect.server.schemas.schedules import CronSchedule

from propsync.shipped import shipped

LONDON = ZoneInfo("Europe/London")
CHANGES = [date(2026, 3, 29), date(2026, 10, 25), date(2027, 3, 28), date(2027, 10, 31)]


@pytest.fixture(scope="module")
def nightly() -> CronSchedule:
    """What Prefect's server makes of the schedule in prefect.yaml."""
    told = yaml.safe_load(shipped("prefect.yaml").read_text())
    ((given,),) = (one["schedules"] for one in told["deployments"] if one["name"] == "nightly")
    return CronSchedule(**construct_schedule(**given).model_dump())


def minutes_of(day: date) -> list[datetime]:
    """Every minute of a day in London, in UTC: 23 hours in March, 25 in October."""
    begins, ends = (datetime.combine(one, time(), LONDON).astimezone(UTC) for one in (day, day + timedelta(days=1)))
    return [begins + timedelta(minutes=count) for count in range(int((ends - begins).total_seconds() // 60))]


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


def test_at_half_past_one_there_would_be_a_night_without_a_run_or_with_two(nightly):
    """What the comment in prefect.yaml says of 01:30, so that nobody moves the timetable there."""
    march, october = (datetime.combine(day, time(1, 30), LONDON) for day in CHANGES[:2])
    assert march.astimezone(UTC).astimezone(LONDON).time() != time(1, 30), "skipped"
    assert october.astimezone(UTC) != october.replace(fold=1).astimezone(UTC), "twice"
