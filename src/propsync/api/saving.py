"""A document on its way to a file: hashed as it comes, and gone on with where it broke off (spec 4.7, 4.8)."""

from __future__ import annotations

import errno
import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import BinaryIO

from propsync.api.answers import Saved
from propsync.api.bodies import HEADER_BYTES, check_header
from propsync.api.decoding import Decoder, decoded, encoding_of
from propsync.api.exchange import Receiving, Resuming
from propsync.api.retry import Setback
from propsync.api.transport import check_bound
from propsync.errors import DiskFull, HomeUnusable
from propsync.storage import write_all

_OVERLAP = 4_096
"""Bytes that are asked for a second time: only a body that repeats them, and is as long as before, is the same one."""
_LOT = 1 << 20
"""Bytes that are hashed and written at once: each of these lets another thread go first."""
_PART = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18})")
_VERSION = ("etag", "last-modified")


class Saving(Resuming):
    """Writes a body of at most `bound` bytes to `into`, a seekable file, from where it stands, which is its end.

    A repeat goes on where the last attempt broke off, if the server offers ranges (`Accept-Ranges: bytes`, which spec 4
    does not show) and the part fits what is there; else it begins afresh. Raises PageTooLarge, DiskFull, HomeUnusable.
    """

    def __init__(self, into: BinaryIO, bound: int) -> None:
        self._into = into
        self._bound = bound
        self._whole: int | None = None
        self._version: list[str | None] = []
        self._has_asked = False
        self._digest, self._size, self._head = hashlib.sha256(), 0, b""
        self._waiting: list[bytes] = []
        self._written = 0

    def resumes_at(self) -> int:
        """From which byte of the body on to ask, 0 for all of it; a server that refuses the rest is asked for all."""
        is_worth_it = self._whole is not None and self._size > _OVERLAP and not self._has_asked
        self._has_asked = is_worth_it
        return self._size - _OVERLAP if is_worth_it else 0

    def __call__(self, receiving: Receiving) -> Saved:
        """Reads one good answer to its end."""
        where, headers = receiving.where, receiving.reply.headers
        encoding = encoding_of(headers.get("content-encoding", ""), where)
        chunks = decoded(receiving.chunks(self._bound), Decoder(encoding, where))
        self._has_asked = False
        if receiving.reply.status == 206:
            chunks = self._rest(chunks, headers)
        else:
            self._begin_afresh()
            self._whole = None if encoding else _resumable_length(headers)
            self._version = _version(headers)
        try:
            for chunk in chunks:
                self._take(chunk, where)
        finally:  # what came before a body broke off is gone on with
            self._hand_over(where)
        self._check_end(receiving)
        return Saved(self._size, self._digest.hexdigest(), receiving.attempts)

    def _begin_afresh(self) -> None:
        self._digest, self._size, self._head = hashlib.sha256(), 0, b""
        self._whole, self._has_asked = None, False
        if self._written:
            with _disk_errors("the document"):
                self._into.seek(-self._written, os.SEEK_CUR)
                self._into.truncate()
        self._waiting, self._written = [], 0

    def _rest(self, chunks: Iterator[bytes], headers: Mapping[str, str]) -> Iterator[bytes]:
        """The bytes that are new, once the first of the part have shown that it belongs to what is there."""
        part = _PART.fullmatch(headers.get("content-range", "").strip())
        is_fitting = (
            part is not None
            and (int(part[1]), int(part[3])) == (self._size - _OVERLAP, self._whole)
            and _version(headers) == self._version
        )
        overlap, begun = self._end_of_file(), b""
        for chunk in chunks if is_fitting else ():
            begun += chunk
            if len(begun) >= _OVERLAP:
                break
        if begun[:_OVERLAP] != overlap:
            self._begin_afresh()
            raise Setback("the rest of the document does not fit what came before")
        yield begun[_OVERLAP:]
        yield from chunks

    def _end_of_file(self) -> bytes:
        with _disk_errors("the document"):
            self._into.seek(-_OVERLAP, os.SEEK_CUR)
            return self._into.read(_OVERLAP)

    def _take(self, chunk: bytes, where: str) -> None:
        if len(self._head) < HEADER_BYTES:
            self._head = (self._head + chunk)[:HEADER_BYTES]
        check_bound(where, self._size + len(chunk), self._bound)
        self._waiting.append(chunk)
        self._size += len(chunk)
        if self._size - self._written >= _LOT:
            self._hand_over(where)

    def _hand_over(self, where: str) -> None:
        """Hashes and writes what waits."""
        lot = b"".join(self._waiting)
        self._waiting = []
        self._digest.update(lot)
        with _disk_errors(where):
            write_all(self._into, lot)
            self._into.flush()
        self._written += len(lot)

    def _check_end(self, receiving: Receiving) -> None:
        whole, self._whole = self._whole, None  # what is whole is not gone on with
        if whole is not None and whole != self._size:
            raise Setback(f"{self._size:,} of {whole:,} bytes came")
        check_header(receiving.request.accept, self._head, receiving.where)


def _version(headers: Mapping[str, str]) -> list[str | None]:
    """What tells one version of a body from another, where the server says it."""
    return [headers.get(name) for name in _VERSION]


def _resumable_length(headers: Mapping[str, str]) -> int | None:
    """How long the body is, where the server offers parts of it."""
    declared = headers.get("content-length", "")
    is_offered = headers.get("accept-ranges", "").strip().lower() == "bytes"
    return int(declared) if is_offered and declared.isdecimal() else None


@contextmanager
def _disk_errors(where: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise DiskFull(where, f"the document cannot be written: {error.strerror}") from error
        raise HomeUnusable(where, f"the document cannot be written: {error.strerror}") from error
