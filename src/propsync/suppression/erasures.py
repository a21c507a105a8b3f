"""The erasures of a home, as files beside landing: each says what it erased by marks alone, and what is left of it."""

from __future__ import annotations

import dataclasses
import secrets
from dataclasses import dataclass, replace
from datetime import datetime

import msgspec

from propsync.errors import StateUnusable
from propsync.storage import LocalStorage, step_against, why_unread
from propsync.storage.seals import sealed, unsealed
from propsync.suppression.marks import Mark, Marker

FOLDER = "landing/erasures"
_KEY = f"{FOLDER}/key"
_KEY_BYTES = 32
_RESTORE = "Restore landing/erasures from a backup, then run again. Without a backup, run"
BEGUN, DONE, FORGOTTEN = "begun", "done", "forgotten"

Path = tuple[str, ...]


@dataclass(frozen=True)
class ErasedVersion:
    """A version of an erased record: it stays in history, without its content."""

    resource: str
    valid_from: datetime
    valid_to: datetime | None
    run_id: str


@dataclass(frozen=True)
class SameVersion:
    """A version that differed from the one before in nothing but what was erased: history keeps its interval."""

    resource: str
    key: tuple[str, ...]
    valid_from: datetime
    run_id: str


@dataclass(frozen=True)
class Erasure:
    """One erasure. `kind` is asset, assessment, field or text; `state` is begun, done or forgotten.

    `record` and `field` are what names a record, and a field of records; a field with a record is a field of that
    record alone. `record_paths` lead from a record to its id, `field_paths` from a field result to its field's id.
    `pseudonym` replaces the id, unless the id has to stay.
    """

    erasure_id: str
    kind: str
    erased_at: datetime
    reason: str
    state: str = BEGUN
    record: Mark | None = None
    field: Mark | None = None
    text: Mark | None = None
    record_paths: tuple[Path, ...] = ()
    field_paths: tuple[Path, ...] = ()
    pseudonym: str | None = None
    counts: dict[str, int] = dataclasses.field(default_factory=dict)
    versions: tuple[ErasedVersion, ...] = ()
    same: tuple[SameVersion, ...] = ()
    documents: tuple[str, ...] = ()
    """The hashes of the documents that it removed."""
    key: str = ""
    """The check of the key that made its marks; an earlier version noted none."""
    name: Mark | None = None
    """An erased text as the names of tables and columns have it, with spaces between words."""

    @property
    def marks(self) -> tuple[Mark, ...]:
        """Everything that it knows again."""
        return tuple(filter(None, (self.record, self.field, self.text)))

    @property
    def resource(self) -> str | None:
        """The resource of an erased record."""
        return {"asset": "assets", "assessment": "assessments"}.get(self.kind)

    def is_of_other_key(self, marker: Marker) -> bool:
        """Whether another key made its marks, so that this one finds nothing of it; not if nobody looks for it."""
        return self.state != FORGOTTEN and self.key not in ("", marker.check)

    def is_same_request(self, other: Erasure) -> bool:
        """Whether both erase the same thing."""
        return (self.kind, *self.marks) == (other.kind, *other.marks)


class Erasures:
    """`landing/erasures/<id>.json`, and the key of all marks beside them: with landing, they outlive a lost state."""

    def __init__(self, storage: LocalStorage) -> None:
        self._storage = storage

    def all(self) -> list[Erasure]:
        """Every erasure, in the order of their times. Raises StateUnusable for a file that cannot be read."""
        keys = [key for key in self._storage.list(FOLDER) if key.endswith(".json")]
        return sorted(map(self._read, keys), key=lambda one: (one.erased_at, one.erasure_id))

    def active(self) -> list[Erasure]:
        """Those that keep what they erased from coming back."""
        return [one for one in self.all() if one.state != FORGOTTEN]

    def unfinished(self) -> Erasure | None:
        """The erasure that a killed command left behind."""
        return next((one for one in self.all() if one.state == BEGUN), None)

    def put(self, erasure: Erasure) -> Erasure:
        """Keeps an erasure, in one step."""
        body = msgspec.json.format(msgspec.json.encode(erasure), indent=1)
        self._storage.put(f"{FOLDER}/{erasure.erasure_id}.json", sealed(body))
        return erasure

    def change(self, erasure: Erasure, **changed: object) -> Erasure:
        """Keeps an erasure with some of its facts changed."""
        return self.put(replace(erasure, **changed))  # type: ignore[arg-type]

    def marker(self) -> Marker:
        """Makes and finds marks; makes the key with the first erasure. Raises StateUnusable if the key is lost."""
        key = self._key()
        if key is None:
            if self.active():
                what = "it is missing or damaged, and without it erased records would come back"
                raise StateUnusable(_KEY, what, f"{_RESTORE} `propsync erase --forget` with each id in that folder")
            key = secrets.token_bytes(_KEY_BYTES)
            self._storage.put(_KEY, f"{key.hex()}\n{Marker(key).check}\n".encode())
        marker = Marker(key)
        for one in self.active():
            if one.is_of_other_key(marker):
                what = f"it is not the key of erasure {one.erasure_id}, which would come back"
                raise StateUnusable(_KEY, what, f"{_RESTORE} `propsync erase --forget {one.erasure_id}`")
        return marker

    def damaged(self) -> list[str]:
        """Its files that cannot be read, and a key that is not that of each mark."""
        key = self._key()
        marker = Marker(key) if key is not None else None
        found = [_KEY] if self._storage.exists(_KEY) and marker is None else []
        for name in self._storage.list(FOLDER):
            if name.endswith(".json"):
                try:
                    one = self._read(name)
                except StateUnusable:
                    found.append(name)
                else:
                    found += [_KEY] if marker is not None and one.is_of_other_key(marker) else []
        return found

    def _key(self) -> bytes | None:
        """The key; None if it is missing, or its file has changed. One of an earlier version has no check."""
        try:
            digits, *check = self._storage.get(_KEY).decode().split()
            key = bytes.fromhex(digits)
        except (FileNotFoundError, ValueError):
            return None
        return key if len(key) == _KEY_BYTES and check in ([], [Marker(key).check]) else None

    def _read(self, key: str) -> Erasure:
        try:
            return msgspec.json.decode(unsealed(self._storage.get(key)), type=Erasure)
        except (OSError, ValueError) as error:
            step = step_against(error)  # a file that only its rights or the disk keep from us may be whole
            step = step or "Restore landing/erasures from a backup, or remove this file, then run again"
            raise StateUnusable(key, why_unread(error), step) from error


def new_id() -> str:
    """The id of a new erasure."""
    return secrets.token_hex(6)
