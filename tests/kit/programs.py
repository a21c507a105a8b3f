"""Real programs: propsync as people start it, and servers that a test starts and stops."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from .command_line import Done

BIN = Path(sys.executable).parent
PROGRAM = str(BIN / "propsync")


def environment(**settings: str) -> dict[str, str]:
    """The environment of the tests with these settings, and no others of Prefect or propsync."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "PROPSYNC_"))}
    return inherited | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"} | settings


class Program:
    """Starts programs in `folder`, each with these settings and no others of propsync."""

    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        self.folder, self.environ = folder, environment(**settings)

    def __call__(self, *words: str, **settings: str) -> Done:
        """Runs `propsync words…` to its end. A keyword is a variable of the environment."""
        return self._ended([PROGRAM, *words], settings)

    def shell(self, line: str, **settings: str) -> Done:
        """Runs a line of bash in which `propsync` is the program."""
        return self._ended(["bash", "-c", line], settings)

    @contextmanager
    def started(self, *words: str) -> Iterator[subprocess.Popen[str]]:
        """`propsync words…` while the block runs; its log lines can be read from `stderr`."""
        with subprocess.Popen(
            [PROGRAM, *words],
            env=self.environ,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    def _ended(self, command: Sequence[str], settings: Mapping[str, str]) -> Done:
        done = subprocess.run(
            command,
            env={**self.environ, **settings},
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=120,
            check=False,
        )
        return Done(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(
    command: Sequence[str], log: Path, environ: Mapping[str, str], cwd: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """A program in a session of its own. The end of the block interrupts it, and kills what is left of it.

    It also receives the interrupt if these tests are killed, so that no server outlives them.
    """
    with log.open("wb") as lines:
        process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "INT", *command],
            env=environ,
            cwd=cwd,
            stdout=lines,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def wait_until(is_so: Callable[[], bool], seconds: float, log: Path) -> None:
    """Asks until it is so; after `seconds` it fails with the end of `log`."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, log.read_text()[-5000:]
        time.sleep(0.2)


def files_with(words: str, folder: Path) -> set[Path]:
    """The files below `folder` that contain `words`."""
    found = set()
    for path in folder.rglob("*"):
        try:
            if path.is_file() and words.encode() in path.read_bytes():
                found.add(path)
        except FileNotFoundError:  # a temporary file that has gone since the listing
            continue
    return found
