"""The text or id to look for, and where a file's bytes have it."""

from __future__ import annotations

import base64
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from propsync.errors import UsageError
from propsync.traces.spellings import WIDEST, eight_bit, plain, sixteen_bit

_SHORTEST = 4
_LONGEST = 1_000
_RUN = re.compile("[A-Za-z0-9]{3,}")
_ESCAPED_LETTER = re.compile(rb"\\u00(?:3[0-9]|4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a])", re.IGNORECASE)
_MOST_PLACES = 32  # of the run in a block; the pattern searches a block with more of them as a whole
_CODED = 8  # characters of base64 that prove something


@dataclass(frozen=True)
class Hit:
    """The place of the first trace in some bytes, and how it is written there."""

    offset: int
    spelling: str


class Needle:
    """One text. Case, composed letters and the number of spaces between words make no difference."""

    def __init__(self, text: str) -> None:
        self.text = plain(text)
        if len(self.text) < _SHORTEST:
            what = f"it has fewer than {_SHORTEST} characters, so propsync would find it in many other words"
            raise UsageError("erase --verify", what, "Give more of the text")
        if len(self.text) > _LONGEST:
            what = f"it has more than {_LONGEST:,} characters"
            raise UsageError("erase --verify", what, "Give the part of it that nothing else has")
        self.runs = tuple(dict.fromkeys(run.lower() for run in _RUN.findall(self.text)))
        """Runs of plain letters and digits: text that lacks one of them and has no escape has no trace."""
        self.run = max(self.runs, key=len, default=None)
        self._spellings = list(_spellings(self.text, self.run))
        self._coded = list(_coded(self.text))
        self.reach = len(self.text) * WIDEST + 4_096

    def first(self, block: bytes) -> Hit | None:
        """The first trace in `block`."""
        lower = block.lower()
        found = [self._in_code(block, lower), *(self._spelt(block, lower, one) for one in self._spellings)]
        return min((hit for hit in found if hit), key=lambda hit: hit.offset, default=None)

    def first_in(self, blocks: Iterable[bytes]) -> Hit | None:
        """The first trace in bytes that come in blocks, across their borders too."""
        kept, before = b"", 0
        for block in blocks:
            joined = kept + block
            if hit := self.first(joined):
                return Hit(before - len(kept) + hit.offset, hit.spelling)
            before += len(block)
            kept = joined[-self.reach :]
        return None

    def is_in(self, text: str) -> bool:
        """Whether a text has it; a ligature of a PDF counts as its letters."""
        forms = {text, unicodedata.normalize("NFKC", text)}
        return any(self.first(form.encode("utf-8", "surrogatepass")) for form in forms)

    def _spelt(self, block: bytes, lower: bytes, one: _Spelling) -> Hit | None:
        if one.run is None or (one.has_escapes and _ESCAPED_LETTER.search(block)):
            return one.matched(block, 0)
        places = list(islice(_places(lower, one.run), _MOST_PLACES))
        if len(places) == _MOST_PLACES:
            return one.matched(block, 0)
        windows = ((max(0, at - self.reach), at + self.reach) for at in places)
        return next((hit for start, end in windows if (hit := one.matched(block[start:end], start))), None)

    def _in_code(self, block: bytes, lower: bytes) -> Hit | None:
        found = [
            (at, name)
            for name, literal, is_lower in self._coded
            if (at := (lower if is_lower else block).find(literal)) >= 0
        ]
        return Hit(*min(found)) if found else None


@dataclass(frozen=True)
class _Spelling:
    """A family of spellings: its pattern, and `run` as it has it (None for a text without one)."""

    name: str
    pattern: re.Pattern[bytes]
    run: bytes | None
    has_escapes: bool

    def matched(self, block: bytes, start: int) -> Hit | None:
        found = self.pattern.search(block)
        return Hit(start + found.start(), self.name) if found else None


def _spellings(text: str, run: str | None) -> Iterator[_Spelling]:
    narrow = None if run is None else run.encode()
    yield _Spelling("text", re.compile(eight_bit(text), re.IGNORECASE), narrow, True)
    wide = None if run is None else "\0".join(run).encode()
    for form in ("utf-16-le", "utf-16-be"):
        yield _Spelling("UTF-16", re.compile(sixteen_bit(text, form), re.IGNORECASE), wide, False)


def _places(lower: bytes, run: bytes) -> Iterator[int]:
    """Where the run is."""
    at = lower.find(run)
    while at >= 0:
        yield at
        at = lower.find(run, at + 1)


def _coded(text: str) -> Iterator[tuple[str, bytes, bool]]:
    """The text in base64 at each of three places, and in hexadecimal digits as PDFs may write it."""
    for form in dict.fromkeys((text, text.lower())):
        for skipped in range(3):
            body = b"\0" * skipped + form.encode("utf-8", "surrogatepass")
            inner = base64.b64encode(body)[-(-skipped * 8 // 6) : len(body) * 8 // 6]
            if len(inner) >= _CODED:
                yield "base64", inner, False
    for encoding in ("utf-8", "utf-16-be"):
        yield "hexadecimal", text.encode(encoding, "surrogatepass").hex().encode(), True
