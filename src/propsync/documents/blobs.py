"""Documents as files, each kept once, by the hash of its bytes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import BinaryIO

from propsync.documents.kinds import Kind
from propsync.errors import DocumentDamaged
from propsync.storage import LocalStorage, remove, sha256_of_file, sync_open, write_blocks
from propsync.storage.places import DOCUMENTS, ROTTEN


class Blobs:
    """`archive/blobs/<aa>/<sha256>.<pdf|zip>`; every file in it is whole."""

    def __init__(self, storage: LocalStorage) -> None:
        self._storage = storage

    def keep(self, kind: Kind, sha256: str, source: BinaryIO) -> str:
        """Moves a finished file in, over one with the same bytes; returns its path, relative to home.

        Its bytes are on the disk on return, its name only after `lasting`. Raises DiskFull, HomeUnusable.
        """
        key = key_of(kind, sha256)
        sync_open(source)
        self._storage.place(key, Path(source.name))
        return key

    is_far = False
    """Whether each reading of a blob costs a request."""

    def lasting(self, keys: Collection[str]) -> set[str]:
        """Waits until blobs outlive a power cut; returns those that exist, as a line may outlive its file's name.

        Raises DiskFull, HomeUnusable.
        """
        self._storage.settle(keys)
        return {key for key in keys if self.exists(key)}

    def close(self) -> None:
        """Removes files that a reader needed for the moment."""

    def path(self, key: str) -> Path:
        """The file of a blob. Raises FileNotFoundError."""
        return self._storage.path(key)

    def exists(self, key: str) -> bool:
        """Whether the blob exists."""
        return self._storage.exists(key)

    def count_gone(self, keys: Iterable[str]) -> int:
        """How many of the keys, which come in order, have no file; it looks at names alone. Raises HomeUnusable."""
        folders = groupby(keys, key=lambda key: key.rpartition("/")[0])
        return sum(len({*lot}.difference(self._storage.list(folder))) for folder, lot in folders)

    def all(self) -> list[str]:
        """Every file, wanted or not."""
        return self._storage.list(DOCUMENTS)

    def sha256(self, key: str) -> str:
        """The hash of a blob's bytes, read again. Raises FileNotFoundError, and OSError if it cannot be read."""
        return sha256_of_file(self._storage.path(key))

    def copy(self, key: str, sha256: str, target: Path) -> None:
        """Copies a blob to a new file and verifies the copy; removes a copy that is not correct.

        Raises DocumentDamaged if the blob is missing, unreadable or changed; OSError if the target's disk fails.
        """
        try:
            with target.open("xb") as writer:
                copied = write_blocks(writer, self.blocks(key))
        except DocumentDamaged:
            remove(target)
            raise
        if copied != sha256:
            remove(target)
            raise DocumentDamaged(key, "its bytes have changed since propsync stored it")

    def age(self, key: str) -> float:
        """Seconds since the blob was stored. Raises FileNotFoundError."""
        return self._storage.age(key)

    def blocks(self, key: str) -> Iterator[bytes]:
        """The bytes of a blob. Raises DocumentDamaged if it is missing or unreadable."""
        path = str(self._storage.root / key)
        try:
            yield from self._storage.read(key)
        except FileNotFoundError as error:
            raise DocumentDamaged(path, "its file is missing") from error
        except OSError as error:
            raise DocumentDamaged(path, f"its file cannot be read: {error.strerror}") from error

    def put_aside(self, key: str) -> None:
        """Moves a damaged blob to where no reader takes it for whole. Raises DiskFull, HomeUnusable."""
        self._storage.place(rotten_key(key), self._storage.root / key)
        self._storage.settle([rotten_key(key)])

    def aside(self) -> list[str]:
        """The keys of the damaged blobs aside."""
        return self._storage.list(ROTTEN)

    def remove(self, key: str) -> None:
        """Removes a blob, and what is aside of it."""
        self._storage.delete(key)
        self.remove_aside(key)

    def remove_aside(self, key: str) -> None:
        """Removes what is aside of a blob."""
        self._storage.delete(rotten_key(key))

    def remove_by_hash(self, hashes: Collection[str], *, but: Collection[str] = ()) -> None:
        """Removes the blobs with these hashes of their bytes, but for the keys in `but`."""
        for key in [*self.all(), *map(blob_key, self.aside())] if hashes else ():
            if Path(key).stem in hashes and key not in but:
                self.remove(key)


def key_of(kind: Kind, sha256: str) -> str:
    """The path of a document with these bytes, relative to home."""
    return f"{DOCUMENTS}/{sha256[:2]}/{sha256}{kind.suffix}"


def rotten_key(key: str) -> str:
    """The place aside of a blob."""
    return ROTTEN + key.removeprefix(DOCUMENTS)


def blob_key(rotten: str) -> str:
    """The blob that a file aside was."""
    return DOCUMENTS + rotten.removeprefix(ROTTEN)
