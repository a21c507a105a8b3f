"""Half letters: JSON may hold `\\ud83d` without its other half, for example if something cut a text inside an emoji.

That is legal JSON and no legal text: neither msgspec nor DuckDB reads it. propsync keeps the page as received and reads
each half letter as U+FFFD. So one such text does not cost all the other records.
"""

from __future__ import annotations

import re

_ESCAPE = re.compile(rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
_REPLACEMENT = rb"\ufffd"


def mended(body: bytes) -> bytes:
    """The text with half letters replaced; the very same bytes if it has none."""
    replaced = _ESCAPE.sub(_whole, body)
    return body if replaced == body else replaced


def _whole(escape: re.Match[bytes]) -> bytes:
    found = escape[0]
    is_half = len(found) == 6 and found[1:2] == b"u" and 0xD800 <= int(found[2:], 16) <= 0xDFFF
    return _REPLACEMENT if is_half else found
