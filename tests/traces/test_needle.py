"""A text is found in every spelling that a file may give it."""

from __future__ import annotations

import base64
import json
import unicodedata

import pytest

from propsync.errors import UsageError
from propsync.traces import Needle

TEXT = "Jane Döe-O'Brien"
SPELT = {
    "other case": "JANE DÖE-O'BRIEN".encode(),
    "taken apart": unicodedata.normalize("NFD", TEXT).encode(),
    "other blanks": "Jane \u00a0\n Döe-O'Brien".encode(),
    "JSON": rb"Jane\u0020D\u00f6e-O\u0027Brien",
    "JSON, each letter": "".join(f"\\u{ord(one):04X}" for one in TEXT).encode(),
    "JSON, over two lines": rb"Jane\r\nD\u00D6e-O'Brien",
    "JSON in JSON": json.dumps(json.dumps(json.dumps(TEXT))).strip('"\\').encode(),
    "HTML in HTML": b"Jane&amp;nbsp;D&amp;ouml;e-O&amp;amp;#39;Brien",
    "an address in an address": b"Jane%2520D%25C3%25B6e-O%252527Brien",
    "HTML": b"Jane&nbsp;D&ouml;e-O&#39;Brien",
    "HTML, in digits": b"Jane D&#xf6;e-O&#x27;Brien",
    "an address": b"Jane%20D%C3%B6e-O%27Brien",
    "a form": b"jane+d%c3%b6e-o%27brien",
    "SQL": "Jane Döe-O''Brien".encode(),
    "Windows-1252": TEXT.encode("cp1252"),
    "UTF-16LE": TEXT.encode("utf-16-le"),
    "UTF-16BE": TEXT.upper().encode("utf-16-be"),
    "hexadecimal": TEXT.encode().hex().upper().encode(),
    **{f"base64, {skipped}": base64.b64encode(b"?" * skipped + TEXT.encode() + b"??") for skipped in range(3)},
}


@pytest.mark.parametrize("spelling", SPELT)
def test_a_text_is_found_in_each_spelling(spelling: str) -> None:
    for before in (b"", b"\xff" * 7, b"Jane " * 100):
        assert Needle(TEXT).first(before + SPELT[spelling] + b" and so on"), spelling


@pytest.mark.parametrize("spelling", SPELT)
def test_a_text_is_found_across_blocks(spelling: str) -> None:
    body = b"." * 1_000 + SPELT[spelling] + b"." * 1_000
    hit = Needle(TEXT).first_in(body[at : at + 5] for at in range(0, len(body), 5))
    assert hit
    assert abs(hit.offset - 1_000) <= 3  # base64 has some of it in the characters before


@pytest.mark.parametrize("other", ["Jane Dose-O'Brien", "Jane Döe O'Brien", "JaneDöe-O'Brien", "Jane", ""])
def test_another_text_is_not_found(other: str) -> None:
    for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
        assert Needle(TEXT).first(other.encode(encoding)) is None


def test_a_text_without_plain_letters_is_found_too() -> None:
    for found in ("ИВАНОВ".encode(), rb"\u0418\u0432\u0430\u043d\u043e\u0432", "иванов".encode("utf-16-be")):
        assert Needle("Иванов").first(found)
    assert Needle("Иванов").first("Петров".encode()) is None


def test_a_ligature_counts_as_its_letters() -> None:
    assert Needle("Griffiths").is_in("Mr Griﬃths")


@pytest.mark.parametrize("text", ["", "  ab ", "x" * 1_001])
def test_a_text_that_proves_nothing_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        Needle(text)
