"""An erasure reads what a picture says about itself, and not its dots: a short text is in these by chance."""

from __future__ import annotations

import random
import struct
import zlib

import pytest

from propsync.runbooks.erasure.pictures import without_dots

NAME = b"Zyx Quagmire"
DOTS = random.Random(1).randbytes(40_000).replace(b"\xff", b"\xff\x00")


def segment(marker: int, content: bytes) -> bytes:
    return bytes([0xFF, marker]) + struct.pack(">H", len(content) + 2) + content


def jpeg(about: bytes = b"", dots: bytes = DOTS, after: bytes = b"") -> bytes:
    """Two scans with a table between them, as progressive pictures have, and a restart in the first."""
    first = segment(0xDA, b"first") + dots + b"\xff\xd3" + dots
    return (
        b"\xff\xd8"
        + segment(0xE1, about)
        + first
        + segment(0xC4, b"table")
        + segment(0xDA, b"second")
        + (dots + b"\xff\xd9" + after)
    )


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(about: bytes = b"", dots: bytes = DOTS, after: bytes = b"") -> bytes:
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IDAT", dots) + chunk(b"tEXt", about) + chunk(b"IEND", b"") + after


def pdf(picture: bytes, kind: bytes = b"/Subtype /Image", after: bytes = b"") -> bytes:
    return b"%PDF-1.7\n1 0 obj <<" + kind + b" /Width 9>> stream\n" + picture + b"\nendstream endobj\n" + after


PICTURES = {
    "JPEG": jpeg,
    "PNG": png,
    "JPEG in a PDF": lambda about=b"", dots=DOTS, after=b"": pdf(jpeg(about, dots), after=after),
}


@pytest.mark.parametrize("kind", PICTURES)
def test_the_dots_go_and_all_else_stays(kind):
    assert len(without_dots(PICTURES[kind]())) < 200
    assert NAME not in without_dots(PICTURES[kind](dots=DOTS + NAME + DOTS))
    assert NAME in without_dots(PICTURES[kind](about=NAME))
    assert NAME in without_dots(PICTURES[kind](after=NAME))


def test_a_packed_picture_of_a_pdf_goes_and_its_pages_stay():
    assert NAME not in without_dots(pdf(DOTS + NAME))
    assert NAME in without_dots(pdf(DOTS + NAME, b"/Subtype /Form /ProcSet [/PDF /ImageC]"))
    assert NAME in without_dots(pdf(DOTS, after=pdf(NAME, b"/Type /Metadata /Subtype /XML")))


@pytest.mark.parametrize("kind", PICTURES)
def test_a_cut_picture_is_read_to_its_end(kind):
    whole = PICTURES[kind](about=NAME, dots=DOTS[:100])
    for end in range(len(whole)):
        assert (NAME in without_dots(whole[:end])) >= (NAME in whole[:end] and kind != "PNG")


@pytest.mark.parametrize("body", [b"", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n" + b"\xff" * 9 + NAME, b"text " + NAME])
def test_other_bytes_stay_as_they_are(body):
    assert NAME not in body or NAME in without_dots(body)
