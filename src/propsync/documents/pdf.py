"""Whether a document is whole, and what it says, found out in a process of its own (correctness.md §8).

A PDF can hang its reader, crash it or fill the memory. So the library that opens PDFs runs in `pdf_worker` alone,
within bounds of time and memory; this process only asks. Bundles are read there too, beside the threads that fetch.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import LifoQueue
from types import TracebackType

from propsync.documents.bundle import Bounds, Bundle
from propsync.documents.pdf_process import Answer, Worker
from propsync.errors import DocumentDamaged

_HEADER = b"%PDF-"
_END = b"%%EOF"
_WHERE_PARTS_ARE = b"startxref"
_TAIL = 1024  # bytes in which the end mark must stand; servers and gateways append a little
_BEFORE_END = 1024  # bytes before those in which `startxref` may stand; it is one short line above


class PdfReader:
    """Opens PDFs in a process of its own; a context manager; threads may share it.

    `seconds` bounds the reading of one file, the wait for a free process apart; up to `workers` files are read at once.
    The processes start at first use, serve many files, and are replaced when they hang or die.
    """

    def __init__(self, *, seconds: float = 60.0, workers: int = 2) -> None:
        self._seconds = seconds
        self._workers = [Worker(seconds) for _ in range(workers)]
        self._free: LifoQueue[Worker] = LifoQueue()  # the last used first: a quiet archive starts one process
        for worker in reversed(self._workers):
            self._free.put(worker)

    def __enter__(self) -> PdfReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> None:
        """Starts the processes without waiting for them: those who ask next find them ready, or nearly so."""
        for worker in self._workers:
            worker.start()

    def check(self, path: Path) -> int:
        """The number of pages, at least 1, of a PDF with header, trailer and page tree.

        Raises DocumentDamaged for another file, ResourceFailed where the process that reads PDFs does not start.
        """
        _check_ends(path)
        return self._ask(["pages"], path).pages

    def text(self, path: Path) -> list[str]:
        """The text by page, in order; empty for a page that is a picture. Lines are ended by a line feed.

        Where a line ends in a hyphen the two lines are one, for the word goes on. Raises DocumentDamaged and
        ResourceFailed as `check` does, and the former for any page that cannot be opened.
        """
        _check_ends(path)
        return self._ask(["text"], path).text

    def bundle(self, path: Path, bounds: Bounds) -> Bundle:
        """What `read_bundle` returns and raises, DocumentDamaged also for a ZIP that takes too long."""
        return self._ask(["bundle", bounds.members, bounds.ratio, bounds.unpacked_bytes], path).bundle

    def close(self) -> None:
        """Ends the processes, after the files that they are reading. Whoever asks again starts them again."""
        for worker in self._workers:
            worker.end()

    def _ask(self, question: Sequence[object], path: Path) -> Answer:
        what = "ZIP" if question[0] == "bundle" else "PDF"
        try:
            with self._free_worker() as worker:
                answer = worker.ask(question, path)
        except TimeoutError:
            raise DocumentDamaged(path.name, f"the {what} was given up after {self._seconds:g} s") from None
        except EOFError as error:
            raise DocumentDamaged(path.name, f"the {what} reader died of it") from error
        if answer.errno:
            raise OSError(answer.errno, os.strerror(answer.errno), str(path))
        if answer.refused:
            raise DocumentDamaged(path.name, answer.refused)
        return answer

    @contextmanager
    def _free_worker(self) -> Iterator[Worker]:
        worker = self._free.get()
        try:
            yield worker
        finally:
            self._free.put(worker)


def _check_ends(path: Path) -> None:
    """Raises DocumentDamaged for a file that does not open or end as PDFs do."""
    try:
        start, tail = _ends(path)
    except OSError as error:
        raise DocumentDamaged(path.name, f"the PDF's file cannot be read ({type(error).__name__})") from error
    if not start:
        raise DocumentDamaged(path.name, "the file is empty")
    if start != _HEADER:
        raise DocumentDamaged(path.name, "the file is not a PDF")
    end = tail.rfind(_END, -_TAIL)
    if end < 0 or _WHERE_PARTS_ARE not in tail[:end]:
        raise DocumentDamaged(path.name, "the PDF has no trailer")


def _ends(path: Path) -> tuple[bytes, bytes]:
    """The first bytes of a file, as many as the header has, and its last 2,048."""
    with path.open("rb") as file:
        start = file.read(len(_HEADER))
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _TAIL - _BEFORE_END))
        return start, file.read(_TAIL + _BEFORE_END)
