"""Kinds of files that show by their first bytes."""

from __future__ import annotations

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


def kind_of(start: bytes) -> str | None:
    """The kind of a file that is no text, as the end of "it is …"; None if its first bytes show none."""
    return next((kind for known, kind in _STARTS.items() if start.startswith(known)), None)
