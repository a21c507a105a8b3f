"""The marks of erased ids and texts: keyed hashes, by which propsync knows them again.

A hash cannot be searched for. So a mark also has the coarse form of the text, with one of four digits for each byte. A
table that depends on the key gives them. propsync searches for that form quickly, and hashes the finds.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from propsync.suppression.readings import STEPS, reading, readings, traced

ID, TEXT = "id", "text"
REPLACEMENT = "[erased]"
"""It replaces an erased text."""

_PSEUDONYM = re.compile(r"erased-[0-9a-f]{16}")
_BLANKS = re.compile(r"[^\S ]\s*|\s{2,}")
_BORDERS = ("", '"', "\0")
"""Around a whole text: nothing, quotes, or what separates cells that are searched together."""
_JOINTS = ("-", "_", ".")
"""Characters inside ids, if a letter or digit follows."""
SHORTEST_ID = 6
"""A shorter id counts only where it is a whole text: as a part of others it would be anything."""


@dataclass(frozen=True)
class Mark:
    """`form` is `id` or `text`, `length` the bytes of its plain form, `coarse` the coarse form of that."""

    form: str
    length: int
    coarse: str
    digest: str


def is_pseudonym(text: str | None) -> bool:
    """Whether a key is what propsync wrote in place of an erased id."""
    return text is not None and _PSEUDONYM.fullmatch(text) is not None


class Marker:
    """Makes marks with one key, and finds them."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._table = _coarse_table(key)

    @property
    def check(self) -> str:
        """It shows damage of the file of the key, and that a mark was made with another one."""
        return hashlib.sha256(self._key).hexdigest()[:16]

    def mark(self, form: str, text: str) -> Mark:
        """The mark of an id or a text."""
        plain = _bytes(text if form == ID else plain_text(text))
        return Mark(form, len(plain), plain.translate(self._table).decode(), self._digest(form, plain))

    def pseudonym(self, text: str) -> str:
        """A name that replaces an erased id: nobody without the key can compute it."""
        return f"erased-{hashlib.blake2b(_bytes(text), key=self._key, digest_size=8, person=b'pseudonym').hexdigest()}"

    def is_marked(self, text: str | None, mark: Mark) -> bool:
        """Whether a text as a whole is what a mark was made of."""
        if text is None:
            return False
        plain = _bytes(text if mark.form == ID else plain_text(text))
        return len(plain) == mark.length and self._digest(mark.form, plain) == mark.digest

    def sees(self, text: str, marks: Iterable[Mark], *, is_json: bool = False) -> bool:
        """Whether a text has anything marked. Escapes of JSON, HTML and web addresses hide nothing.

        A short id may be a number in JSON.
        """
        by_form = {form: [one for one in marks if one.form == form] for form in (ID, TEXT)}
        for spelt in readings(text, is_json=is_json):
            for form, wanted in by_form.items():
                plain = _plain_bytes(spelt, form) if wanted else b""
                if any(next(self._places(plain, mark, is_json=is_json), None) is not None for mark in wanted):
                    return True
        return False

    def replaced(self, text: str, mark: Mark, replacement: str) -> str:
        """The text with what is marked replaced, in escapes too; the same object if it has nothing of it."""
        for depth in range(STEPS + 1):
            spelt = reading(text, depth)
            if spelt is not None and next(self._places(_plain_bytes(spelt, mark.form), mark), None) is not None:
                text = self._cut(text, depth, mark, replacement)
        return text

    def _cut(self, text: str, depth: int, mark: Mark, replacement: str) -> str:
        """The text with what its reading at this depth has replaced: other escapes stay as they are."""
        source = text if mark.form == ID else unicodedata.normalize("NFC", text)
        spelt, origins = traced(source, depth)
        composed = spelt if mark.form == ID else unicodedata.normalize("NFC", spelt)
        spans = self._spans(composed, mark)
        if composed != spelt:  # a sign and an accent in an escape are one sign: nobody knows which part is which
            return _spliced(composed, spans, replacement)
        return _spliced(source, [(origins[first], _end(origins, last)) for first, last in spans], replacement)

    def _spans(self, text: str, mark: Mark) -> list[tuple[int, int]]:
        """The characters of a composed text that are marked: the first, and the one after the last."""
        if mark.form == ID:
            whole = _bytes(text)
            starts = [len(whole[:at].decode("utf-8", "surrogatepass")) for at in self._places(whole, mark)]
            return [(at, at + len(_bytes(text[at:])[: mark.length].decode("utf-8", "surrogatepass"))) for at in starts]
        folded, origins = _with_origins(text)
        return [(origins[at], origins[at + mark.length - 1] + 1) for at in self._places(folded, mark)]

    def _places(self, plain: bytes, mark: Mark, *, is_json: bool = False) -> Iterator[int]:
        """Where what is marked begins; none of these overlap."""
        coarse, wanted = plain.translate(self._table), mark.coarse.encode()
        at = coarse.find(wanted)
        while at >= 0:
            is_found = self._digest(mark.form, plain[at : at + mark.length]) == mark.digest
            if is_found and (mark.form == TEXT or _stands_alone(plain, at, mark.length, is_json=is_json)):
                yield at
                at = coarse.find(wanted, at + mark.length)
            else:
                at = coarse.find(wanted, at + 1)

    def _digest(self, form: str, plain: bytes) -> str:
        return hashlib.blake2b(plain, key=self._key, digest_size=16, person=form.encode()).hexdigest()


def plain_text(text: str) -> str:
    """The form in which texts are compared: letters without case, and one blank for any number of them."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    folded = text.casefold()
    return _BLANKS.sub(" ", folded) if _BLANKS.search(folded) else folded


def _with_origins(text: str) -> tuple[bytes, Sequence[int]]:
    """The plain form of a normalised text, and the place in it that each byte comes from."""
    plain, origins = bytearray(), []
    was_blank = False
    for place, sign in enumerate(text):
        is_blank = sign.isspace()
        if is_blank and was_blank:
            continue
        folded = _bytes(" " if is_blank else sign.casefold())
        plain += folded
        origins += [place] * len(folded)
        was_blank = is_blank
    return bytes(plain), origins


def _end(origins: Sequence[int], last: int) -> int:
    """Where the text of the sign before `last` ends: an escape may mean more than one sign."""
    return next(place for place in origins[last:] if place > origins[last - 1])


def _spliced(text: str, spans: Iterable[tuple[int, int]], replacement: str) -> str:
    kept, start = [], 0
    for first, last in spans:
        kept += [text[start:first], replacement]
        start = last
    return "".join([*kept, text[start:]])


def _stands_alone(plain: bytes, at: int, length: int, *, is_json: bool) -> bool:
    """Whether an id is not a part of a longer word. A short one must be all of the text, or be in quotes; in JSON it
    may be a number.
    """
    before, after = _signs(plain[max(0, at - 8) : at])[-2:], _signs(plain[at + length : at + length + 8])[:2]
    if length < SHORTEST_ID and not is_json:
        return before[-1:] in _BORDERS and after[:1] in _BORDERS
    return not (_continues(before[::-1]) or _continues(after))


def _continues(beside: str) -> bool:
    """Whether the characters beside an id, the nearest first, belong to a longer id: `f-1` is no part of `f-1-2`."""
    return _is_of_word(beside[:1]) or (beside[:1] in _JOINTS and _is_of_word(beside[1:2]))


def _is_of_word(sign: str) -> bool:
    """Whether it is a letter or digit; scripts without spaces between words say nothing."""
    return sign.isalnum() and unicodedata.category(sign) != "Lo"


def _signs(part: bytes) -> str:
    """The characters of a part, which may begin and end inside one."""
    return part.decode("utf-8", "ignore")


def _coarse_table(key: bytes) -> bytes:
    """A digit from 0 to 3 for each byte; letters have the same in either case."""
    stream = b"".join(hashlib.blake2b(bytes([part]), key=key, person=b"coarse").digest() for part in range(4))
    lowered = bytes(range(256)).lower()
    return bytes(ord("0") + (stream[lowered[byte]] & 3) for byte in range(256))


def _plain_bytes(text: str, form: str) -> bytes:
    """The form in which a text is searched for marks."""
    return _bytes(plain_text(text) if form == TEXT else text)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
