"""The bytes that escapes of a PDF mean: titles and notes have letters as octal numbers or hexadecimal digits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|(\r\n|[\r\n])|(.))", re.DOTALL)
_DIGITS = re.compile(rb"<([0-9A-Fa-f\s]{8,})>")
_SIGNS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
_LONGEST = 4
"""Bytes of an escape: it may end in the next piece."""
_MOST = 1 << 16
"""Bytes of a group of digits."""
_BACKSLASH = ord("\\")
_BORDER = b"\0"


def unescaped(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The pieces with the meaning of each backslash."""
    kept = b""
    for piece in pieces:
        joined = kept + piece
        end = _border(joined)
        kept = joined[end:]
        yield _ESCAPE.sub(_meaning, joined[:end])
    yield _ESCAPE.sub(_meaning, kept)


def from_digits(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The bytes that each group of hexadecimal digits means, whatever blanks divide them."""
    kept = b""
    for piece in pieces:
        joined = kept + piece
        start = joined.rfind(b"<")
        is_open = start >= 0 and joined.find(b">", start) < 0 and len(joined) - start < _MOST
        kept = joined[start:] if is_open else b""
        for found in _DIGITS.finditer(joined):
            digits = b"".join(found[1].split())
            yield bytes.fromhex(digits[: len(digits) & ~1].decode()) + _BORDER


def _border(piece: bytes) -> int:
    """Where an escape begins that may end in the next piece; the end if none does."""
    at = piece.find(b"\\", max(0, len(piece) - _LONGEST))
    while at > 0 and piece[at - 1] == _BACKSLASH:  # of two, the first escapes the second
        at -= 1
    return at if at >= 0 else len(piece)


def _meaning(escape: re.Match[bytes]) -> bytes:
    octal, line_end, sign = escape.groups()
    if octal is not None:
        return bytes([int(octal, 8) & 0xFF])
    return b"" if line_end else _SIGNS.get(sign, sign)
