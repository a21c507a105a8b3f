"""A copy of a payload from which DuckDB reads every number as it is written.

DuckDB reads a JSON number as a double and writes it in its own way (12.50 becomes 12.5). In the copy, each such number
is a text: a mark, then the number as written. A text or a member's name that begins with the same letter gets a mark of
its own. So propsync takes no text from an API for a number. The macros in sql/macros/staging/ remove both marks.
"""

from __future__ import annotations

import re

from propsync.records.cutter import Path

_OPENS = "\\u0001"  # the letter of both marks as JSON escapes it: no JSON text may hold it unescaped
NUMBER = _OPENS + "#"
TEXT = _OPENS + "'"

_SIXTEEN = "|".join(rf"\d{{{whole}}}\.\d{{{16 - whole},}}" for whole in range(1, 16))
# minus zero, a zero at a fraction's end, 16 digits or more, an exponent
_ODD = rf"\s*(-0[^0-9.]|-?(\d+\.\d+0[^0-9]|{_SIXTEEN}|\d{{16,}}\.|0\.0000|\d+(\.\d+)?[eE]))"
SUSPECT = {"mark": r"\\u0001", "member": f":{_ODD}", "first": rf"\[{_ODD}", "further": f",{_ODD}"}
"""Patterns for RE2: one of them matches each payload that needs a copy, and a few others too.

Each begins with a letter, which RE2 looks for before it does more: that takes half the time of one pattern for all.
"""

_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"?|-?\d[0-9.eE+-]*', re.DOTALL)
_LETTER = chr(1)


def readable(payload: str) -> str:
    """The copy; the payload itself if DuckDB changes nothing."""
    return _TOKENS.sub(_marked, payload)


def in_copy(path: Path) -> Path:
    """The path to the same value in the copy."""
    return tuple(f"{_LETTER}'{name}" if name.startswith(_LETTER) else name for name in path)


def _marked(token: re.Match[str]) -> str:
    found = token[0]
    if found[0] != '"':
        return found if _is_kept(found) else f'"{NUMBER}{found}"'
    return f'"{TEXT}{found[1:]}' if found.startswith(_OPENS, 1) else found


def _is_kept(number: str) -> bool:
    """Whether DuckDB writes a number as it came: whole numbers, and those that are their double's shortest text."""
    if number.lstrip("-").isdigit():
        return number != "-0"
    return "e" not in number and "E" not in number and repr(float(number)) == number
