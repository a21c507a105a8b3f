"""Saves a document to a file: hashes it as it comes, and resumes after an interruption (API §4.7, 4.8)."""

from __future__ import annotations

import errno
import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import BinaryIO

from propsync.api.answers import Saved
from propsync.api.bodies import HEADER_BYTES, check_age, check_header
from propsync.api.decoding import Decoder, decoded, encoding_of
from propsync.api.exchange import Receiving, Resuming
from propsync.api.requests import Rest
from propsync.api.retry import Setback
from propsync.api.transport import check_bound
from propsync.errors import DiskFull, FileLimited, HomeUnusable
from propsync.storage import step_against, write_all

_OVERLAP = 4_096
"""Bytes to request a second time: a server may send one version's ETag with another version's bytes."""
_LOT = 1 << 20
"""Bytes to hash and write at once: after each of these another thread can run."""
_PART = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18})")
_STRONG = re.compile(r'"[\x21\x23-\x7e\x80-\xff]{1,500}"')
"""A strong ETag (RFC 9110, 8.8.3). Without one nothing shows that two answers are byte for byte of one version."""


class Saving(Resuming):
    """Writes a body of at most `bound` bytes to `into`, a seekable file, from its position, which is its end.

    A repeat resumes where the last attempt stopped, if the server offers ranges (`Accept-Ranges: bytes`, which API §4
    does not show) and gave a strong ETag. Otherwise it starts again. It sends that ETag as `If-Range`, and accepts only
    a part that has the same one. Raises PageTooLarge, DiskFull, HomeUnusable.
    """

    def __init__(self, into: BinaryIO, bound: int) -> None:
        self._into = into
        self._bound = bound
        self._whole: int | None = None
        self._etag: str | None = None
        self._has_asked = False
        self._digest, self._size, self._head = hashlib.sha256(), 0, b""
        self._waiting: list[bytes] = []
        self._written = 0

    def rest(self) -> Rest | None:
        """The part of the body to request, None for all of it; if a server refuses a part, it requests everything."""
        is_safe = self._whole is not None and self._etag is not None
        self._has_asked = is_safe and self._size > _OVERLAP and not self._has_asked
        return Rest(self._size - _OVERLAP, self._etag or "") if self._has_asked else None

    def __call__(self, receiving: Receiving) -> Saved:
        """Reads one good answer to its end."""
        where, headers = receiving.where, receiving.reply.headers
        check_age(headers.get("age"), where)
        encoding = encoding_of(headers.get("content-encoding", ""), where)
        chunks = decoded(receiving.chunks(self._bound), Decoder(encoding, where))
        self._has_asked = False
        if receiving.reply.status == 206:
            chunks = self._rest(chunks, headers)
        else:
            self._begin_afresh()
            self._whole = None if encoding else _resumable_length(headers)
            self._etag = _strong_etag(headers)
        try:
            for chunk in chunks:
                self._take(chunk, where)
        finally:  # an attempt may resume from the bytes before the interruption
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
        """The new bytes, once the start of the part matches the end of the file."""
        overlap, begun = self._end_of_file(), b""
        for chunk in chunks if self._fits(headers) else ():
            begun += chunk
            if len(begun) >= _OVERLAP:
                break
        if begun[:_OVERLAP] != overlap:
            self._begin_afresh()
            raise Setback("the rest of the document does not match the part before")
        yield begun[_OVERLAP:]
        yield from chunks

    def _fits(self, headers: Mapping[str, str]) -> bool:
        """Whether a part is the requested one, to the end of the body, and of the same version."""
        part = _PART.fullmatch(headers.get("content-range", "").strip())
        if part is None or self._whole is None or headers.get("content-encoding", "identity").strip() != "identity":
            return False
        first, last, whole = map(int, part.groups())
        is_rest = (first, last, whole) == (self._size - _OVERLAP, self._whole - 1, self._whole)
        is_as_long = headers.get("content-length", str(last - first + 1)) == str(last - first + 1)
        return is_rest and is_as_long and self._etag is not None and _strong_etag(headers) == self._etag

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
        """Hashes and writes the buffered bytes."""
        lot = b"".join(self._waiting)
        self._waiting = []
        self._digest.update(lot)
        with _disk_errors(where):
            write_all(self._into, lot)
            self._into.flush()
        self._written += len(lot)

    def _check_end(self, receiving: Receiving) -> None:
        whole, self._whole = self._whole, None  # a complete body needs no resume
        if whole is not None and whole != self._size:
            raise Setback(f"{self._size:,} of {whole:,} bytes arrived")
        check_header(receiving.request.accept, self._head, receiving.where)


def _strong_etag(headers: Mapping[str, str]) -> str | None:
    etag = headers.get("etag", "").strip()
    return etag if _STRONG.fullmatch(etag) else None


def _resumable_length(headers: Mapping[str, str]) -> int | None:
    """The length of the body, if the server offers parts of it."""
    declared = headers.get("content-length", "")
    is_offered = headers.get("accept-ranges", "").strip().lower() == "bytes"
    return int(declared) if is_offered and declared.isdecimal() else None


@contextmanager
def _disk_errors(where: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        what = f"the document cannot be written: {error.strerror}"
        if error.errno == errno.EFBIG:
            raise FileLimited(where, what) from error
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull(where, what) from error
        raise HomeUnusable(where, what, step_against(error)) from error
