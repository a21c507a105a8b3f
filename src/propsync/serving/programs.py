"""The programs of a service: propsync starts them so that none outlives it, and finds any that did."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil

from propsync.errors import StopRun
from propsync.serving import logs
from propsync.serving.place import MARK
from propsync.shipped import shipped

# -P: a program does not take modules from the folder that it starts in
_PYTHON = (sys.executable, "-P")
PREFECT = (*_PYTHON, "-m", "prefect")
_LAUNCHER = str(Path(__file__).with_name("launcher.py"))
_OWN_FILES = 0o077  # other users may not read files that a program writes
_COMMAND_SECONDS = 300
_DAMAGED = re.compile("file is not a database|disk image is malformed|malformed database schema")


def guarded() -> tuple[str, ...]:
    """The program that runs the Prefect server behind propsync's guard."""
    return (*_PYTHON, str(shipped("flows") / "guarded.py"))


class Program:
    """A program of the service, `prefect` by default, with a log of its own; it inherits `descriptors`."""

    def __init__(
        self,
        name: str,
        words: Sequence[str],
        log: Path,
        environ: Mapping[str, str],
        cwd: Path,
        *,
        program: Sequence[str] = (),
        descriptors: Sequence[int] = (),
    ) -> None:
        self.name, self.log = name, log
        with logs.opened(log) as lines:
            self._process = subprocess.Popen(
                _tied([*(program or PREFECT), *words]),
                env=environ,
                cwd=cwd,
                umask=_OWN_FILES,
                pass_fds=descriptors,
                stdin=subprocess.DEVNULL,
                stdout=lines,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C reaches only the service, which ends its programs in order
            )

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def check(self) -> None:
        """Raises StopRun, with the reason from the log, if the program has ended by itself."""
        if (code := self._process.poll()) is not None:
            # a log has no line about a kill
            cause = signal.Signals(-code).name if code < 0 else logs.last_trouble(self.log)
            why = cause or f"exit code {code}"
            raise StopRun("serve", f"the {self.name} stopped unexpectedly: {why}", self._step_against(why))
        logs.keep_small(self.log)

    def _step_against(self, why: str) -> str:
        if not _DAMAGED.search(why):
            return f"Read {self.log}"
        database = self.log.parents[1] / "prefect.db"
        return f"Move {database} away, which has Prefect's own history and no tables. Then run `propsync serve` again"

    def stop(self, seconds: float) -> None:
        """Asks it to end, and kills it if it does not within `seconds`."""
        self._process.terminate()
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def run(words: Sequence[str], environ: Mapping[str, str], cwd: Path) -> None:
    """Runs a `prefect` command. Raises StopRun with its last line if it fails."""
    done = subprocess.run(
        _tied([*PREFECT, *words]),
        env=environ,
        cwd=cwd,
        umask=_OWN_FILES,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=_COMMAND_SECONDS,
        check=False,
    )
    if done.returncode != 0:
        cause = [line.strip() for line in done.stdout.splitlines() if line.strip()]
        raise StopRun("serve", f"`prefect {' '.join(words)}` failed: {cause[-1] if cause else done.returncode}")


def _tied(command: Sequence[str]) -> list[str]:
    """The command that becomes `command` in a process that the kernel ends when this one dies."""
    return [sys.executable, "-I", "-S", _LAUNCHER, str(os.getpid()), *command]


def end_all(mark: str, seconds: float, spared: Sequence[int] = ()) -> int:
    """Ends every process of the service `mark`, by force after `seconds`; returns their number."""
    found = [process for process in _marked(mark) if process.pid not in spared]
    for process in found:
        _send(process, signal.SIGTERM)
    _, alive = psutil.wait_procs(found, timeout=seconds)
    for process in alive:
        _send(process, signal.SIGKILL)
    psutil.wait_procs(alive, timeout=5)
    return len(found)


def _marked(mark: str) -> list[psutil.Process]:
    """Processes whose environment names the service, including a run that lost its worker, whatever its parent is
    now.
    """
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and process.environ().get(MARK) == mark:
                found.append(process)
        except (psutil.Error, OSError):  # it ended, or belongs to another user
            continue
    return found


def _send(process: psutil.Process, what: signal.Signals) -> None:
    try:
        process.send_signal(what)
    except psutil.NoSuchProcess:
        return
