"""A text in a PDF counts whatever escapes its title or its notes have, and wherever a piece of the file ends."""

from __future__ import annotations

import codecs
import zlib

import pytest

from propsync.runbooks.erasure.readings import parts, readings
from propsync.traces.escapes import from_digits, unescaped

NAME = "Zoë (Jane) O'Brien"
WIDE = codecs.BOM_UTF16_BE + NAME.encode("utf-16-be")


def literal(text: bytes) -> bytes:
    """A text of a PDF, with an octal number or a backslash wherever there may be one."""
    return b"(" + b"".join(bytes([sign]) if 64 < sign < 91 else b"\\%03o" % sign for sign in text) + b")"


SPELLINGS = {
    "octal": literal(NAME.encode("cp1252")),
    "backslashes": b"(Zo\\353 \\(Jane\\) O\\'\\\r\nBrien)",
    "brackets in pairs": b"(Zo\\353 (Jane) O'Brien)",
    "UTF-16 in octal": literal(WIDE),
    "an odd text before": b"(a\\142c)" + literal(WIDE),
    "digits": b"<" + WIDE.hex().upper().encode() + b">",
    "digits with blanks": b"<" + WIDE.hex(" ", 3).encode() + b"\n>",
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("is_packed", [False, True])
def test_an_erasure_reads_each_spelling(spelling: str, is_packed: bool) -> None:
    object_with_it = b"9 0 obj <</Title " + SPELLINGS[spelling] + b">> endobj"
    body = b"stream\n" + zlib.compress(object_with_it) + b"\nendstream" if is_packed else object_with_it
    assert any(NAME in text for part in parts(b"%PDF-1.7\n" + body) for text in readings(part))


def test_an_erasure_reads_no_signs_that_a_page_draws_by_number() -> None:
    page = zlib.compress(b"BT <00240025> Tj (\\000\\044) Tj /Span <</ActualText " + literal(WIDE) + b">> BDC ET")
    texts = list(parts(b"%PDF-1.7\nstream\n" + page + b"\nendstream"))[-1]
    assert texts.rstrip(b"\0") == WIDE


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_a_search_reads_each_spelling_in_pieces_of_any_size(spelling: str, size: int) -> None:
    body = b"\\\\ " + SPELLINGS[spelling] + b" \\"
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    plain = b"".join(unescaped(pieces)) + b"".join(from_digits(pieces))
    assert NAME.encode("cp1252") in plain or WIDE in plain
