"""A time of day that comes once every night, whatever the clocks of its time zone do."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

QUIET_HOUR = 4
"""The hour that no time zone skips or repeats: clocks change before 04:00 or in the evening."""
_DAYS_AHEAD = 3653
# Prefect takes these names too, in any case; the other one is @hourly, which has no time of day
_AT_MIDNIGHT = ("@midnight", "@daily", "@weekly", "@monthly", "@yearly", "@annually")


def settled(cron: str, time_zone: str, first: date) -> str:
    """`cron` as it is, or in the quiet hour if clocks skip or repeat its own time of day from `first` on.

    Europe/Berlin skips 02:30 in March and has it twice in October. A cron line without a fixed time of day stays.
    """
    minute, hour, *days = _fields(cron)
    if not (minute.isdecimal() and hour.isdecimal()):
        return cron
    if comes_once_a_day(time(int(hour), int(minute)), ZoneInfo(time_zone), first):
        return cron
    return " ".join([minute, str(QUIET_HOUR), *days])


def _fields(cron: str) -> list[str]:
    """The fields of a cron line; of a name, only minute and hour."""
    if cron.startswith("@"):
        return ["0", "0"] if cron.lower() in _AT_MIDNIGHT else ["0", "*"]
    return cron.split()


def comes_once_a_day(moment: time, zone: ZoneInfo, first: date) -> bool:
    """Whether the clocks of `zone` show `moment` exactly once on each day of the ten years from `first` on."""
    days = (first + timedelta(days=count) for count in range(_DAYS_AHEAD))
    return all(_is_plain(datetime.combine(day, moment, zone)) for day in days)


def _is_plain(moment: datetime) -> bool:
    """Whether the two readings of a local time agree: they differ in a gap and in a repeated hour."""
    return moment.replace(fold=0).utcoffset() == moment.replace(fold=1).utcoffset()
