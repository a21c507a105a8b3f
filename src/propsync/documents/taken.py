"""What was asked for and is not in the tables yet: a line each, which outlives the process that wrote it."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from propsync.storage import LocalStorage

_KEY = "archive/taken.jsonl"


@dataclass(frozen=True)
class Taken:
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


class TakenStore:
    """The lines, kept until they are in the tables; a run that is killed leaves them to the next one."""

    def __init__(self, storage: LocalStorage) -> None:
        self._storage = storage
        self._lock = threading.Lock()

    def add(self, taken: Iterable[Taken]) -> None:
        """Notes some; threads may do so at once. Raises DiskFull, HomeUnusable."""
        lines = [msgspec.json.encode(one) for one in taken]
        if lines:
            with self._lock:
                self._storage.append(_KEY, b"\n".join([b"", *lines]))  # a line that death cut short ends here

    def all(self) -> list[Taken]:
        """All that are noted; a line that death cut short was never noted. What was asked twice counts as last told."""
        try:
            lines = self._storage.get(_KEY).splitlines()
        except FileNotFoundError:
            return []
        found: dict[tuple[str, str], Taken] = {}
        for line in lines:
            try:
                one = msgspec.json.decode(line, type=Taken)
            except msgspec.DecodeError:
                continue
            found[one.assessment_id, one.kind] = one
        return list(found.values())

    def clear(self) -> None:
        """Forgets them: they are in the tables."""
        self._storage.delete(_KEY)
