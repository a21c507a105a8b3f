"""Members that occur twice in one object: the last one counts, as it does for msgspec and Python.

DuckDB takes the first, so propsync removes the members that do not count from such a record.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec

# without any of these, each `":` ends a member's name or is in a text; PHP, Java and Python write no others
_ESCAPED = (b"\\u0022", b"\\u003a", b"\\u003A")
_SPACED = {b" ": b" :", b"\t": b"\t:", b"\n": b"\n:", b"\r": b"\r:"}
_MEMBER = b'":'
_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode
_RAW_MEMBERS: msgspec.json.Decoder[dict[str, msgspec.Raw]] = msgspec.json.Decoder(dict[str, msgspec.Raw])
_RAW_ARRAY: msgspec.json.Decoder[list[msgspec.Raw]] = msgspec.json.Decoder(list[msgspec.Raw])


def without_repeats(records: Sequence[bytes]) -> list[bytes]:
    """Each record with every member once, the last; a record without repeats comes back byte for byte."""
    if not _may_repeat(b"[" + b",".join(records) + b"]"):
        return list(records)
    return [_last_of_each(record) if _may_repeat(record) and _repeats(record) else record for record in records]


def _may_repeat(text: bytes) -> bool:
    """A quick test: whether decoding and encoding loses members, or may hide that it does."""
    # it looks for the first byte of a pair before the pair: that is ten times as quick, and few texts have it
    if any(space in text and pair in text for space, pair in _SPACED.items()):
        return True
    if b"\\u00" in text and any(escaped in text for escaped in _ESCAPED):
        return True
    try:
        return text.count(_MEMBER) != _encode(_decode(text)).count(_MEMBER)
    except (msgspec.DecodeError, RecursionError):  # a number beyond any float
        return True


def _repeats(record: bytes) -> bool:
    found = False

    def look(members: list[tuple[str, Any]]) -> None:
        nonlocal found
        found = found or len(dict(members)) < len(members)

    json.loads(record, object_pairs_hook=look, parse_int=len, parse_float=len)
    return found


def _last_of_each(text: bytes | msgspec.Raw) -> bytes:
    written = bytes(text)
    start = written.lstrip()[:1]
    if start == b"{":
        members = _RAW_MEMBERS.decode(written).items()
        return b"{" + b",".join(_encode(name) + b":" + _last_of_each(inner) for name, inner in members) + b"}"
    if start == b"[":
        return b"[" + b",".join(map(_last_of_each, _RAW_ARRAY.decode(written))) + b"]"
    return written
