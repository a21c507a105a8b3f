"""The verbs of a storage, which every implementation keeps (docs/adding-a-storage.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol


class Storage(Protocol):
    """Files by keys with `/`. A reader sees a whole file or none; a file that a verb has stored outlives a crash.

    Each verb raises StopRun if the storage cannot be used: DiskFull, HomeUnusable, StorageAway, StorageRefused.
    """

    def put(self, key: str, body: bytes) -> None:
        """Stores `body`, over any file of that key."""

    def put_new(self, key: str, body: bytes) -> bool:
        """Stores `body` if `key` is absent; whether `key` has that body now."""

    def put_file(self, key: str, source: Path) -> None:
        """Stores a finished file of any size; the file at `source` may be gone afterwards."""

    def get(self, key: str) -> bytes:
        """The bytes under `key`. Raises FileNotFoundError."""

    def get_range(self, key: str, start: int, length: int) -> bytes:
        """Some of the bytes under `key`. Raises FileNotFoundError."""

    def read(self, key: str) -> Iterator[bytes]:
        """The bytes under `key`, block by block. Raises FileNotFoundError."""

    def exists(self, key: str) -> bool:
        """Whether `key` exists."""

    def list(self, prefix: str) -> Iterable[str]:
        """Keys in the folder `prefix` and below, sorted."""

    def age(self, key: str) -> float:
        """Seconds since the file under `key` was stored. Raises FileNotFoundError."""

    def tags(self, prefix: str) -> Iterable[tuple[str, str]]:
        """The same, each with a tag that differs when its bytes do."""

    def delete(self, key: str) -> None:
        """Removes the file under `key`, if there is one."""

    def tagged(self, key: str) -> tuple[bytes, str] | None:
        """A small file's bytes, and the tag that `swap` wants; None without the file."""

    def swap(self, key: str, body: bytes, tag: str | None) -> str | None:
        """Replaces a small file that still has `tag` (None: that is absent); its new tag, None if it has another.

        Each `body` must differ from all others: an answer may be lost, and then only the file tells whose it is. After
        None, `body` may have been there for a moment, if another has replaced it meanwhile.
        """
