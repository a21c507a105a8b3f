"""The rules for `[desk]`: the choices that marts rest on. The data gives those that propsync.toml leaves out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

ROLES = ("installed", "serial", "condition", "result", "next_due")
"""The roles that fields of assets play in the marts."""

PARTS = {
    "bundle_actions": (
        *("id", "reference", "status", "priority", "due", "closed", "raised", "cost", "responsible", "title"),
        *("location", "evidence"),
    ),
    "assessment_flags": ("status", "closed", "raised", "priority", "title", "reason"),
    "assessment_flag_history": ("status", "moment"),
    "assessments": ("assessor_name", "assessor_id"),
}
"""The parts that columns of a table play in the marts."""

Patterns = Mapping[str, tuple[str, ...]]
"""Patterns of labels by role."""


_MOST_DAYS = 3650
_LEAP = 2028  # a year with 29 February


@dataclass(frozen=True)
class DeskSettings:
    """The entries of `[desk]`; None for one that it leaves out.

    `roles` has patterns of labels by role for every type, `type_roles` those for one type by its name or id.
    `measures` has the assessment types that count for a measure, by their names or ids. `columns` has the columns that
    play a part, by table and part.
    """

    assessment_date: str | None = None
    roles: Patterns = field(default_factory=dict)
    type_roles: Mapping[str, Patterns] = field(default_factory=dict)
    fails: tuple[str, ...] | None = None
    flag_open: tuple[str, ...] | None = None
    flag_closed: tuple[str, ...] | None = None
    action_open: tuple[str, ...] | None = None
    action_closed: tuple[str, ...] | None = None
    priority_order: tuple[str, ...] | None = None
    due_soon_days: int | None = None
    fiscal_year_end: str | None = None
    measures: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    columns: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)


def read_desk(written: object) -> DeskSettings:
    """The entries as propsync.toml has them. Raises ValueError that names the entry."""
    if isinstance(written, DeskSettings):
        return written
    if not isinstance(written, dict):
        raise ValueError("it is not a table: write [desk] on a line of its own, and its entries below")  # noqa: TRY004 - pydantic lets a TypeError through
    known = (*_READERS, "roles", *PARTS)
    if wrong := next((entry for entry in written if entry not in known), None):
        raise ValueError(f"[desk] has an entry {wrong}, and propsync knows {', '.join(known)}")
    read = {entry: reads(f"[desk] {entry}", written[entry]) for entry, reads in _READERS.items() if entry in written}
    _refuse_both(read)
    roles, type_roles = _roles(written.get("roles", {}))
    columns = {table: _columns(table, written[table]) for table in PARTS if table in written}
    return DeskSettings(**read, roles=roles, type_roles=type_roles, columns=columns)


def _text(where: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{where} is {value!r}, and it must be a text")
    return value.strip()


def _words(where: str, value: object) -> tuple[str, ...]:
    listed = value.split(",") if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(word, str) and word.strip() for word in listed):
        raise ValueError(f'{where} is {value!r}, and it must be a list of words, such as ["open", "raised"]')
    words = [word.strip().lower() for word in listed]
    if not words:
        raise ValueError(f"{where} is an empty list: leave it out, and propsync finds the words in the data")
    if twice := next((word for word in words if words.count(word) > 1), None):
        raise ValueError(f"{where} has {twice!r} more than once, and capitals make no difference")
    return tuple(words)


def _refuse_both(read: Mapping[str, Any]) -> None:
    for kind in ("flag", "action"):
        both = {*read.get(f"{kind}_open", ())}.intersection(read.get(f"{kind}_closed", ()))
        if both:
            raise ValueError(f"[desk] {kind}_open and {kind}_closed both have {min(both)!r}: leave it in one of them")


def _days(where: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _MOST_DAYS:
        raise ValueError(f"{where} is {value!r}, and it must be a whole number of days from 0 to {_MOST_DAYS}")
    return value


def _month_and_day(where: str, value: object) -> str:
    found = re.fullmatch(r"(\d\d)-(\d\d)", value) if isinstance(value, str) else None
    try:
        day = date(_LEAP, int(found[1]), int(found[2])) if found else None
    except ValueError:
        day = None
    if day is None or (day.month, day.day) == (2, 29):
        raise ValueError(f'{where} is {value!r}, and it must be a day of every year, month first, such as "03-31"')
    return day.strftime("%m-%d")


def _roles(written: object) -> tuple[Patterns, dict[str, Patterns]]:
    """Patterns for every type, and those for one: a table under [desk.roles] is a type."""
    if not isinstance(written, dict):
        raise ValueError(f"[desk] roles is {written!r}, and it must be a table: [desk.roles]")  # noqa: TRY004 - see above
    of_types = {name: value for name, value in written.items() if isinstance(value, dict)}
    of_all = {name: value for name, value in written.items() if name not in of_types}
    by_type = {name: _patterns(f"[desk.roles.{name!r}]", value) for name, value in of_types.items()}
    return _patterns("[desk.roles]", of_all), by_type


def _measures(where: str, written: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(written, dict):
        raise ValueError(f"{where} is {written!r}, and it must be a table: [desk.measures]")  # noqa: TRY004 - see above
    return {measure: _types(f"{where}.{measure}", value) for measure, value in written.items()}


def _types(where: str, value: object) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not listed or not all(isinstance(one, str) and one.strip() for one in listed):
        raise ValueError(f'{where} is {value!r}, and it must be names or ids of types, such as ["Gas safety check"]')
    return tuple(one.strip() for one in listed)


def _columns(table: str, written: object) -> dict[str, tuple[str, ...]]:
    """The columns by part; an empty list says that no column plays it."""
    if not isinstance(written, dict):
        raise ValueError(f"[desk] {table} is {written!r}, and it must be a table: [desk.{table}]")  # noqa: TRY004 - see above
    if wrong := next((part for part in written if part not in PARTS[table]), None):
        raise ValueError(f"[desk.{table}] has a part {wrong}, and propsync knows {', '.join(PARTS[table])}")
    return {part: _names(f"[desk.{table}] {part}", value) for part, value in written.items()}


def _names(where: str, value: object) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(one, str) and one.strip() for one in listed):
        raise ValueError(f'{where} is {value!r}, and it must be names of columns, such as ["Target date"]')
    return tuple(one.strip() for one in listed)


def _patterns(where: str, written: Mapping[str, object]) -> Patterns:
    for role in written:
        if role not in ROLES:
            raise ValueError(f"{where} has a role {role}, and propsync knows {', '.join(ROLES)}")
    return {role: _labels(f"{where} {role}", value) for role, value in written.items()}


def _labels(where: str, value: object) -> tuple[str, ...]:
    """One pattern or several; an empty list says that no field plays the role."""
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(one, str) and one.strip() for one in listed):
        raise ValueError(
            f'{where} is {value!r}, and it must be labels of fields, such as ["Installed", "Date fitted*"]'
        )
    return tuple(one.strip() for one in listed)


_READERS: dict[str, Callable[[str, object], Any]] = {
    "assessment_date": _text,
    "fails": _words,
    "flag_open": _words,
    "flag_closed": _words,
    "action_open": _words,
    "action_closed": _words,
    "priority_order": _words,
    "due_soon_days": _days,
    "fiscal_year_end": _month_and_day,
    "measures": _measures,
}
