"""One process that reads documents: its start, its requests, their time limit, its end."""

from __future__ import annotations

import json
import math
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from propsync.documents.zips.bundle import Bundle
from propsync.errors import ResourceFailed

_PROGRAM = "propsync.documents.worker.program"
_START = 60.0  # seconds until the program is ready; a busy machine takes a few
_LONGEST = 64 * 1024**2  # bytes of an answer; the program bounds the text to less
_PIECE = 65_536  # bytes


class WorkerReply(msgspec.Struct):
    """One line of the program: the one requested member, or why it refused the file."""

    pages: int = 0
    text: list[str] = []
    bundle: Bundle = Bundle((), None)
    refused: str = ""
    errno: int = 0


# made before any thread needs it: two threads that make it at once, as in `msgspec.json.decode`, can crash Python
decoded = msgspec.json.Decoder(WorkerReply).decode


class Worker:
    """One process that reads documents: it starts at the first request, and ends if it fails."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._is_ready = False
        self._lock = threading.Lock()

    def ask(self, question: Sequence[object], path: Path) -> WorkerReply:
        """The answer about one file. Raises TimeoutError, or EOFError if the process died of the file.

        It may have died before the file came, or because earlier files took its memory: only a second death proves
        anything. One time limit bounds both tries together.
        """
        sort, *more = question
        request = json.dumps([sort, str(path.absolute()), *more]).encode() + b"\n"
        with self._lock:
            since = time.monotonic()
            try:
                return self._asked(request, self._seconds)
            except EOFError:
                return self._asked(request, self._seconds - (time.monotonic() - since))

    def start(self) -> None:
        """Starts the process if none is running; the first request waits until it is ready, and raises if it is not."""
        with self._lock, suppress(OSError):
            self._process = self._process or _start(self._seconds)

    def end(self) -> None:
        """Ends the process, if one is running, and waits for its end."""
        with self._lock:
            self._end()

    def _asked(self, request: bytes, seconds: float) -> WorkerReply:
        process = self._process if self._process and self._is_ready else self._made_ready()
        try:
            _send(process, request)
            return decoded(_line(process, seconds))
        except msgspec.DecodeError as error:
            self._end()
            raise EOFError from error
        except BaseException:  # an interrupt too: the next request would take this answer for its own
            self._end()
            raise

    def _made_ready(self) -> subprocess.Popen[bytes]:
        """The process, once it is ready. Raises ResourceFailed, because no document is at fault."""
        try:
            self._process = process = self._process or _start(self._seconds)
            _line(process, _START)
        except (OSError, EOFError) as error:  # TimeoutError is an OSError
            self._end()
            again = "Install propsync again, with pypdfium2, then run it again"
            raise ResourceFailed("documents", "the PDF reader does not start", again) from error
        except BaseException:
            self._end()
            raise
        self._is_ready = True
        return process

    def _end(self) -> None:
        process, self._process, self._is_ready = self._process, None, False
        if process is not None:
            process.kill()  # it writes nothing that a kill could leave half done
            with process:  # closes the pipes, and waits
                pass


def _start(seconds: float) -> subprocess.Popen[bytes]:
    # -P: modules come from the same place as ours, never from the working folder
    command = [sys.executable, "-P", "-m", _PROGRAM, str(math.ceil(seconds) + 5)]
    return subprocess.Popen(
        command,
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_without_settings(),
        start_new_session=True,  # Ctrl-C is for this process, which ends the program in order
    )


def _without_settings() -> dict[str, str]:
    """Our environment without the settings: a program that reads documents of others must not have the token."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PROPSYNC_")}


def _send(process: subprocess.Popen[bytes], request: bytes) -> None:
    """Writes one line, which the empty pipe always holds. Raises EOFError if the program has ended."""
    assert process.stdin is not None
    try:
        process.stdin.write(request)
    except BrokenPipeError as error:
        raise EOFError from error


def _line(process: subprocess.Popen[bytes], seconds: float) -> bytes:
    """The next line of the process. Raises TimeoutError after `seconds`, EOFError if it ends before."""
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
