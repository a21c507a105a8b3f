"""What one archive run may use: bytes, minutes, a number of documents, and the disk down to a tenth of it."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path

_FREE_SHARE = 0.1
_LOOK_SECONDS = 1.0  # how often the disk is looked at


class Budget:
    """Counts down; `reason` says in words why nothing more is to be asked for, None while there is room.

    `most_bytes` and `seconds` bound a run, `documents` is None for any number; `folder` is on the disk that fills.
    `came` tells the bytes that came so far, of bodies that broke off too, as the line was busy with them all the same.
    """

    def __init__(
        self,
        folder: Path,
        came: Callable[[], int],
        *,
        most_bytes: float,
        seconds: float,
        documents: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder = folder
        self._came, self._most_bytes = came, most_bytes
        self._asked, self._documents = 0, documents
        self._clock, self._end, self._seconds = clock, clock() + seconds, seconds
        self._looked_at: float | None = None
        self._on_disk: str | None = None

    @property
    def documents_left(self) -> int | None:
        """How many documents may still be asked for, None for any number."""
        return None if self._documents is None else max(0, self._documents - self._asked)

    def ask(self) -> None:
        """Counts a document that is asked for."""
        self._asked += 1

    def reason(self) -> str | None:
        """Why nothing more is asked for."""
        if self.documents_left == 0:
            return f"the limit of {self._documents:,} documents is reached"
        if self._came() >= self._most_bytes:
            return f"this run's {self._most_bytes / 1e9:g} GB are fetched (PROPSYNC_ARCHIVE_MAX_GB)"
        if self._clock() >= self._end:
            return f"this run's {self._seconds / 60:g} minutes are over (PROPSYNC_ARCHIVE_MAX_MINUTES)"
        return self._disk_reason()

    def _disk_reason(self) -> str | None:
        if self._looked_at is None or self._clock() - self._looked_at >= _LOOK_SECONDS:
            self._looked_at, self._on_disk = self._clock(), _lack_of_room(self._folder)
        return self._on_disk


def _lack_of_room(folder: Path) -> str | None:
    disk = shutil.disk_usage(folder)
    is_room = disk.free >= _FREE_SHARE * disk.total
    return None if is_room else f"less than 10 % of the disk is free ({disk.free / 1e9:.1f} GB)"
