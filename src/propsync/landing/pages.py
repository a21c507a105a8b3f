"""Bodies of answers, each stored once, by the hash of its content, in the form in which it came."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import zlib
from collections.abc import Collection

import zstandard

from propsync.errors import PageLost
from propsync.memory import Passing
from propsync.storage import LocalStorage, why_unread

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_FOLDER = "landing/pages"


class PageStore:
    """`landing/pages/<aa>/<sha256>`; the hash is that of the decompressed bytes.

    JSON never begins with the first bytes of a compressed stream, so a stored page itself shows how to read it.
    """

    def __init__(self, storage: LocalStorage) -> None:
        self._storage = storage
        self._passing = Passing()

    def put(self, raw: bytes, body: bytes, known: str | None = None) -> str:
        """Stores one body as received, or unpacked if `raw` does not say how it is packed. Returns the hash.

        A body that is stored already stays, unless it is damaged. `known` is the hash, if the caller has it.
        """
        self._passing.note(len(body))
        sha256 = known or sha256_of(body)
        kept = raw if raw.startswith((_GZIP, _ZSTD)) else body
        if not self._is_stored(sha256, kept):
            self._storage.put(page_key(sha256), kept)
        return sha256

    def get(self, sha256: str) -> bytes:
        """The decompressed bytes of that hash, without a byte-order mark. Raises PageLost if they are missing or
        changed.
        """
        try:
            body = _unpacked(self._storage.get(page_key(sha256)))
        except FileNotFoundError as error:
            raise PageLost(page_key(sha256), "it is missing") from error
        except (OSError, EOFError, zlib.error, zstandard.ZstdError) as error:
            raise PageLost(page_key(sha256), why_unread(error)) from error
        self._passing.note(len(body))
        if sha256_of(body) != sha256:
            raise PageLost(page_key(sha256), "it has changed since propsync received it")
        return body.removeprefix(codecs.BOM_UTF8)

    def keep_only(self, named: Collection[str]) -> int:
        """Removes the bodies whose hash is not among `named`; returns how many."""
        stored = self._storage.list(_FOLDER)
        unnamed = [key for key in stored if key.rpartition("/")[2] not in named]
        for key in unnamed:
            self._storage.delete(key)
        return len(unnamed)

    def _is_stored(self, sha256: str, kept: bytes) -> bool:
        """Whether the body exists and is sound; equal bytes need not be unpacked for that."""
        try:
            if self._storage.get(page_key(sha256)) != kept:
                self.get(sha256)
        except (OSError, PageLost):
            return False
        return True


def _unpacked(stored: bytes) -> bytes:
    if stored.startswith(_GZIP):
        return gzip.decompress(stored)
    if stored.startswith(_ZSTD):
        # a body may be several frames, one after the other
        with zstandard.ZstdDecompressor().stream_reader(stored, read_across_frames=True) as frames:
            return frames.read()
    return stored


def sha256_of(body: bytes) -> str:
    """The name of a body."""
    return hashlib.sha256(body).hexdigest()


def page_key(sha256: str) -> str:
    """The key of the body with a hash."""
    return f"{_FOLDER}/{sha256[:2]}/{sha256}"
