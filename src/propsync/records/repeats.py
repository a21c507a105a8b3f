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
_SPACED = (b" :", b"\t:", b"\n:", b"\r:")
_MEMBER = b'":'
_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode
_RAW_MEMBERS: msgspec.json.Decoder[dict[str, msgspec.Raw]] = msgspec.json.Decoder(dict[str, msgspec.Raw])
_RAW_ARRAY: msgspec.json.Decoder[list[msgspec.Raw]] = msgspec.json.Decoder(list[msgspec.Raw])


def without_repeats(records: Sequence[bytes]) -> list[bytes]:
    """Each record with every member once, the last; a record without repeats comes back byte for byte."""
    return [_last_of_each(record) if _may_repeat(record) and _repeats(record) else record for record in records]


def _may_repeat(record: bytes) -> bool:
    """A quick test: whether decoding and encoding loses members, or may hide that it does."""
    try:
        encoded = _encode(_decode(record))
    except (msgspec.DecodeError, RecursionError):  # a number beyond any float
        return True
    # one record at a time: all objects of many records keep Python's collector busy for as long again
    if encoded == record:
        return False
    if any(pair in record for pair in _SPACED):
        return True
    if b"\\u00" in record and any(escaped in record for escaped in _ESCAPED):
        return True
    return record.count(_MEMBER) != encoded.count(_MEMBER)


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
