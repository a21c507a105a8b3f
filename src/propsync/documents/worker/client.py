"""Whether a document is whole, and what it says, found out in a process of its own (correctness.md §8).

A PDF can hang its reader, crash it or fill the memory. So the library that opens PDFs runs in `program` alone,
within bounds of time and memory; this process only asks. Bundles are read there too, beside the threads that fetch.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import LifoQueue
from types import TracebackType

from propsync.documents.worker.process import Worker, WorkerReply
from propsync.documents.zips.bundle import Bounds, Bundle
from propsync.errors import DocumentDamaged


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
        return self._ask(["pages"], path).pages

    def text(self, path: Path) -> list[str]:
        """The text by page, in order; empty for a page that is a picture. Lines are ended by a line feed.

        Where a line ends in a hyphen the two lines are one, for the word goes on. Raises DocumentDamaged and
        ResourceFailed as `check` does, and the former for any page that cannot be opened.
        """
        return self._ask(["text"], path).text

    def bundle(self, path: Path, bounds: Bounds) -> Bundle:
        """What `read_bundle` returns and raises, DocumentDamaged also for a ZIP that takes too long."""
        return self._ask(["bundle", bounds.members, bounds.ratio, bounds.unpacked_bytes], path).bundle

    def close(self) -> None:
        """Ends the processes, after the files that they are reading. Whoever asks again starts them again."""
        for worker in self._workers:
            worker.end()

    def _ask(self, question: Sequence[object], path: Path) -> WorkerReply:
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
