"""The limits of one archive run: bytes, minutes, documents, and a tenth of the disk to stay free."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path

_FREE_SHARE = 0.1
_LOOK_SECONDS = 1.0  # how often it checks the disk


class Budget:
    """Counts down. `reason` says in words why the run must request nothing more; None while the budget lasts.

    `most_bytes` and `seconds` bound a run. `documents` is None for any number; `folder` is on the disk that fills.
    `received` returns the bytes received so far. It includes bodies that broke off, as they used the line too.
    """

    def __init__(
        self,
        folder: Path,
        received: Callable[[], int],
        *,
        most_bytes: float,
        seconds: float,
        documents: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder = folder
        self._received, self._most_bytes = received, most_bytes
        self._asked, self._documents = 0, documents
        self._clock, self._end, self._seconds = clock, clock() + seconds, seconds
        self._looked_at: float | None = None
        self._on_disk: str | None = None
        self._ended: str | None = None
        self.lacks_room = False
        """Whether the disk ended it: unlike the limits of a night, that stays so until somebody makes room."""

    @property
    def bytes_left(self) -> float:
        """How many bytes the run may still receive."""
        return max(0.0, self._most_bytes - self._received())

    @property
    def seconds_left(self) -> float:
        """How long the run may still request documents."""
        return max(0.0, self._end - self._clock())

    def end(self, reason: str, *, lacks_room: bool) -> None:
        """Ends the budget, for a reason that only a worker elsewhere can see."""
        self._ended, self.lacks_room = reason, lacks_room

    @property
    def documents_left(self) -> int | None:
        """How many documents the run may still request, None for any number."""
        return None if self._documents is None else max(0, self._documents - self._asked)

    def ask(self) -> None:
        """Counts a requested document."""
        self._asked += 1

    def reason(self) -> str | None:
        """Why the run must request nothing more."""
        if self._ended:
            return self._ended
        if self.documents_left == 0:
            return f"the limit of {self._documents:,} documents is reached"
        if self._received() >= self._most_bytes:
            return f"this run's {self._most_bytes / 1e9:g} GB limit is reached (PROPSYNC_ARCHIVE_MAX_GB)"
        if self._clock() >= self._end:
            return f"this run's {self._seconds / 60:g} minutes are used up (PROPSYNC_ARCHIVE_MAX_MINUTES)"
        return self._disk_reason()

    def _disk_reason(self) -> str | None:
        if self._looked_at is None or self._clock() - self._looked_at >= _LOOK_SECONDS:
            self._looked_at, self._on_disk = self._clock(), _lack_of_room(self._folder)
            self.lacks_room = self._on_disk is not None
        return self._on_disk


def _lack_of_room(folder: Path) -> str | None:
    disk = shutil.disk_usage(folder)
    is_room = disk.free >= _FREE_SHARE * disk.total
    return None if is_room else f"less than 10 % of the disk is free ({disk.free / 1e9:.1f} GB)"
