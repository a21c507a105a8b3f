"""The documented members of a schedule (API §2.6), as the table of schedules shows them, and as a PUT sends them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, cast

import msgspec

from propsync.api import ScheduleChanges
from propsync.records import decode, is_nothing

DUE, DESCRIPTION, REFERENCE, USERS = "dueDate", "description", "customReference", "assignedUsers"
MEMBERS = (DUE, DESCRIPTION, REFERENCE, USERS)
"""The members that a PUT may have (API §4.11)."""


def schedule_values(body: bytes | msgspec.Raw) -> dict[str, Any] | None:
    """The values by member, None if the answer has no schedule."""
    if is_nothing(bytes(body)):
        return None
    record = decode(body)
    return {name: record.get(name) for name in MEMBERS} if isinstance(record, dict) else None


_NAMES: dict[str, str] = {
    DUE: "due_date",
    DESCRIPTION: "description",
    REFERENCE: "custom_reference",
    USERS: "assigned_users",
}


def changes_of(values: Mapping[str, Any], leaving_out: Collection[str] = ()) -> ScheduleChanges:
    """All four members for a PUT, so that it does not matter what the API does with those that are absent."""
    members = {name: values.get(name) for name in MEMBERS} | {USERS: list(values.get(USERS) or [])}
    kept = {_NAMES[name]: value for name, value in members.items() if name not in leaving_out or name == USERS}
    return cast("ScheduleChanges", kept)
