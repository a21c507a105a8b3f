"""Documents in a bucket: each goes there as it is fetched, and comes back for a moment when somebody reads it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from propsync.documents.blobs import Blobs, key_of, rotten_key
from propsync.documents.kinds import Kind
from propsync.errors import DocumentDamaged
from propsync.storage import LocalStorage, Storage, disk_errors, remove, sha256_of_blocks
from propsync.storage.places import DOCUMENTS, ROTTEN

_MOST = 256  # documents that may wait there


class BucketBlobs(Blobs):
    """The same keys, in a bucket; documents from before are on the disk until a run puts them there.

    `partial` is a folder for copies; a run clears it of what a killed one left.

    Each verb raises StorageAway and StorageRefused too.
    """

    is_far = True

    def __init__(self, storage: LocalStorage, bucket: Storage, partial: Path) -> None:
        super().__init__(storage)
        self._bucket = bucket
        self._partial = partial
        self._cached: OrderedDict[str, Path] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, kind: Kind, sha256: str, source: BinaryIO) -> str:
        """Puts a finished file into the bucket; returns its key. The bucket has it for good on return."""
        key = key_of(kind, sha256)
        source.flush()
        self._bucket.put_file(key, Path(source.name))
        return key

    def lasting(self, keys: Collection[str]) -> set[str]:
        """All of them: `keep` returned when the bucket had them, so no request has to ask for them."""
        return {*keys}

    def path(self, key: str) -> Path:
        """A local file with the bytes of a blob, for the moment. Raises FileNotFoundError, DiskFull."""
        with suppress(FileNotFoundError):
            return super().path(key)
        with self._lock:
            if key in self._cached and self._cached[key].exists():
                self._cached.move_to_end(key)
                return self._cached[key]
        return self._fetched(key)

    def close(self) -> None:
        """Removes the files that `path` brought."""
        with self._lock:
            cached, self._cached = self._cached, OrderedDict()
        for path in cached.values():
            remove(path)

    def _fetched(self, key: str) -> Path:
        path = self._partial / f"{key.rpartition('/')[2]}.{threading.get_ident()}.partial"
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            with disk_errors(path), path.open("wb") as file:
                for block in self._bucket.read(key):
                    file.write(block)
        except BaseException:
            remove(path)
            raise
        with self._lock:
            self._cached[key] = path
            others = [self._cached.popitem(last=False)[1] for _ in range(len(self._cached) - _MOST)]
        for other in others:
            remove(other)
        return path

    def exists(self, key: str) -> bool:
        """Whether the blob exists."""
        return super().exists(key) or self._bucket.exists(key)

    def all(self) -> list[str]:
        """Every file, wanted or not."""
        return sorted({*super().all(), *self._bucket.list(DOCUMENTS)})

    def age(self, key: str) -> float:
        """Seconds since the blob was stored. Raises FileNotFoundError."""
        with suppress(FileNotFoundError):
            return super().age(key)
        return self._bucket.age(key)

    def blocks(self, key: str) -> Iterator[bytes]:
        """The bytes of a blob. Raises DocumentDamaged if it is missing."""
        if super().exists(key):
            yield from super().blocks(key)
            return
        try:
            yield from self._bucket.read(key)
        except FileNotFoundError as error:
            raise DocumentDamaged(key, "its file is missing") from error

    def sha256(self, key: str) -> str:
        """The hash of a blob's bytes, read again. Raises FileNotFoundError."""
        if super().exists(key):
            return super().sha256(key)
        return sha256_of_blocks(self._bucket.read(key))

    def put_aside(self, key: str) -> None:
        """Moves a damaged blob aside; one in the bucket stays in the bucket."""
        if super().exists(key):
            super().put_aside(key)
            return
        self._bucket.put_file(rotten_key(key), self.path(key))
        self._drop(key)
        self._bucket.delete(key)

    def aside(self) -> list[str]:
        """The keys of the damaged blobs aside."""
        return sorted({*super().aside(), *self._bucket.list(ROTTEN)})

    def remove(self, key: str) -> None:
        """Removes a blob, what is aside of it, and the copy of it that `path` brought."""
        self._drop(key)
        super().remove(key)
        self._bucket.delete(key)

    def remove_aside(self, key: str) -> None:
        """Removes what is aside of a blob."""
        super().remove_aside(key)
        self._bucket.delete(rotten_key(key))

    def _drop(self, key: str) -> None:
        """Removes the copy that `path` brought."""
        with self._lock:
            cached = self._cached.pop(key, None)
        if cached is not None:
            remove(cached)
