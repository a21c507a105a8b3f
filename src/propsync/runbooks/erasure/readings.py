"""The texts that a file's bytes may mean: encodings, escapes of HTML and CSV, and the parts of a PDF."""

from __future__ import annotations

import codecs
import html
import re
import zlib
from collections.abc import Iterable, Iterator

from propsync.runbooks.erasure.pictures import STREAM, STREAM_END

_DIGITS = re.compile(rb"<([0-9A-Fa-f\s]{8,})>")
_TEXT = re.compile(rb"\((?:[^()\\]++|\\.|\((?:[^()\\]++|\\.)*+\))*+\)", re.DOTALL)
_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|(\r\n|[\r\n])|(.))", re.DOTALL)
_BLANKS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
_DRAWN = re.compile(rb"T[jJ]\b")
"""A page draws texts as numbers of signs in its fonts; any other text on it says that it is UTF-16."""
_UTF_16 = codecs.BOM_UTF16_BE
_MOST = 64 << 20  # bytes that a stream may unpack to


def readings(body: bytes) -> Iterator[str]:
    """Each text that the bytes may mean."""
    for plain in _decoded(body):
        yield plain
        for other in (html.unescape(plain), plain.replace('""', '"')):
            if other != plain:
                yield other


def _decoded(body: bytes) -> Iterator[str]:
    yield body.decode("utf-8", "replace")
    if not body.isascii():
        yield body.decode("cp1252", "replace")
    if b"\0" in body:
        for form in ("utf-16-le", "utf-16-be"):
            yield body.decode(form, "replace")
            yield body[1:].decode(form, "replace")


def parts(pdf: bytes) -> Iterator[bytes]:
    """The bytes of a PDF and of its deflated streams; after each, the texts in it that have escapes or are digits."""
    yield pdf
    yield _joined(_texts(pdf))
    for stream in _streams(pdf):
        is_drawn = _DRAWN.search(stream) is not None
        yield stream
        yield _joined(text for text in _texts(stream) if not is_drawn or text.startswith(_UTF_16))


def _streams(pdf: bytes) -> Iterator[bytes]:
    for found in STREAM.finditer(pdf):
        try:
            yield zlib.decompressobj().decompress(pdf[found.end() : pdf.find(STREAM_END, found.end())], _MOST)
        except zlib.error:
            continue  # a picture, or a stream of another kind


def _texts(part: bytes) -> Iterator[bytes]:
    """A title or a note may have letters as octal numbers, or as hexadecimal digits."""
    for found in _TEXT.finditer(part):
        if b"\\" in found[0]:
            yield _ESCAPE.sub(_meaning, found[0][1:-1])
    for digits in _DIGITS.finditer(part):
        hexed = b"".join(digits[1].split())
        yield bytes.fromhex(hexed[: len(hexed) & ~1].decode())


def _joined(texts: Iterable[bytes]) -> bytes:
    """All of them, with zeros between, so that one reading as UTF-16 fits each."""
    return b"".join(text + b"\0" * (2 + len(text) % 2) for text in texts)


def _meaning(escape: re.Match[bytes]) -> bytes:
    octal, line_end, sign = escape.groups()
    if octal is not None:
        return bytes([int(octal, 8) & 0xFF])
    return b"" if line_end else _BLANKS.get(sign, sign)
