"""The log of the records that the sandbox showed, and to whom.

The sandbox makes an entry when it picks the records, under the world's lock. So its sequence is the order in which
callers saw the world. It keeps the records themselves, which never change: every byte shown, except for the signatures
that `signed_links` adds to links. `delivered` means that the whole answer went into the socket; nobody here can know
what a client does with it. It is true until sending fails, so a client that has read its answer never finds it false.
"""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from .jsontext import encode
from .shelf import Key, Record


@dataclass(frozen=True, slots=True)
class Entry:
    method: str
    path: str
    query: str
    caller: str
    status: int
    fault: str | None = None
    total: int | None = None
    records: tuple[Record, ...] = ()
    types: bytes | None = None
    with_flags: bool = False
    delivered: bool = True
    sequence: int = 0
    time: float = 0.0

    @property
    def shown(self) -> tuple[tuple[Key, int], ...]:
        """(key, version) of every record shown, in order."""
        return tuple((record.key, record.version) for record in self.records)

    def as_json(self) -> bytes:
        return encode(
            {
                "sequence": self.sequence,
                "time": round(self.time, 6),
                "method": self.method,
                "path": self.path,
                "query": self.query,
                "caller": self.caller,
                "status": self.status,
                "fault": self.fault,
                "delivered": self.delivered,
                "total": self.total,
                "shown": self.shown,
            }
        )


class Journal:
    """In memory, safe between threads; a journal that is off records nothing."""

    def __init__(self, enabled: bool = True) -> None:
        self.enabled = enabled
        self._lock = threading.Lock()
        self._entries: list[Entry] = []
        self._sequence = 0

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries())

    def entries(self) -> list[Entry]:
        with self._lock:
            return list(self._entries)

    def clear(self) -> None:
        """Forgets the records shown; sequence numbers continue."""
        with self._lock:
            self._entries.clear()

    def note(self, entry: Entry) -> int:
        """Notes an entry and returns its sequence number, 0 if the journal is off."""
        if not self.enabled:
            return 0
        with self._lock:
            self._sequence += 1
            self._entries.append(replace(entry, sequence=self._sequence, time=time.time()))
            return self._sequence

    def not_delivered(self, sequence: int) -> None:
        """Notes that the answer of this entry did not go out whole after all."""
        with self._lock:
            for place in range(len(self._entries) - 1, -1, -1):
                if self._entries[place].sequence == sequence:
                    self._entries[place] = replace(self._entries[place], delivered=False)
                    return

    def as_json_lines(self) -> bytes:
        return b"".join(entry.as_json() + b"\n" for entry in self.entries())
