"""The encoding of a CSV, from its bytes alone; and whether they are text at all.

UTF-16 and UTF-32 show by their mark, or by the zero bytes in most of their characters. A text that is valid UTF-8 from
end to end is UTF-8. Anything else is Windows-1252, which the spreadsheets of western Europe still write.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable

from propsync.file_kinds import kind_of

SAMPLE = 65_536
"""Number of first bytes that show whether a file is text, and whether the text is UTF-16."""
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # before the mark of UTF-16, which it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8-sig"),
)
_UNMARKED = ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be")
_WIDTH = {"utf-16": 2, "utf-32": 4}
_CONTROL = frozenset(range(32)) - frozenset(b"\t\n\v\f\r\x1a\x1b") | {127}
_MOST_CONTROL = 0.05  # share of bytes; random bytes have a tenth
_LEAST = 256  # bytes: a shorter text may have some of them by mistake
_LEAST_ASCII = 0.25  # share of characters: delimiters and digits of a table, and the letters of western languages


def why_no_text(sample: bytes) -> str | None:
    """Why bytes are no table of text, from their first `SAMPLE`; None for text and for no bytes."""
    if kind := kind_of(sample):
        return f"it is not a table but {kind}"
    if len(sample) < _LEAST:
        return None
    wide = _wide(sample)
    characters = sample.decode("latin-1") if wide is None else sample[: len(sample) // 4 * 4].decode(wide, "replace")
    odd = sum(ord(one) in _CONTROL or one == "\ufffd" for one in characters)
    return "it is not text: it has too many control characters" if odd > _MOST_CONTROL * len(characters) else None


def encoding_of(pieces: Iterable[bytes]) -> str:
    """The encoding of a text, for Python's decoders; finding it may take all the text."""
    decoder, sample = codecs.getincrementaldecoder("utf-8")(), b""
    is_utf8 = True
    for piece in pieces:
        sample += piece[: SAMPLE - len(sample)]
        if len(sample) == SAMPLE and (wide := _wide(sample)) is not None:
            return wide
        is_utf8 = is_utf8 and _decodes(decoder, piece)
        if not is_utf8 and len(sample) == SAMPLE:
            break
    wide = _wide(sample)
    if wide is not None:
        return wide
    return "utf-8-sig" if is_utf8 and _decodes(decoder, b"", final=True) else "cp1252"


def _wide(sample: bytes) -> str | None:
    """UTF-16 or UTF-32, by its mark or by its zero bytes; None for any other."""
    marked = next((encoding for mark, encoding in _MARKS if sample.startswith(mark)), None)
    if marked is not None:
        return marked if marked in _WIDTH else None
    return next((encoding for encoding in _UNMARKED if _is_spaced(sample, encoding)), None)


def _is_spaced(sample: bytes, encoding: str) -> bool:
    """Whether bytes without a mark have this encoding: the text begins with ASCII, has more of it, and no zeros."""
    width = _WIDTH[encoding[:6]]
    if len(sample) < 2 * width or len(sample) % width:
        return False
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(sample)
    except UnicodeDecodeError:
        return False
    return "\0" not in text and text[0].isascii() and sum(map(str.isascii, text)) >= _LEAST_ASCII * len(text)


def _decodes(decoder: codecs.IncrementalDecoder, piece: bytes, *, final: bool = False) -> bool:
    try:
        decoder.decode(piece, final)
    except UnicodeDecodeError:
        return False
    return True
