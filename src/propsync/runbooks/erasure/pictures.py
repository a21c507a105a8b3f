"""Cuts the dots of pictures out of bytes: most of a bundle, and no text, though a short text is in them by chance."""

from __future__ import annotations

import re
from collections.abc import Iterator

from propsync.file_kinds import is_pdf

STREAM = re.compile(rb"stream\r?\n")
"""The start of a stream in a PDF."""
STREAM_END = b"endstream"

_JPEG, _PNG = b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n"
_MARKER = re.compile(rb"\xff[\x01-\xcf\xd8-\xfe]")
"""The end of the dots of a JPEG: in them, each 0xFF has a zero or a number from D0 to D7 after it."""
_SCAN, _LAST, _ALONE = 0xDA, 0xD9, (0x01, *range(0xD0, 0xD9))
_DOTS = (b"IDAT", b"fdAT")
_PICTURE = re.compile(rb"/Subtype\s*/Image\b")
_LONGEST = 4096  # bytes of the dictionary of a picture


def without_dots(body: bytes) -> bytes:
    """A JPEG, a PNG or a PDF without the dots of its pictures; all that it says about them stays.

    Any other bytes stay as they are, and so does the rest of a damaged picture.
    """
    if body.startswith(_JPEG):
        return b"".join(_of_jpeg(body))
    if body.startswith(_PNG):
        return b"".join(_of_png(body))
    return b"".join(_of_pdf(body)) if is_pdf(body) else body


def _of_jpeg(body: bytes) -> Iterator[bytes]:
    at = 2
    while at + 4 <= len(body) and body[at] == 0xFF and body[at + 1] != _LAST:
        marker = body[at + 1]
        end = at + 2 if marker in _ALONE else at + 2 + int.from_bytes(body[at + 2 : at + 4])
        yield body[at:end]
        found = _MARKER.search(body, end) if marker == _SCAN else None
        at = found.start() if found else len(body) if marker == _SCAN else end
    yield body[at:]


def _of_png(body: bytes) -> Iterator[bytes]:
    at = len(_PNG)
    while at + 8 <= len(body):
        end = at + 12 + int.from_bytes(body[at : at + 4])
        if end > len(body):
            break
        if body[at + 4 : at + 8] not in _DOTS:
            yield body[at:end]
        at = end
    yield body[at:]


def _of_pdf(body: bytes) -> Iterator[bytes]:
    at = 0
    for found in STREAM.finditer(body):
        start, end = found.end(), body.find(STREAM_END, found.end())
        if found.start() < at or end < 0 or not _is_picture(body, found.start()):
            continue
        yield body[at:start]
        if body.startswith(_JPEG, start):
            yield without_dots(body[start:end])
        at = end
    yield body[at:]


def _is_picture(body: bytes, stream: int) -> bool:
    """Whether the dictionary before a stream says that it is a picture."""
    start = body.rfind(b"obj", max(0, stream - _LONGEST), stream)
    return start >= 0 and _PICTURE.search(body, start, stream) is not None
