"""The texts that a file's bytes may mean: encodings, escapes of HTML and CSV, and the parts of a PDF."""

from __future__ import annotations

import html
import re
import zlib
from collections.abc import Iterator

_STREAM = re.compile(rb"stream\r?\n")
_DIGITS = re.compile(rb"<([0-9A-Fa-f\s]{8,})>")
_MOST = 64 << 20  # bytes that a stream may unpack to


def readings(body: bytes) -> Iterator[str]:
    """Each text that the bytes may mean."""
    for plain in _decoded(body):
        yield plain
        if "&" in plain:
            yield html.unescape(plain)
        if '""' in plain:
            yield plain.replace('""', '"')


def _decoded(body: bytes) -> Iterator[str]:
    yield body.decode("utf-8", "replace")
    if not body.isascii():
        yield body.decode("cp1252", "replace")
    if b"\0" in body:
        for form in ("utf-16-le", "utf-16-be"):
            yield body.decode(form, "replace")
            yield body[1:].decode(form, "replace")


def streams(pdf: bytes) -> Iterator[bytes]:
    """The deflated streams of a PDF, and its texts in hexadecimal digits."""
    for found in _STREAM.finditer(pdf):
        try:
            yield zlib.decompressobj().decompress(pdf[found.end() : pdf.find(b"endstream", found.end())], _MOST)
        except zlib.error:
            continue  # a picture, or a stream of another kind
    for digits in _DIGITS.finditer(pdf):
        hexed = b"".join(digits[1].split())
        yield bytes.fromhex(hexed[: len(hexed) & ~1].decode())
