"""Kinds of files that show by their first bytes."""

from __future__ import annotations

import codecs

_STARTS = {
    b"%PDF-": "a PDF",
    b"PK\x03\x04": "a ZIP or a workbook",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "an old workbook",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"\x1f\x8b\x08": "compressed",
    b"SQLite format 3\x00": "a database",
}
_MARKUP = ((b"<!doctype html", "a web page"), (b"<html", "a web page"), (b"<?xml", "XML"))
PDF_BEGINNING = 1_024
"""Bytes in which PDF readers look for the header: some servers send blank lines before it."""
_BLANKS = b" \t\r\n\f\0" + codecs.BOM_UTF8
_MARKED = 200  # bytes in which the markup of a text begins


def is_pdf(start: bytes) -> bool:
    """Whether a file begins with the header of a PDF, or with blanks and then that."""
    return start[:PDF_BEGINNING].lstrip(_BLANKS).startswith(b"%PDF-")


def kind_of(start: bytes) -> str | None:
    """The kind of a file that is no list of values, as the end of "it is …"; None if its first bytes show none."""
    first = start[:_MARKED].removeprefix(codecs.BOM_UTF8).lstrip().lower()
    markup = (kind for known, kind in _MARKUP if first.startswith(known))
    return next((kind for known, kind in _STARTS.items() if start.startswith(known)), next(markup, None))
