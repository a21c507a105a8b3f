"""When two values of the API's JSON are the same to a person, however they are written."""

from __future__ import annotations

import math
import re
from decimal import Decimal, InvalidOperation

from propsync.records import calendar_day

_WITH_SECONDS = re.compile(r"([0-9]{2}:[0-9]{2}):00(?:\.0+)?")


def is_same(one: object, other: object) -> bool:
    """Whether two values are the same: numbers by value, lists as sets; nothing chosen is no value."""
    if isinstance(one, list) or isinstance(other, list):
        return _as_set(one) == _as_set(other)
    return type(one) is type(other) and one == other if isinstance(one, str) else one == other


def is_double(one: float, value: object) -> bool:
    """Whether a double is what a table by type has of a number: of more digits, it has the nearest double."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return False
    return math.isfinite(one) and one == float(Decimal(value))


def is_written_double(cell: str | Decimal, value: object) -> bool:
    """Whether a text is how CSV or JSON of these tables has that double: 1e+22, or 17 digits of a longer number.

    JSON may have zeros for its digits beyond these, and a point: 123456789012345680.0.
    """
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return False
    double = float(Decimal(value))
    whole = f"{Decimal(repr(double)):.1f}" if double.is_integer() else None
    return str(cell).lower() in (repr(double), whole)


def is_empty(value: object) -> bool:
    """Whether a value says nothing: an API may show a field without a value as null, "" or []."""
    return value is None or value in ("", []) or value == {}


def is_stored(new: object, now: object, kind: str = "") -> bool:
    """Whether a record has a value that was written to a field of a kind; None is written to remove one (API §2.3)."""
    return is_same(new, now) or (new is None and is_empty(now)) or is_same(new, as_written(kind, now))


def is_form_of(now: object, new: object, kind: str) -> bool:
    """Whether a value may be what a server has made of a written one: it may tidy a text, or round a number."""
    if is_stored(new, now, kind):
        return True
    one, other = as_written(kind, now), as_written(kind, new)
    if isinstance(one, str) and isinstance(other, str):
        return one.casefold().split() == other.casefold().split()
    return _is_rounded(_number(one), _number(other))


def _is_rounded(short: Decimal | None, long: Decimal | None) -> bool:
    if short is None or long is None:
        return False
    last, more = (int(one.as_tuple().exponent) for one in (short, long))
    return last > more and abs(short - long) < Decimal(1).scaleb(last)


def as_written(kind: str, shown: object) -> object:
    """A value in the form that a write has (API §2.3). The document does not say in which form the API shows it.

    It may show a date at midnight, a time with seconds, or a number as text. Any other value stays as it is.
    """
    if not isinstance(shown, str):
        return shown
    if kind == "date":
        return calendar_day(shown) or shown
    if kind == "time" and (found := _WITH_SECONDS.fullmatch(shown)):
        return found[1]
    number = _number(shown) if kind == "number" else None
    return shown if number is None else number


def is_still(old: object, now: object) -> bool:
    """Whether a record still has the value that a plan knows. The tables do not say whether a text is a number."""
    if isinstance(old, str) == isinstance(now, str):
        return is_same(old, now)
    return _number(old) is not None and _number(old) == _number(now)


def _as_set(value: object) -> object:
    if value is None:
        return frozenset()
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return frozenset(value)
    return value


def _number(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        return None
    try:
        found = Decimal(value)
    except InvalidOperation:
        return None
    return found if found.is_finite() else None
