"""Accepted posts on the disk until a run has put them into `ops.hints`: one whole file for each group of posts."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import msgspec

from propsync.storage import LocalStorage

FOLDER = "state/hints"
_TRIES = 5
_KNOWN = (FileNotFoundError, PermissionError)  # a run took it in; somebody else made it
_DAMAGE = (OSError, ValueError, RecursionError)  # msgspec's errors are ValueErrors
_log = logging.getLogger("propsync.webhook")


class Post(msgspec.Struct, frozen=True):
    """The body of one accepted request, and when it came."""

    received_at: datetime
    body: bytes


class Inbox:
    """The folder of accepted posts. Any number of receivers may add to it; the holder of the run lock takes away."""

    def __init__(self, storage: LocalStorage) -> None:
        self._storage = storage

    def add(self, posts: Sequence[Post]) -> None:
        """Puts posts on the disk, all or none, with one fsync of a file. Raises DiskFull, HomeUnusable."""
        body = b"\n".join(map(_ENCODER.encode, posts))
        name = f"{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}-{secrets.token_hex(4)}"
        for tries_left in reversed(range(_TRIES)):
            try:
                self._storage.put(f"{FOLDER}/{name}.jsonl", body)
                return
            except FileNotFoundError:  # a run has begun, and removed what it took for a file of a killed run
                if not tries_left:
                    raise

    def check(self) -> None:
        """Raises HomeUnusable or DiskFull if nothing can be put there."""
        probe = f"{FOLDER}/{secrets.token_hex(4)}.probe"
        self._storage.put(probe, b"")
        self._storage.delete(probe)

    def files(self) -> list[str]:
        """The files, oldest first."""
        return [key for key in self._storage.list(FOLDER) if key.endswith(".jsonl")]

    def read(self, key: str) -> list[Post] | None:
        """The posts of a file; None if it is damaged, which a log line reports."""
        try:
            return self._posts(key)
        except _KNOWN:
            raise
        except _DAMAGE as error:
            _log.error("%s: propsync cannot read this file of hints: %s", key, error)
            return None

    def damaged(self) -> list[str]:
        """The files that propsync cannot read, and so leaves there."""
        return [key for key in self.files() if self._readable(key) is None]

    def count(self) -> int:
        """The number of posts that no run has taken in yet, without those of damaged files."""
        return sum(len(self._readable(key) or ()) for key in self.files())

    def _readable(self, key: str) -> list[Post] | None:
        try:
            return self._posts(key)
        except FileNotFoundError:  # a run has taken it in
            return []
        except PermissionError:
            raise
        except _DAMAGE:
            return None

    def posts(self) -> Iterator[Post]:
        """All posts; a run may take files away meanwhile."""
        for key in self.files():
            try:
                yield from self.read(key) or ()
            except FileNotFoundError:
                continue

    def _posts(self, key: str) -> list[Post]:
        return [_DECODER.decode(line) for line in self._storage.get(key).split(b"\n") if line]

    def remove(self, key: str) -> None:
        """Removes a file whose posts are in `ops.hints`."""
        self._storage.delete(key)


def name_of(key: str) -> str:
    """The file's name without its folder and ending."""
    return key.rpartition("/")[2].removesuffix(".jsonl")


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Post)
