"""Requested documents that are not in the tables yet: one line each, which outlives its process."""

from __future__ import annotations

import threading

import msgspec

from propsync.storage import LineFile, LocalStorage
from propsync.storage.seals import sealed_line, unsealed_line

_KEY = "archive/taken.jsonl"


class Fetched(msgspec.Struct, frozen=True):
    """The result of one request: `outcome` is stored, missing or failed; times are ISO texts in UTC.

    `of_changed_at` is the assessment's version at the request. `path` is relative to home.
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
    """The lines, until they are in the tables; a killed run leaves them to the next one."""

    def __init__(self, storage: LocalStorage) -> None:
        self._storage = storage
        self._lock = threading.Lock()
        self._open: LineFile | None = None

    def add(self, taken: Fetched) -> None:
        """Notes one result; threads may call it at once. Raises DiskFull, HomeUnusable."""
        line = sealed_line(msgspec.json.encode(taken))
        with self._lock:
            self._open = self._open or self._storage.lines(_KEY)
            self._open.add(line)

    def all(self) -> list[Fetched]:
        """The noted results, without lines that a kill or the disk spoilt. Of two of a document, the last counts."""
        try:
            lines = self._storage.get(_KEY).splitlines()
        except FileNotFoundError:
            return []
        found: dict[tuple[str, str], Fetched] = {}
        for line in lines:
            try:
                one = msgspec.json.decode(unsealed_line(line), type=Fetched)
            except ValueError:  # SealBroken is one, and so are msgspec's errors
                continue
            found[one.assessment_id, one.kind] = one
        return list(found.values())

    def clear(self) -> None:
        """Forgets them: they are in the tables."""
        self.close()
        self._storage.delete(_KEY)

    def close(self) -> None:
        """Closes the file; its lines stay."""
        with self._lock:
            if self._open:
                self._open.close()
            self._open = None
