"""The log of a world: each change of each record since it began, by night.

The sandbox knows it from its own records alone, so that tests can work out what a reader must have seen.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from .jsontext import encode

if TYPE_CHECKING:
    from .calendar import Calendar
    from .shelf import Key, Record


@dataclass(frozen=True, slots=True)
class Change:
    """One step of one record: `before` is None when it came, `after` is None when it went.

    `night` is the number of nights that had begun by then, 0 before the first; `day` is the world's date.
    """

    sequence: int
    night: int
    day: date
    resource: str
    before: "Record | None"
    after: "Record | None"
    moment: float = 0.0
    """Seconds of the clock that lists with a lag go by."""

    @property
    def record(self) -> "Record":
        """The record as it is, or was last."""
        record = self.after or self.before
        assert record is not None
        return record

    @property
    def kind(self) -> str:
        if self.before is None:
            return "added"
        return "edited" if self.after is not None else "deleted"

    def as_json(self) -> bytes:
        """One line, with the record before and after."""
        head = {
            "sequence": self.sequence,
            "night": self.night,
            "day": self.day.isoformat(),
            "resource": self.resource,
            "kind": self.kind,
            "key": self.record.key,
        }
        before, after = (b"null" if one is None else one.shown(True) for one in (self.before, self.after))
        return encode(head)[:-1] + b',"before":' + before + b',"after":' + after + b"}"


class ChangeLog:
    """In order; the records that a world begins with are no changes."""

    def __init__(self, calendar: "Calendar") -> None:
        self.calendar = calendar
        self.night = 0
        self.is_open = False
        self.listener: Callable[[Change], None] | None = None
        self._changes: list[Change] = []

    def __len__(self) -> int:
        return len(self._changes)

    def __iter__(self) -> Iterator[Change]:
        return iter(list(self._changes))

    def note(self, resource: str, before: "Record | None", after: "Record | None") -> None:
        if self.is_open:
            place = len(self._changes) + 1
            now = time.monotonic()
            self._changes.append(Change(place, self.night, self.calendar.today, resource, before, after, now))
            if self.listener is not None:
                self.listener(self._changes[-1])

    def of_night(self, night: int) -> list[Change]:
        """The changes of a night, and those that people made between it and the next."""
        return [change for change in self._changes if change.night == night]

    def records_before(self, resource: str, moment: float, now: "dict[Key, Record]") -> "dict[Key, Record]":
        """The records at a moment, from those of `now`."""
        found = dict(now)
        for change in reversed(self._changes):
            if change.moment <= moment:
                break
            if change.resource == resource:
                _undo(change, found)
        return found

    def records_at(self, resource: str, night: int, now: "dict[Key, Record]") -> "dict[Key, Record]":
        """The records just before the night after `night` began, from those of `now`."""
        found = dict(now)
        for change in reversed(self._changes):
            if change.night <= night:
                break
            if change.resource == resource:
                _undo(change, found)
        return found


def _undo(change: Change, found: "dict[Key, Record]") -> None:
    if change.before is None:
        found.pop(change.record.key, None)
    else:
        found[change.before.key] = change.before
