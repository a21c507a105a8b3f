"""Text nested so deep that what reads it further on gives up: which it is, and the same without its depths.

DuckDB's JSON functions end their whole session at some 130 levels, msgspec and Python at some 1,000. A page is kept as
received; where it is read, what lies too deep is left out, so that one such record does not cost all the others.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from propsync.records.decoding import decode

DEEPEST = 64
"""Levels that a record may have."""

_DEEPEST_PAGE = 96  # of what is left of a page: a record in it that is too deep still shows that it is
_TOKENS = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[\[{\]}]', re.DOTALL)
_STEP = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}


def is_too_deep(record: bytes | msgspec.Raw) -> bool:
    """Whether a record is nested beyond `DEEPEST`."""
    text = bytes(record)
    if text.count(b"[") + text.count(b"{") <= DEEPEST:  # so it is with nearly all
        return False
    depth = 0
    for token in _TOKENS.finditer(text):
        depth += _STEP.get(text[token.start()], 0)
        if depth > DEEPEST:
            return True
    return False


def shallow(text: bytes, most: int = _DEEPEST_PAGE) -> bytes:
    """The text, in which arrays and objects at the level `most` are empty."""
    kept, start, depth = [], 0, 0
    for token in _TOKENS.finditer(text):
        step = _STEP.get(text[token.start()], 0)
        if step > 0 and depth == most - 1:
            kept.append(text[start : token.end()])
        elif step < 0 and depth == most:
            start = token.start()
        depth += step
    if depth >= most:  # it breaks off down there
        return b"".join(kept)
    return b"".join((*kept, text[start:]))


def decode_shallow(text: bytes | msgspec.Raw) -> Any:
    """A page or a record as Python values, without what lies too deep. Raises ValueError for what is no JSON."""
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
