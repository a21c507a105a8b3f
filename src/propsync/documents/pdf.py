"""Whether a document is whole, and what it says, found out in a process of its own (correctness.md §8).

A PDF can hang its reader, crash it or fill the memory. So the library that opens PDFs runs in `pdf_worker` alone,
within bounds of time and memory; this process only asks. Bundles are read there too, beside the threads that fetch.
"""

from __future__ import annotations

import json
import math
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import LifoQueue
from types import TracebackType

import msgspec

from propsync.documents.bundle import Bounds, Bundle
from propsync.errors import DocumentDamaged, ResourceFailed

_HEADER = b"%PDF-"
_END = b"%%EOF"
_WHERE_PARTS_ARE = b"startxref"
_TAIL = 1024  # bytes in which the end mark must stand; servers and gateways append a little
_BEFORE_END = 1024  # bytes before those in which `startxref` may stand; it is one short line above
_PROGRAM = "propsync.documents.pdf_worker"
_START = 60.0  # seconds until the program is ready; a busy machine takes a few
_LONGEST = 64 * 1024**2  # bytes of an answer; the program bounds the text to less
_PIECE = 65_536  # bytes


class _Answer(msgspec.Struct):
    """One line of the program: the one member that was asked for, or why the file was refused."""

    pages: int = 0
    text: list[str] = []
    bundle: Bundle = Bundle((), None)
    refused: str = ""
    errno: int = 0


class PdfReader:
    """Opens PDFs in a process of its own; a context manager; threads may share it.

    `seconds` bounds the reading of one file, the wait for a free process apart; up to `workers` files are read at once.
    The processes start at first use, serve many files, and are replaced when they hang or die.
    """

    def __init__(self, *, seconds: float = 60.0, workers: int = 2) -> None:
        self._seconds = seconds
        self._workers = [_Worker(seconds) for _ in range(workers)]
        self._free: LifoQueue[_Worker] = LifoQueue()  # the last used first: a quiet archive starts one process
        for worker in reversed(self._workers):
            self._free.put(worker)

    def __enter__(self) -> PdfReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

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

    def _ask(self, question: Sequence[object], path: Path) -> _Answer:
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
    def _free_worker(self) -> Iterator[_Worker]:
        worker = self._free.get()
        try:
            yield worker
        finally:
            self._free.put(worker)


class _Worker:
    """One process that reads PDFs: started when asked, ended when it fails."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def ask(self, question: Sequence[object], path: Path) -> _Answer:
        """The answer about one file. Raises TimeoutError, or EOFError if the process died of the file.

        It may have died before the file came, or for want of memory that earlier files took: only its second death
        tells. The time is bounded for both together.
        """
        sort, *more = question
        request = json.dumps([sort, str(path.absolute()), *more]).encode() + b"\n"
        with self._lock:
            since = time.monotonic()
            try:
                return self._asked(request, self._seconds)
            except EOFError:
                return self._asked(request, self._seconds - (time.monotonic() - since))

    def end(self) -> None:
        """Ends the process, if there is one, and waits until it is gone."""
        with self._lock:
            self._end()

    def _asked(self, request: bytes, seconds: float) -> _Answer:
        process = self._process or self._started()
        try:
            _send(process, request)
            return msgspec.json.decode(_line(process, seconds), type=_Answer)
        except msgspec.DecodeError as error:
            self._end()
            raise EOFError from error
        except BaseException:  # an interrupt too: an answer that nobody waits for would be taken for the next one
            self._end()
            raise

    def _started(self) -> subprocess.Popen[bytes]:
        """A new process that is ready. Raises ResourceFailed, for no document is at fault."""
        try:
            self._process = process = _start(self._seconds)
            _line(process, _START)
        except (OSError, EOFError) as error:  # TimeoutError is an OSError
            self._end()
            again = "Install propsync again, with pypdfium2, then run it again"
            raise ResourceFailed("documents", "the PDF reader does not start", again) from error
        except BaseException:
            self._end()
            raise
        return process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()  # it writes nothing that could be left half done
            with process:  # closes the pipes, and waits
                pass


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


def _start(seconds: float) -> subprocess.Popen[bytes]:
    # -P: modules come from where ours came from, never from the folder in which we were started
    command = [sys.executable, "-P", "-m", _PROGRAM, str(math.ceil(seconds) + 5)]
    return subprocess.Popen(
        command,
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_without_settings(),
        start_new_session=True,  # Ctrl-C is for us, who end it in good order
    )


def _without_settings() -> dict[str, str]:
    """Our environment as it was given, less the settings: the token is no business of one who reads what came."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PROPSYNC_")}


def _send(process: subprocess.Popen[bytes], request: bytes) -> None:
    """Hands over one line, which the empty pipe always holds. Raises EOFError if nobody is there to read it."""
    assert process.stdin is not None
    try:
        process.stdin.write(request)
    except BrokenPipeError as error:
        raise EOFError from error


def _line(process: subprocess.Popen[bytes], seconds: float) -> bytes:
    """The next line that the process says. Raises TimeoutError after `seconds`, EOFError if it ends before."""
    assert process.stdout is not None
    deadline = time.monotonic() + seconds
    ready = select.poll()
    ready.register(process.stdout, select.POLLIN)
    line = bytearray()
    while not line.endswith(b"\n"):
        left = deadline - time.monotonic()
        if left <= 0 or not ready.poll(left * 1000):
            raise TimeoutError
        piece = process.stdout.read(_PIECE)
        if not piece or len(line) > _LONGEST:
            raise EOFError
        line += piece
    return bytes(line)
