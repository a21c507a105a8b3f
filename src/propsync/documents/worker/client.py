"""Checks and reads documents in a separate process.

A PDF can hang its reader, crash it or fill the memory. So the library that opens PDFs runs only in `program`,
within bounds of time and memory; this process only sends requests. The program reads bundles too, so that the threads
that fetch have this process to themselves.
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


class WorkerPool:
    """Opens PDFs and bundles in separate processes; a context manager; threads may share it.

    `seconds` bounds the reading of one file, without the wait for a free process; it reads up to `workers` files at
    once. The processes start at first use, serve many files, and are replaced if they hang or die.
    """

    def __init__(self, *, seconds: float = 60.0, workers: int = 2) -> None:
        self._seconds = seconds
        self._workers = [Worker(seconds) for _ in range(workers)]
        self._free: LifoQueue[Worker] = LifoQueue()  # the last used first: a quiet archive starts one process
        for worker in reversed(self._workers):
            self._free.put(worker)

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> None:
        """Starts the processes without waiting for them, so that they are ready for the next call."""
        for worker in self._workers:
            worker.start()

    def check(self, path: Path) -> int:
        """The number of pages, at least 1, of a PDF with header, trailer and page tree.

        Raises DocumentDamaged for any other file, ResourceFailed if the process that reads PDFs does not start.
        """
        return self._ask(["pages"], path).pages

    def text(self, path: Path) -> list[str]:
        """The text by page, in order; empty for a page that is a picture. A line feed ends each line.

        A line that ends in a hyphen joins the next one, because the word continues. Raises the errors of `check`, and
        DocumentDamaged for any page that cannot be opened.
        """
        return self._ask(["text"], path).text

    def bundle(self, path: Path, bounds: Bounds) -> Bundle:
        """Returns and raises the same as `read_bundle`; DocumentDamaged also for a ZIP that takes too long."""
        return self._ask(["bundle", bounds.members, bounds.ratio, bounds.unpacked_bytes], path).bundle

    def close(self) -> None:
        """Ends the processes after their current files. The next call starts them again."""
        for worker in self._workers:
            worker.end()

    def _ask(self, question: Sequence[object], path: Path) -> WorkerReply:
        what = "ZIP" if question[0] == "bundle" else "PDF"
        try:
            with self._free_worker() as worker:
                answer = worker.ask(question, path)
        except TimeoutError:
            raise DocumentDamaged(
                path.name, f"the {what} took too long: propsync gave up after {self._seconds:g} s"
            ) from None
        except EOFError as error:
            raise DocumentDamaged(path.name, f"the {what} crashed its reader") from error
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
