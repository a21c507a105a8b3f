"""Finds text nested too deep for its readers, and returns it without its deepest parts.

DuckDB's JSON functions end their whole session at some 130 levels, msgspec and Python at some 1,000. propsync keeps the
page as received and leaves the deepest parts out when it reads it. So one such record does not cost all the others.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from propsync.records.decoding import decode

DEEPEST = 64
"""Levels that a record may have."""

_DEEPEST_PAGE = 96  # of the rest of a page, so that a record in it that is too deep still shows that it is
TEXT = rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)'
"""A pattern (DOTALL) for a text of JSON; an unclosed one ends with all, so that nothing looks at its quotes again."""

_TOKENS = re.compile(TEXT + rb"|[\[{\]}]", re.DOTALL)
_NO_BRACKETS = bytes({*range(256)} - {*b"[]{}"})
_ROUNDS = 8  # of one or two levels, which together are fewer than `DEEPEST`
_STEP = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}


def is_too_deep(record: bytes | msgspec.Raw) -> bool:
    """Whether a record is nested beyond `DEEPEST`."""
    text = bytes(record)
    if text.count(b"[") + text.count(b"{") <= DEEPEST:  # nearly every record
        return False
    brackets = _brackets(text)
    if not _without_innermost(brackets):  # nearly every record with many members
        return False
    depth = 0
    for bracket in brackets:
        depth += _STEP[bracket]
        if depth > DEEPEST:
            return True
    return False


def _brackets(text: bytes) -> bytes:
    """The brackets outside of texts. A loop over all tokens takes ten times as long: 0.2 ms for 80 members."""
    unescaped = text.replace(rb"\\", b"").replace(rb"\"", b"")
    return b"".join(unescaped.split(b'"')[::2]).translate(None, _NO_BRACKETS)


def _without_innermost(brackets: bytes) -> bytes:
    """The same without the innermost levels; each round removes one or two of them."""
    for _ in range(_ROUNDS):
        brackets = brackets.replace(b"{}", b"").replace(b"[]", b"")
    return brackets


def shallow(text: bytes, most: int = _DEEPEST_PAGE) -> bytes:
    """The text with arrays and objects at the level `most` emptied."""
    kept, start, depth = [], 0, 0
    for token in _TOKENS.finditer(text):
        step = _STEP.get(text[token.start()], 0)
        if step > 0 and depth == most - 1:
            kept.append(text[start : token.end()])
        elif step < 0 and depth == most:
            start = token.start()
        depth += step
    if depth >= most:  # it breaks off at that depth
        return b"".join(kept)
    return b"".join((*kept, text[start:]))


def decode_shallow(text: bytes | msgspec.Raw) -> Any:
    """A page or a record as Python values, without its deepest parts. Raises ValueError if it is not JSON."""
    try:
        values = decode(text)
    except RecursionError:
        return decode(shallow(bytes(text)))
    return decode(shallow(bytes(text))) if _is_deeper(values, _DEEPEST_PAGE) else values


def _is_deeper(values: Any, most: int) -> bool:
    level = [values]
    for _ in range(most + 1):
        level = [inner for one in level for inner in _members(one)]
        if not level:
            return False
    return True


def _members(value: Any) -> Any:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
