"""Decodes Content-Encoding piece by piece, so that a small body cannot grow without bound."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import Protocol

from propsync import log
from propsync.errors import MalformedBody

try:
    import zstandard
except ImportError:  # an extra: without it propsync does not accept zstd
    zstandard = None  # type: ignore[assignment]

ACCEPT_ENCODING = "zstd, gzip" if zstandard else "gzip"
_HONOUR = "Ask the people who run the API, or your proxy, to compress bodies only as Accept-Encoding says"
# zstd turns 4 bytes into 128 KiB at worst, deflate one byte into 1 KiB, so that one slice makes at most 32 MiB.
_SLICE = {"zstd": 1024, "gzip": 32 * 1024, "deflate": 32 * 1024}


class _Stream(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, part: bytes, /) -> bytes: ...


def encoding_of(header: str, where: str) -> str:
    """ "", "gzip", "zstd" or "deflate" from a Content-Encoding header. Raises MalformedBody for any other."""
    name = header.strip().lower()
    name = {"identity": "", "x-gzip": "gzip"}.get(name, name)
    if name not in ("", "gzip", "deflate") and not (name == "zstd" and zstandard):
        shown = log.redact(header.strip())[:40]
        what = f"the body is compressed as {shown!r}, which propsync did not ask for"
        raise MalformedBody(where, what, _HONOUR)
    return name


def _stream_for(encoding: str, start: bytes) -> _Stream:
    if encoding == "zstd":
        return zstandard.ZstdDecompressor().decompressobj()
    if encoding == "gzip":
        return zlib.decompressobj(16 + zlib.MAX_WBITS)
    # Some servers send "deflate" without the zlib header that the standard asks for.
    has_header = start[0] & 0x0F == 8 and int.from_bytes(start[:2], "big") % 31 == 0
    return zlib.decompressobj(zlib.MAX_WBITS if has_header else -zlib.MAX_WBITS)


class Decoder:
    """Decodes one body. Every method raises MalformedBody if the stream is corrupt or ends early."""

    def __init__(self, encoding: str, where: str) -> None:
        self._encoding = encoding
        self._where = where
        self._waiting = b""
        self._stream: _Stream | None = None

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The decoded pieces of the next chunk, each at most some 32 MiB."""
        if not self._encoding:
            yield chunk
            return
        size = _SLICE[self._encoding]
        for start in range(0, len(chunk), size):
            yield from self._decode(chunk[start : start + size])

    def _decode(self, part: bytes) -> Iterator[bytes]:
        part = self._waiting + part
        self._waiting = b""
        while part:
            if self._stream is None or self._stream.eof:
                if self._encoding == "deflate" and len(part) < 2:
                    self._waiting = part  # its first two bytes show which kind it is
                    return
                self._stream = _stream_for(self._encoding, part)
            piece, part = self._step(self._stream, part)
            if piece:
                yield piece

    def _step(self, stream: _Stream, part: bytes) -> tuple[bytes, bytes]:
        try:
            return stream.decompress(part), stream.unused_data if stream.eof else b""
        except Exception as error:
            # zstandard raises an error class of its own, which does not exist without it.
            if not isinstance(error, zlib.error) and not (zstandard and isinstance(error, zstandard.ZstdError)):
                raise
        raise MalformedBody(self._where, f"the {self._encoding} body is corrupt")

    def finish(self) -> None:
        """Checks the end; the caller calls it after the last chunk."""
        if self._encoding and (self._stream is None or not self._stream.eof):
            raise MalformedBody(self._where, f"the {self._encoding} body ends early")


def decoded(chunks: Iterable[bytes], decoder: Decoder) -> Iterator[bytes]:
    """The decoded pieces of all chunks; checks the end."""
    for chunk in chunks:
        yield from decoder.feed(chunk)
    decoder.finish()
