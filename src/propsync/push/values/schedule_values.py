"""The documented members of a schedule (API §2.6), as the table of schedules shows them, and as a PUT sends them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, cast

import msgspec

from propsync.api import ScheduleChanges
from propsync.records import calendar_day, decode, is_nothing, text_of
from propsync.shapes.unread import USER_IDS, names_one

DUE, DESCRIPTION, REFERENCE, USERS = "dueDate", "description", "customReference", "assignedUsers"
MEMBERS = (DUE, DESCRIPTION, REFERENCE, USERS)
"""The members that a PUT may have (API §4.11)."""
STATUS = "status"
"""No write may have it; it tells whether somebody has begun the assessment."""


def schedule_values(body: bytes | msgspec.Raw) -> dict[str, Any] | None:
    """The values of all members that the answer shows, None if it has no schedule."""
    if is_nothing(bytes(body)):
        return None
    record = decode(body)
    if not isinstance(record, dict):
        return None
    due = {DUE: _day(record[DUE])} if DUE in record else {}
    users = {USERS: _user_ids(record[USERS])} if USERS in record else {}
    return record | due | users | {STATUS: text_of(record.get(STATUS))}


def _day(held: Any) -> Any:
    """A due date as `main.schedules` shows it; the value itself if it is none."""
    return calendar_day(held) or held if isinstance(held, str) else held


def _user_ids(held: Any) -> Any:
    """Users as `staging.user_ids` reads them; the value itself if some of it names no user, so that no PUT loses it."""
    users = held if isinstance(held, list) else [held]
    found = [_user_id(one) for one in users if one is not None]
    if held is None or None in found:
        return held
    return [one for one in found if one != ""]


def _user_id(one: Any) -> str | None:
    inner = (one.get(name) for name in USER_IDS) if isinstance(one, dict) else (one,)
    return next((text for value in inner if (text := text_of(value)) is not None and names_one(text)), None)


def is_set_back(old: object, now: object) -> bool:
    """Whether a schedule that somebody has begun counts as not begun again, by the words of the document (API §3)."""
    return (old, now) == ("inprogress", "notstarted")


def is_begun(old: str | None, now: str | None) -> bool:
    """Whether somebody may have begun the assessment since the status was `old`; an API may show no status now."""
    return now is not None and now != old


_NAMES: dict[str, str] = {
    DUE: "due_date",
    DESCRIPTION: "description",
    REFERENCE: "custom_reference",
    USERS: "assigned_users",
}


def changes_of(values: Mapping[str, Any], leaving_out: Collection[str] = ()) -> ScheduleChanges:
    """The members for a PUT: all that `values` has, so that it does not matter what the API does with absent ones."""
    members = {name: values[name] for name in MEMBERS if name in values}
    members |= {USERS: members[USERS] or []} if USERS in members else {}
    kept = {_NAMES[name]: value for name, value in members.items() if name not in leaving_out or name == USERS}
    return cast("ScheduleChanges", kept)
