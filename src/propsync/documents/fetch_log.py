"""What was asked for and is not in the tables yet: a line each, which outlives the process that wrote it."""

from __future__ import annotations

import threading

import msgspec

from propsync.storage import LineFile, LocalStorage

_KEY = "archive/taken.jsonl"


class Fetched(msgspec.Struct, frozen=True):
    """How one document came: `outcome` is stored, missing or failed; times are ISO texts in UTC.

    `of_changed_at` is the version of the assessment that it was asked for. `path` is relative to home.
    """

    assessment_id: str
    kind: str
    outcome: str
    asked_at: str
    of_changed_at: str
    sha256: str | None = None
    size_bytes: int | None = None
    path: str | None = None
    error: str | None = None
    same_text_as: str | None = None


class FetchLog:
    """The lines, kept until they are in the tables; a run that is killed leaves them to the next one."""

    def __init__(self, storage: LocalStorage) -> None:
        self._storage = storage
        self._lock = threading.Lock()
        self._open: LineFile | None = None

    def add(self, taken: Fetched) -> None:
        """Notes one; threads may do so at once. Raises DiskFull, HomeUnusable."""
        line = msgspec.json.encode(taken)
        with self._lock:
            self._open = self._open or self._storage.lines(_KEY)
            self._open.add(line)

    def all(self) -> list[Fetched]:
        """All that are noted; a line that death cut short was never noted. What was asked twice counts as last told."""
        try:
            lines = self._storage.get(_KEY).splitlines()
        except FileNotFoundError:
            return []
        found: dict[tuple[str, str], Fetched] = {}
        for line in lines:
            try:
                one = msgspec.json.decode(line, type=Fetched)
            except msgspec.DecodeError:
                continue
            found[one.assessment_id, one.kind] = one
        return list(found.values())

    def clear(self) -> None:
        """Forgets them: they are in the tables."""
        self.close()
        self._storage.delete(_KEY)

    def close(self) -> None:
        """Closes the file; what is noted stays noted."""
        with self._lock:
            if self._open:
                self._open.close()
            self._open = None
