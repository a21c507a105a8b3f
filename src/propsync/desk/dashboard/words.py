"""Values as people read them: dates with the month spelt out, thousands separated, long texts cut."""

from __future__ import annotations

from datetime import date, datetime, time
from typing import Any
from zoneinfo import ZoneInfo

from propsync.desk.plain_text import plain_text

_LONGEST = 100  # characters of a cell; the SQL has the whole text
_NOTE = 300


def shown(value: Any, zone: ZoneInfo, *, is_note: bool = False) -> str:
    """A value as text for a cell; a template escapes it. A cell that is a note has more room."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return on_day(value.astimezone(zone).date()) + value.astimezone(zone).strftime(", %H:%M")
    if isinstance(value, date):
        return on_day(value)
    if isinstance(value, time):
        return value.strftime("%H:%M")
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.1f}".removesuffix(".0")
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return note(text) if is_note else cut(text)


def cut(text: str, longest: int = _LONGEST) -> str:
    """A text in one line, without characters that steer a page, and not longer than a cell."""
    plain = plain_text(text[: longest * 2])
    return plain if len(plain) <= longest and len(text) <= longest * 2 else f"{plain[: longest - 1]}…"


def note(text: str) -> str:
    """A sentence that needs more room than a cell."""
    return cut(text, _NOTE)


def heading(column: str) -> str:
    """The name of a column as a heading: `days_late` is "Days late"."""
    words = column.replace("_", " ")
    return words[:1].upper() + words[1:]


def sentence(words: str) -> str:
    """Words with a capital at the beginning and a stop at the end."""
    return f"{words[:1].upper()}{words[1:]}."


def on_day(day: date) -> str:
    """`3 Mar 2026`."""
    return f"{day.day} {day:%b %Y}"


def short_day(day: date) -> str:
    """`3 Mar`."""
    return f"{day.day} {day:%b}"


def short_month(day: date) -> str:
    """`Mar`."""
    return f"{day:%b}"


def weekday(day: date) -> str:
    """`Sunday 22 November 2026`."""
    return f"{day:%A} {day.day} {day:%B %Y}"


def counted(count: int, one: str, several: str) -> str:
    """`1 table`, `3 tables`."""
    return f"{count:,} {one if count == 1 else several}"


def compared(change: int | None, before_on: date | None) -> str:
    """How a number moved since an earlier day; empty if there is none."""
    if before_on is None:
        return ""
    day = f"{before_on:%a} {before_on.day} {before_on:%b}"
    if change is None:
        return f"not known on {day}"
    return (
        f"no change since {day}" if not change else f"{abs(change):,} {'more' if change > 0 else 'fewer'} than on {day}"
    )
