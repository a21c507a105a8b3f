"""A shelf holds the records of one resource, each as the JSON that the API shows, with a version that only grows.

A `Record` never changes: an edit replaces it by a new one. So a page under way, and the journal, can keep their records
without a lock and without a copy.
"""

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

from .changes import ChangeLog
from .jsontext import JsonObject, decode_exactly, encode

Key = str | tuple[str, str]


@dataclass(frozen=True, slots=True)
class Record:
    """One version of one record. `flags` (API §2.4) are separate because only `includeflags` shows them."""

    key: Key
    version: int
    body: bytes
    property: str
    type: str
    status: str | None = None
    performed: frozenset[str] = frozenset()
    flags: bytes = b""

    def shown(self, with_flags: bool = False) -> bytes:
        """The JSON bytes for a client."""
        if not (with_flags and self.flags):
            return self.body
        return self.body[:-1] + b',"flags":' + self.flags + b"}"

    def members(self, with_flags: bool = True) -> JsonObject:
        """The record as a fresh dict, decimals exact."""
        members: JsonObject = decode_exactly(self.shown(with_flags))
        return members


class Shelf:
    """The records of one resource in the order of their creation; a deleted one can come back.

    `resource` names them in the log of changes, if there is one: `log` is None for a shelf without.
    """

    resource = ""
    log: ChangeLog | None = None

    def __init__(self, lock: threading.RLock, rng: Random) -> None:
        self.lock = lock
        self.rng = rng
        self._standing: dict[Key, Record] = {}
        self._gone: dict[Key, Record] = {}

    def __len__(self) -> int:
        return len(self._standing)

    def __contains__(self, key: Key) -> bool:
        return key in self._standing

    def get(self, key: Key) -> Record | None:
        return self._standing.get(key)

    def records(self) -> list[Record]:
        with self.lock:
            return list(self._standing.values())

    def keys(self) -> list[Key]:
        with self.lock:
            return list(self._standing)

    def gone_keys(self) -> list[Key]:
        with self.lock:
            return list(self._gone)

    def by_key(self) -> dict[Key, Record]:
        with self.lock:
            return dict(self._standing)

    def truth(self) -> dict[Key, JsonObject]:
        """The records that the API would show now (flags included), as dicts; decimals are `decimal.Decimal`."""
        return {record.key: record.members() for record in self.records()}

    def delete(self, key: Key) -> Record:
        """Deletes a record; raises KeyError if it does not exist."""
        with self.lock:
            record = self._standing.pop(key)
            self._gone[key] = record
            if self.log is not None:
                self.log.note(self.resource, record, None)
            return record

    def bring_back(self, key: Key) -> Record:
        """Brings the same id back, as it was, with a higher version; raises KeyError if nobody deleted it."""
        with self.lock:
            last = self._gone[key]
            return self._put(key, last.members(with_flags=False), last.performed, last.flags)

    def pick(self, rng: Random | None = None) -> Key:
        """Any key."""
        return (rng or self.rng).choice(self.keys())

    def _put(
        self, key: Key, members: JsonObject, performed: Iterable[str] = (), flags: bytes = b"", body: bytes = b""
    ) -> Record:
        with self.lock:
            record = Record(
                key=key,
                version=self._next_version(key),
                body=body or encode(members),
                property=members.get("property", ""),  # a property, say, has none
                type=members.get("type", ""),
                status=members.get("status"),
                performed=frozenset(performed),
                flags=flags,
            )
            self._gone.pop(key, None)
            before = self._standing.get(key)
            self._standing[key] = record
            if self.log is not None:
                self.log.note(self.resource, before, record)
            return record

    def _replace(self, record: Record, members: JsonObject) -> Record:
        """Puts a new version in the same place, and keeps everything that is not in the JSON."""
        return self._put(record.key, members, record.performed, record.flags)

    def _next_version(self, key: Key) -> int:
        last = self._standing.get(key) or self._gone.get(key)
        return last.version + 1 if last else 1
