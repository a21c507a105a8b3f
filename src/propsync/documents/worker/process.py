"""One process that reads documents: started, asked, bounded in time, ended."""

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
    """One line of the program: the one member that was asked for, or why the file was refused."""

    pages: int = 0
    text: list[str] = []
    bundle: Bundle = Bundle((), None)
    refused: str = ""
    errno: int = 0


# made before any thread asks: two that make it at once, as `msgspec.json.decode` would, can crash the interpreter
decoded = msgspec.json.Decoder(WorkerReply).decode


class Worker:
    """One process that reads PDFs: started when asked, ended when it fails."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._is_ready = False
        self._lock = threading.Lock()

    def ask(self, question: Sequence[object], path: Path) -> WorkerReply:
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

    def start(self) -> None:
        """Starts the process, if there is none; whoever asks first waits until it is ready, and is told if not."""
        with self._lock, suppress(OSError):
            self._process = self._process or _start(self._seconds)

    def end(self) -> None:
        """Ends the process, if there is one, and waits until it is gone."""
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
        except BaseException:  # an interrupt too: an answer that nobody waits for would be taken for the next one
            self._end()
            raise

    def _made_ready(self) -> subprocess.Popen[bytes]:
        """The process once it is ready. Raises ResourceFailed, for no document is at fault."""
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
            process.kill()  # it writes nothing that could be left half done
            with process:  # closes the pipes, and waits
                pass


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
