"""What one archive run may use: bytes, minutes, a number of documents, and the disk down to a tenth of it."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path

_FREE_SHARE = 0.1


class Budget:
    """Counts down; `reason` says in words why nothing more is to be asked for, None while there is room.

    `most_bytes` and `seconds` bound a run, `documents` is None for any number; `folder` is on the disk that fills.
    """

    def __init__(
        self,
        folder: Path,
        *,
        most_bytes: float,
        seconds: float,
        documents: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder = folder
        self._bytes, self._most_bytes = 0, most_bytes
        self._asked, self._documents = 0, documents
        self._clock, self._end, self._seconds = clock, clock() + seconds, seconds

    @property
    def documents_left(self) -> int | None:
        """How many documents may still be asked for, None for any number."""
        return None if self._documents is None else max(0, self._documents - self._asked)

    def ask(self) -> None:
        """Counts a document that is asked for."""
        self._asked += 1

    def spend(self, size: int) -> None:
        """Counts bytes that came."""
        self._bytes += size

    def reason(self) -> str | None:
        """Why nothing more is asked for."""
        if self.documents_left == 0:
            return f"the limit of {self._documents:,} documents is reached"
        if self._bytes >= self._most_bytes:
            return f"this run's {self._most_bytes / 1e9:g} GB are fetched (PROPSYNC_ARCHIVE_MAX_GB)"
        if self._clock() >= self._end:
            return f"this run's {self._seconds / 60:g} minutes are over (PROPSYNC_ARCHIVE_MAX_MINUTES)"
        disk = shutil.disk_usage(self._folder)
        if disk.free < _FREE_SHARE * disk.total:
            return f"less than 10 % of the disk is free ({disk.free / 1e9:.1f} GB)"
        return None
