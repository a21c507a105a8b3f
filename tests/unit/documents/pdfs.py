"""PDFs to be read: good ones, odd ones that readers put right, hostile ones with the reason why each is refused."""

import zlib

from fpdf import FPDF
from fpdf.enums import EncryptionMethod

PAGES = ["Größe der Tür: 12 m²", "Naïve café, £5: fire door nº 3", "Third\nand last"]


def report(pages=PAGES, **encryption):
    pdf = FPDF()
    pdf.set_font("Helvetica", size=12)
    for text in pages:
        pdf.add_page()
        pdf.multi_cell(0, 8, text)
    if encryption:
        pdf.set_encryption(**encryption)
    return bytes(pdf.output())


def by_hand(*parts, trailer=b"/Root 1 0 R", shift=0):
    """A PDF of numbered parts, the first of them its root; `shift` makes its table of their places lie."""
    body, places = b"%PDF-1.7\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % (place + shift) for place in places)
    size = len(parts) + 1
    ends = b"trailer\n<</Size %d %s>>\nstartxref\n%d\n%%%%EOF\n" % (size, trailer, len(body))
    return body + b"xref\n0 %d\n0000000000 65535 f \n" % size + table + ends


def stream(content, words=b""):
    return b"<</Length %d %s>>\nstream\n%s\nendstream" % (len(content), words, content)


def bomb(mebibytes):
    """That many MiB of blanks, packed to a few kilobytes."""
    packer = zlib.compressobj(9, wbits=-15)
    block = packer.compress(b" " * 2**20) + packer.flush(zlib.Z_FULL_FLUSH)  # stands by itself, so it can be repeated
    return zlib.compress(b"\x78\x9c" + block * mebibytes + b"\x03\x00", 9)


ROOT = b"<</Type/Catalog /Pages 2 0 R>>"
PAGE = b"<</Type/Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R>>"


def tree(kids, count):
    return b"<</Type/Pages /Kids [%s] /Count %d>>" % (kids, count)


def with_hole(pdf):
    """As if the middle had never come."""
    third = len(pdf) // 3
    return pdf[:third] + bytes(third) + pdf[2 * third :]


def with_garbage_inside(pdf):
    end = pdf.rindex(b"startxref")
    return pdf[:9] + bytes(range(256)) * (end // 256) + pdf[end:]


def with_page_lost(pdf):
    """As if the part of the second page had come as zeros."""
    page = [place for place in range(len(pdf)) if pdf.startswith(b"/Type /Page\n", place)][1]
    start, end = pdf.rindex(b"<<", 0, page), pdf.index(b"endobj", page)
    return pdf[:start] + bytes(end - start) + pdf[end:]


def endless_text():
    """Twelve million characters of text in less than a megabyte."""
    page = PAGE.replace(b"200 200", b"14400 14400").replace(
        b"/Contents", b"/Resources <</Font <</F 5 0 R>>>> /Contents"
    )
    lines = b"0 9 Td (%s) Tj " % (b"fire door " * 500) * 120
    font = b"<</Type/Font /Subtype/Type1 /BaseFont/Helvetica>>"
    return by_hand(ROOT, tree(b"3 0 R " * 20, 20), page, stream(b"BT /F 1 Tf 9 9 Td " + lines + b"ET"), font)


def memory_bomb():
    """A gigabyte of blanks that the reader must hold more than once."""
    return by_hand(ROOT, ONE, PAGE, stream(bomb(1024), b"/Filter [/FlateDecode /FlateDecode]"))


def forms_in_forms(levels):
    """A few kilobytes that ask for four to the power of `levels` drawings."""
    form = b"/Type/XObject /Subtype/Form /BBox [0 0 9 9] /Resources <</XObject <</F %d 0 R>>>>"
    forms = [stream(b"/F Do " * 4, form % (6 + level)) for level in range(levels)]
    page = PAGE.replace(b"/Contents", b"/Resources <</XObject <</F 5 0 R>>>> /Contents")
    last = stream(b"0 0 1 1 re f", b"/Type/XObject /Subtype/Form /BBox [0 0 9 9]")
    return by_hand(ROOT, tree(b"3 0 R", 1), page, stream(b"/F Do"), *forms, last)


GOOD = report()
ONE = tree(b"3 0 R", 1)
EMPTY = stream(b"")
CANNOT = "the PDF's pages cannot be opened"
TORN = f"{CANNOT} (its parts do not fit together)"
HOSTILE = {
    "an empty file": (b"", "the file is empty"),
    "a login page": (b"<!DOCTYPE html><html><body>Sign in</body></html>", "the file is not a PDF"),
    "a PDF after a line of something else": (b"Notice: x\r\n" + GOOD, "the file is not a PDF"),
    "a PDF after more blanks than readers pass over": (b" " * 1_024 + GOOD, "the file is not a PDF"),
    "a PDF cut short": (GOOD[: len(GOOD) // 2], "the PDF has no trailer"),
    "a PDF that lacks its last line": (GOOD[: GOOD.rindex(b"%%EOF")], "the PDF has no trailer"),
    "an end mark alone": (b"%PDF-1.7\n%%EOF\n", "the PDF has no trailer"),
    "a trailer with a page of HTML after it": (GOOD + b"<p>504 Gateway Time-out</p>" * 50, "the PDF has no trailer"),
    "garbage between header and trailer": (with_garbage_inside(GOOD), TORN),
    "no root": (by_hand(ROOT, ONE, PAGE, EMPTY, trailer=b""), TORN),
    "no page tree": (by_hand(b"<</Type/Catalog>>"), f"{CANNOT} (there are none)"),
    "a page tree that is not there": (by_hand(ROOT), f"{CANNOT} (there are none)"),
    "no pages": (by_hand(ROOT, tree(b"", 0)), f"{CANNOT} (there are none)"),
    "a page tree that is its own child": (by_hand(ROOT, tree(b"2 0 R", 3)), f"{CANNOT} (page 1 of 3)"),
    "a page tree whose branch holds its root": (
        by_hand(ROOT, tree(b"3 0 R", 2), b"<</Type/Pages /Parent 2 0 R /Kids [2 0 R] /Count 2>>"),
        f"{CANNOT} (page 1 of 2)",
    ),
    "a page tree that loops and does not count": (
        by_hand(ROOT, b"<</Type/Pages /Kids [2 0 R 2 0 R]>>"),
        f"{CANNOT} (there are none)",
    ),
    "more pages counted than there are": (by_hand(ROOT, tree(b"3 0 R", 5), PAGE, EMPTY), f"{CANNOT} (page 2 of 5)"),
    "a page that is a number": (by_hand(ROOT, ONE, b"42"), f"{CANNOT} (page 1 of 1)"),
    "a page in the middle lost": (with_page_lost(GOOD), f"{CANNOT} (page 2 of 3)"),
    "an end that never came": (with_hole(GOOD), f"{CANNOT} (page 3 of 3)"),
    "a password": (report(owner_password="o", user_password="u"), "the PDF needs a password"),
    "a password and a strong cipher": (
        report(owner_password="o", user_password="u", encryption_method=EncryptionMethod.AES_256),
        "the PDF needs a password",
    ),
    "a cipher of somebody's own": (
        by_hand(ROOT, ONE, PAGE, EMPTY, trailer=b"/Root 1 0 R /Encrypt <</Filter/Acme /V 9>>"),
        "the PDF is encrypted in a way that its reader does not know",
    ),
}
ODD = {
    "a table of places that lies": (by_hand(ROOT, ONE, PAGE, EMPTY, shift=7), 1),
    "a trailer that points nowhere": (GOOD[: GOOD.rindex(b"startxref")] + b"startxref\n99999999\n%%EOF\n", 3),
    "a table of places that goes round": (by_hand(ROOT, ONE, PAGE, EMPTY, trailer=b"/Root 1 0 R /Prev 9"), 1),
    "a lock on changes, not on reading": (report(owner_password="o"), 3),
    "blank lines before it": (b"\r\n\r\n" + GOOD, 3),
    "a little appended": (GOOD + b"\0" * 1000, 3),
    "a million brackets": (by_hand(ROOT, ONE, PAGE, stream(b"[" * 2**20)), 1),
    "a stream that is a thousand times longer unpacked": (
        by_hand(ROOT, ONE, PAGE, stream(bomb(16), b"/Filter [/FlateDecode /FlateDecode]")),
        1,
    ),
}
