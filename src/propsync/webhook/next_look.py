"""When the next look at a hint is due, in a small file that needs no lock: it may be too early, never too late."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec

from propsync.storage import LocalStorage
from propsync.webhook.inbox import FOLDER

_KEY = f"{FOLDER}/next.json"
_LONGEST = timedelta(days=2)
"""From now to the end of any day; a later one is of a clock that was ahead."""


class Spent(msgspec.Struct, frozen=True):
    """The requests of a day are used up: until when, and how many they were."""

    until: datetime
    requests: int


class _Note(msgspec.Struct, frozen=True):
    look_at: datetime | None = None
    spent: Spent | None = None


class NextLook:
    """The note, as the last run that changed a hint left it."""

    def __init__(self, storage: LocalStorage) -> None:
        self._storage = storage

    def at(self, now: datetime, requests: int) -> datetime | None:
        """The time of the next look; None if no hint waits.

        If the requests of the day are used up, it is the end of the day. Posts on the disk may wait for that too.
        """
        spent = self.spent(now, requests)
        return spent.until if spent else self._note().look_at

    def spent(self, now: datetime, requests: int) -> Spent | None:
        """The requests of the day if they are used up; None if they are not, or the day may have more since."""
        spent = self._note().spent
        return spent if spent and now < spent.until < now + _LONGEST and requests <= spent.requests else None

    def note(self, look_at: datetime | None, spent: Spent | None = None) -> None:
        """Keeps the time, and that nothing is read while `spent` holds. Raises DiskFull, HomeUnusable."""
        self._keep(_Note(look_at, spent or self._note().spent))

    def _note(self) -> _Note:
        try:
            return msgspec.json.decode(self._storage.get(_KEY), type=_Note)
        except (FileNotFoundError, NotADirectoryError):
            return _Note()
        except (OSError, ValueError):
            return _Note(look_at=datetime.fromtimestamp(0, UTC))

    def _keep(self, note: _Note) -> None:
        if note != self._note():
            self._storage.put(_KEY, msgspec.json.encode(note))
