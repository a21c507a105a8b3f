"""The program that opens documents: a PDF can hang or crash its reader, and then takes only this process with it.

`client.WorkerPool` starts it as `python -P -m propsync.documents.worker.program SECONDS`. Only this module imports
pypdfium2. It writes `{}` once it is ready. Then it answers each request, a line such as
`["pages" | "text" | "bundle", path, …]`, by one line: `{"pages": 3}`, `{"text": ["…", "…", "…"]}`, `{"bundle": …}`,
`{"refused": "the PDF needs a password"}` or `{"errno": 5}` if the disk gave no file to read.

It reads bundles too, which leaves the processor to the threads that fetch; a bundle's bounds (`bundle.Bounds`) follow
the path. The program ends with its stdin.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
from pypdfium2 import PdfDocument, PdfiumError, raw

from propsync.documents.zips.bundle import Bounds, read_bundle
from propsync.errors import DocumentDamaged
from propsync.file_kinds import PDF_BEGINNING, is_pdf

_END = b"%%EOF"
_WHERE_PARTS_ARE = b"startxref"
_TAIL = 1024  # last bytes, which must hold the end mark; servers and gateways append a little
_BEFORE_END = 1024  # bytes before those, which may hold `startxref`; it is one short line above
_MEMORY = 2 * 1024**3  # bytes of address space; a report takes a few per cent of it
_MOST_TEXT = 10_000_000  # characters in one PDF; a long report has a hundredth of them
_CANNOT = "the PDF's pages cannot be opened"
_REFUSALS = {
    raw.FPDF_ERR_FILE: "the PDF's file cannot be read",
    raw.FPDF_ERR_FORMAT: f"{_CANNOT} (its parts do not fit together)",
    raw.FPDF_ERR_PASSWORD: "the PDF needs a password",
    raw.FPDF_ERR_SECURITY: "the PDF is encrypted in a way that its reader does not know",
}


class _Refused(Exception):
    """The file cannot be read; its one argument is the reason in words, without a path."""


def main(seconds: int) -> None:
    """Answers requests until stdin ends. One that takes longer than `seconds` ends the process."""
    _bound_itself()
    answers = _answers_alone_on_stdout()
    _say(answers, {})
    for line in sys.stdin:
        # the asking process gives up sooner and kills this one; if it is dead itself, nothing else would
        signal.alarm(seconds)
        _say(answers, _answered(*json.loads(line)))
        signal.alarm(0)


def _bound_itself() -> None:
    """Bounds the memory, and leaves no core file, which would hold the document."""
    for kind, most in ((resource.RLIMIT_AS, _MEMORY), (resource.RLIMIT_CORE, 0)):
        _, hard = resource.getrlimit(kind)
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with suppress(OSError, ValueError):  # macOS has no bound of the address space; the time limit stays
            resource.setrlimit(kind, (bound, bound))


def _answers_alone_on_stdout() -> BinaryIO:
    """The stdout for answers alone: all other output goes to stderr."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return answers


def _say(answers: BinaryIO, answer: dict[str, Any]) -> None:
    answers.write(msgspec.json.encode(answer) + b"\n")
    answers.flush()


def _answered(question: str, path: str, *bounds: Any) -> dict[str, Any]:
    if question == "bundle":
        return _bundle(Path(path), Bounds(*bounds))
    try:
        _check_ends(Path(path))
        with _opened(path) as pdf:
            return {question: _text(pdf) if question == "text" else _pages(pdf)}
    except _Refused as refused:
        return {"refused": str(refused)}


def _bundle(path: Path, bounds: Bounds) -> dict[str, Any]:
    try:
        return {"bundle": read_bundle(path, bounds)}
    except DocumentDamaged as damaged:
        return {"refused": damaged.what}
    except OSError as error:
        return {"errno": error.errno}


def _check_ends(path: Path) -> None:
    """Raises _Refused for a file that does not open or end as PDFs do."""
    try:
        start, tail = _ends(path)
    except OSError as error:
        raise _Refused(f"the PDF's file cannot be read ({type(error).__name__})") from error
    if not start:
        raise _Refused("the file is empty")
    if not is_pdf(start):
        raise _Refused("the file is not a PDF")
    end = tail.rfind(_END, -_TAIL)
    if end < 0 or _WHERE_PARTS_ARE not in tail[:end]:
        raise _Refused("the PDF has no trailer")


def _ends(path: Path) -> tuple[bytes, bytes]:
    """The first 1,024 bytes of a file, in which the header may be, and its last 2,048."""
    with path.open("rb") as file:
        start = file.read(PDF_BEGINNING)
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _TAIL - _BEFORE_END))
        return start, file.read(_TAIL + _BEFORE_END)


@contextmanager
def _opened(path: str) -> Iterator[PdfDocument]:
    """The open file. Raises _Refused.

    `PdfDocument(path)` would leave a file without pages open, and there may be thousands of them.
    """
    handle = raw.FPDF_LoadDocument(os.fsencode(path) + b"\0", None)
    if not handle:
        raise _Refused(_REFUSALS.get(raw.FPDF_GetLastError(), _CANNOT))
    with PdfDocument(handle) as pdf:
        if len(pdf) < 1:
            raise _Refused(f"{_CANNOT} (there are none)")
        yield pdf


def _pages(pdf: PdfDocument) -> int:
    """The number of pages in the page tree; looks each up, and opens the first and the last.

    The number alone is only a claim of the tree's root. Opening every page takes ten times as long.
    """
    size = raw.FS_SIZEF()
    for number in range(1, len(pdf) + 1):
        if not raw.FPDF_GetPageSizeByIndexF(pdf, number - 1, size):
            raise _lost(pdf, number)
    for number in {1, len(pdf)}:
        with _page(pdf, number):
            pass
    return len(pdf)


def _text(pdf: PdfDocument) -> list[str]:
    """The text of each page, as `client.WorkerPool.text` promises it."""
    pages: list[str] = []
    room = _MOST_TEXT
    for number in range(1, len(pdf) + 1):
        with _page(pdf, number) as page, closing(page.get_textpage()) as text:
            pages.append(_plain(text.get_text_bounded()))
        room -= len(pages[-1])
        if room < 0:
            raise _Refused(f"the PDF holds more than {_MOST_TEXT:,} characters of text")
    return pages


def _plain(text: str) -> str:
    """The library ends lines as Windows does, and writes U+0002 for a hyphen at the end of a line."""
    return text.replace("\r\n", "\n").replace("\x02", "-")


@contextmanager
def _page(pdf: PdfDocument, number: int) -> Iterator[Any]:
    """The page of a number, from 1. Raises _Refused, also if the block cannot read the page."""
    try:
        with closing(pdf[number - 1]) as page:
            yield page
    except PdfiumError as error:
        raise _lost(pdf, number) from error


def _lost(pdf: PdfDocument, number: int) -> _Refused:
    return _Refused(f"{_CANNOT} (page {number} of {len(pdf)})")


if __name__ == "__main__":
    main(int(sys.argv[1]))
