"""When the next look at a hint is due, in a small file that needs no lock: it may be too early, never too late."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from propsync.storage import LocalStorage
from propsync.webhook.inbox import FOLDER

_KEY = f"{FOLDER}/next.json"


class _Note(msgspec.Struct, frozen=True):
    look_at: datetime | None = None
    spent_until: datetime | None = None


class NextLook:
    """The note, as the last run that changed a hint left it."""

    def __init__(self, storage: LocalStorage) -> None:
        self._storage = storage

    def at(self, now: datetime) -> datetime | None:
        """The time of the next look; None if no hint waits.

        If the requests of the day are used up, it is the end of the day. Posts on the disk may wait for that too.
        """
        note = self._note()
        return max(filter(None, (note.look_at, note.spent_until))) if self.is_spent(now) else note.look_at

    def is_spent(self, now: datetime) -> bool:
        """Whether the requests of the day are used up."""
        until = self._note().spent_until
        return until is not None and now < until

    def note(self, look_at: datetime | None, spent_until: datetime | None = None) -> None:
        """Keeps the time, and that nothing is read before `spent_until`. Raises DiskFull, HomeUnusable."""
        until = spent_until.astimezone(UTC) if spent_until else self._note().spent_until
        self._keep(_Note(look_at, until))

    def _note(self) -> _Note:
        try:
            return msgspec.json.decode(self._storage.get(_KEY), type=_Note)
        except FileNotFoundError:
            return _Note()
        except ValueError:
            return _Note(look_at=datetime.fromtimestamp(0, UTC))

    def _keep(self, note: _Note) -> None:
        if note != self._note():
            self._storage.put(_KEY, msgspec.json.encode(note))
