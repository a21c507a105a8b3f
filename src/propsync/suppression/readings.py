"""The readings of a text: as it is, and with the characters that escapes of JSON, HTML and web addresses mean."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

_BLANK_ESCAPES = "bfnrt"


@dataclass(frozen=True)
class _Escapes:
    """One kind of escapes: a text without any of `signs` has none."""

    signs: str
    pattern: re.Pattern[str]
    meaning: Callable[[re.Match[str]], str]

    def read(self, text: str) -> str:
        """The text with the meaning of each escape; the same object if it has none."""
        return self.pattern.sub(self.meaning, text) if any(sign in text for sign in self.signs) else text

    def traced(self, text: str) -> tuple[str, list[int]]:
        """The same, and the place in the text that each sign comes from, with the end of the text last."""
        parts, origins, start = [], [], 0
        for found in self.pattern.finditer(text):
            means = self.meaning(found)
            parts += [text[start : found.start()], means]
            origins += [*range(start, found.start()), *[found.start()] * len(means)]
            start = found.end()
        return "".join([*parts, text[start:]]), [*origins, *range(start, len(text) + 1)]


def _json_sign(escape: re.Match[str]) -> str:
    pair, number, plain = escape.groups()
    if pair:  # two halves in UTF-16
        return bytes.fromhex(pair.replace("\\", "").replace("u", "")).decode("utf-16-be")
    return chr(int(number, 16)) if number else " " if plain in _BLANK_ESCAPES else plain


def _address_sign(escape: re.Match[str]) -> str:
    spelt = escape[0]
    return " " if spelt == "+" else bytes.fromhex(spelt.replace("%", "")).decode("utf-8", "replace")


_JSON = _Escapes(
    "\\",
    re.compile(r'\\(?:(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(["\\/bfnrt]))'),
    _json_sign,
)
_HTML = _Escapes(
    "&",
    re.compile(r"&(?:#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,7}|[A-Za-z][A-Za-z0-9]{1,30});"),
    lambda escape: html.unescape(escape[0]),
)
_ADDRESS = _Escapes(
    "%+",
    re.compile(
        r"%(?:[0-7][0-9a-fA-F]|[c-dC-D][0-9a-fA-F]%[89abAB][0-9a-fA-F]|[eE][0-9a-fA-F](?:%[89abAB][0-9a-fA-F]){2}"
        r"|[fF][0-7](?:%[89abAB][0-9a-fA-F]){3})|\+(?<=[^\W_]\+)(?=[^\W\d_]|%)"
    ),
    _address_sign,
)
_ROUND = (_JSON, _HTML, _ADDRESS)
_ROUNDS = 2
"""A value may itself be JSON, or a page of HTML that has an address."""
STEPS = len(_ROUND) * _ROUNDS
"""The depth of the last reading of a text."""


def readings(text: str, *, is_json: bool = False) -> Iterator[str]:
    """The different readings of a text, each from the one before. The values of JSON have as many as other texts.

    A backslash of JSON is an escape; one of another text may be none.
    """
    if not is_json or "\\" not in text:
        yield text
    for kind in _ROUND * (_ROUNDS + 1 if is_json else _ROUNDS):
        before, text = text, kind.read(text)
        if text != before:
            yield text


def reading(text: str, depth: int) -> str | None:
    """The reading at this depth, 0 for the text itself; None if it is the one before."""
    before = None
    for kind in (_ROUND * _ROUNDS)[:depth]:
        before, text = text, kind.read(text)
    return None if text == before else text


def traced(text: str, depth: int) -> tuple[str, Sequence[int]]:
    """The reading at this depth, and where in the text each of its characters comes from; the end is the last."""
    origins: Sequence[int] = range(len(text) + 1)
    for kind in (_ROUND * _ROUNDS)[:depth]:
        text, places = kind.traced(text)
        origins = [origins[place] for place in places]
    return text, origins
