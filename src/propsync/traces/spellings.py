"""The byte patterns of a text: each character in every spelling that a file may give it."""

from __future__ import annotations

import re
import unicodedata
from html.entities import codepoint2name

_ESCAPED = "nrtfv"
_WIDE_BLANKS = " \t\n\r\f\v\u00a0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_MOST_BLANKS = 40
_BACKSLASHES, _AND, _PERCENT = rb"\\\\{0,6}", b"&(?:amp;){0,2}", b"%(?:25){0,2}"
"""The beginnings of escapes, which may be escaped again. Each has a plain first byte, so that a search is quick."""
WIDEST = 48
"""The most bytes that one character of a text may take in a file, with room to spare."""


def eight_bit(text: str) -> bytes:
    """A pattern for UTF-8, Windows-1252, and the escapes of JSON, HTML and web addresses; ignore the case of ASCII."""
    return b"".join(_BLANK if one == " " else _any(_eight(one)) for one in plain(text))


def sixteen_bit(text: str, form: str) -> bytes:
    """The same for `utf-16-le` or `utf-16-be`, which have no escapes."""
    blank = _any([re.escape(one.encode(form)) for one in _WIDE_BLANKS]) + b"{1,%d}" % _MOST_BLANKS
    return b"".join(
        blank if one == " " else _any([re.escape(form_.encode(form)) for form_ in _forms(one)]) for one in plain(text)
    )


def plain(text: str) -> str:
    """The text with one space for each run of spaces, and composed letters."""
    return unicodedata.normalize("NFC", " ".join(text.split()))


def _forms(one: str) -> list[str]:
    """The character in each case, composed and taken apart."""
    cases = {one, one.lower(), one.upper(), one.title(), one.casefold()}
    return sorted({unicodedata.normalize(form, case) for case in cases for form in ("NFC", "NFD")})


def _eight(one: str) -> list[bytes]:
    return list(dict.fromkeys(spelt for form in _forms(one) for spelt in _spelt(form)))


def _spelt(form: str) -> list[bytes]:
    """The spellings of a form, which may have several code points: the parts of each are spelt alike."""
    ways = [
        b"".join(re.escape(code.encode("utf-8", "surrogatepass")) for code in form),
        b"".join(map(_json, form)),
        b"".join(_AND + b"#0*%d;" % ord(code) for code in form),
        b"".join(_AND + b"#x0*%x;" % ord(code) for code in form),
        b"".join(_PERCENT + b"%02x" % byte for byte in form.encode("utf-8", "surrogatepass")),
    ]
    if len(form) == 1:
        ways += _single(form)
    return ways


def _single(code: str) -> list[bytes]:
    ways = [re.escape(code.encode("cp1252"))] if _in_windows(code) else []
    if name := codepoint2name.get(ord(code)):
        ways.append(_AND + b"%s;" % name.encode())
    if code.isascii() and not code.isalnum():
        own = re.escape(code.encode())
        ways += [_BACKSLASHES + own, own + own]  # escaped in JSON and SQL, doubled in CSV
    return ways


def _in_windows(code: str) -> bool:
    try:
        code.encode("cp1252")
    except UnicodeEncodeError:
        return False
    return not code.isascii()


def _json(code: str) -> bytes:
    wide = code.encode("utf-16-be", "surrogatepass")
    return b"".join(_BACKSLASHES + b"u%s" % wide[at : at + 2].hex().encode() for at in range(0, len(wide), 2))


def _any(ways: list[bytes]) -> bytes:
    return b"(?:" + b"|".join(ways) + b")"


_BLANK = (
    _any(
        [
            rb"[ \t\n\r\f\v+]",
            _BACKSLASHES + b"[%s]" % _ESCAPED.encode(),
            rb"\xa0",
            *(spelt for one in _WIDE_BLANKS for spelt in _spelt(one) if spelt != b" "),
        ]
    )
    + b"{1,%d}" % _MOST_BLANKS
)
