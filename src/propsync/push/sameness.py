"""When two values of the API's JSON are the same to a person, however they are written."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation


def is_same(one: object, other: object) -> bool:
    """Whether two values are the same: numbers by value, lists as sets; nothing chosen is no value."""
    if isinstance(one, list) or isinstance(other, list):
        return _as_set(one) == _as_set(other)
    return type(one) is type(other) and one == other if isinstance(one, str) else one == other


def is_empty(value: object) -> bool:
    """Whether a value says nothing: an API may show a field without a value as null, "" or []."""
    return value is None or value in ("", []) or value == {}


def is_stored(new: object, now: object) -> bool:
    """Whether a record has a value that was written; None is written to remove one (API §2.3)."""
    return is_same(new, now) or (new is None and is_empty(now))


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
