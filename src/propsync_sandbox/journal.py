"""The log of the records that the sandbox showed, and to whom.

The sandbox makes an entry when it picks the records, under the world's lock. So its sequence is the order in which
callers saw the world. It keeps the records themselves, which never change: every byte shown, except for the signatures
that `signed_links` adds to links. `delivered` means that the whole answer went into the socket; nobody here can know
what a client does with it. It is true until sending fails, so a client that has read its answer never finds it false.
`day` is the world's date.

It also keeps each effect: a POST, PATCH, PUT or DELETE that changed the world. So tests can show that each happened
exactly once. A PATCH that sets the values that the asset already has leaves no effect.
"""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from .exchange import Write
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
    day: date | None = None
    write: Write | None = None
    sequence: int = 0
    time: float = 0.0

    @property
    def shown(self) -> tuple[tuple[Key, int], ...]:
        """(key, version) of every record shown, in order."""
        return tuple((record.key, record.version) for record in self.records)

    @property
    def is_answered(self) -> bool:
        """Whether the client got the true answer, not a planned status."""
        return self.delivered and self.fault != "status"

    def as_json(self) -> bytes:
        shown = {
            "query": self.query,
            "fault": self.fault,
            "delivered": self.delivered,
            "total": self.total,
            "shown": self.shown,
        }
        return encode(self._head() | shown)

    def write_as_json(self) -> bytes:
        """The line of its effect."""
        assert self.write is not None
        effect = {name: getattr(self.write, name) for name in ("action", "resource", "key", "values")}
        return encode(self._head() | {"fault": self.fault, "delivered": self.is_answered} | effect)

    def _head(self) -> dict[str, object]:
        return {
            "sequence": self.sequence,
            "time": round(self.time, 6),
            "day": self.day and self.day.isoformat(),
            "method": self.method,
            "path": self.path,
            "caller": self.caller,
            "status": self.status,
        }


class Journal:
    """In memory, safe between threads; a journal that is off keeps effects alone."""

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

    def writes(self) -> list[Entry]:
        """The entries with an effect, in the order of the effects."""
        return [entry for entry in self.entries() if entry.write is not None]

    def clear(self) -> None:
        """Forgets the records shown, but no effect; sequence numbers continue."""
        with self._lock:
            self._entries = [entry for entry in self._entries if entry.write is not None]

    def note(self, entry: Entry) -> int:
        """Notes an entry and returns its sequence number, 0 if the journal is off and the entry has no effect."""
        if not self.enabled and entry.write is None:
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

    def writes_as_json_lines(self) -> bytes:
        return b"".join(entry.write_as_json() + b"\n" for entry in self.writes())
