"""The day that a text stands for."""

from __future__ import annotations

import re
from datetime import date

_MIDNIGHT = r"[T ]00:00(?::00(?:[.,]0+)?)?(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)?"
_DAY = re.compile(rf"([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})(?:{_MIDNIGHT})?")


def calendar_day(text: str) -> str | None:
    """The day of a date, or of a date at midnight, in the format Y-m-d; None for any other text.

    Some programs can write no date without a time. `main.schedules` reads due dates in the same way.
    """
    found = _DAY.fullmatch(text)
    if found is None or found[1] == "0001-01-01":
        return None
    try:
        return date.fromisoformat(found[1]).isoformat()
    except ValueError:
        return None
