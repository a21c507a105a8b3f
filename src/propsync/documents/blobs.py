"""Documents as files, each kept once, by the hash of its bytes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from propsync.documents.kinds import KINDS, Kind
from propsync.storage import LocalStorage, remove

_FOLDER = "archive/blobs"


class Blobs:
    """`archive/blobs/<aa>/<sha256>.<pdf|zip>`; what is there is whole, and is never written again."""

    def __init__(self, storage: LocalStorage) -> None:
        self._storage = storage

    def keep(self, kind: Kind, sha256: str, source: Path) -> str:
        """Moves a finished file in; returns where it is, relative to home. Raises DiskFull, HomeUnusable."""
        key = key_of(kind, sha256)
        if self._storage.exists(key):
            remove(source)
        else:
            self._storage.put_file(key, source)
        return key

    def path(self, key: str) -> Path:
        """The file of a blob. Raises FileNotFoundError."""
        return self._storage.path(key)

    def all(self) -> Iterator[str]:
        """Every blob there is, wanted or not."""
        suffixes = tuple(kind.suffix for kind in KINDS.values())
        return (key for key in self._storage.list(_FOLDER) if key.endswith(suffixes))

    def remove(self, key: str) -> None:
        """Removes a blob."""
        self._storage.delete(key)


def key_of(kind: Kind, sha256: str) -> str:
    """Where a document with these bytes is kept, relative to home."""
    return f"{_FOLDER}/{sha256[:2]}/{sha256}{kind.suffix}"
