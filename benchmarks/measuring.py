"""Whole programs, started, waited for and measured with all that they start."""

import os
import resource
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[1]
_PAUSE_SECONDS = 0.2


@dataclass(frozen=True)
class Cost:
    """What one program took, its children included: CPU is user and system time, the peak is of all together."""

    wall_seconds: float
    cpu_seconds: float
    peak_bytes: int
    said: str = field(default="", compare=False)


def measured(command: Sequence[str], environment: Mapping[str, str], allowed: Sequence[int] = (0,)) -> Cost:
    """Runs a program to its end. Raises RuntimeError, with what it said, when it fails."""
    with tempfile.TemporaryFile() as said:
        began = time.monotonic()
        process = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, **environment}, stdout=said, stderr=subprocess.STDOUT
        )
        watch = Watch(process.pid)
        # its own usage and that of the children it waited for; RUSAGE_CHILDREN would add up all programs so far
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        peak = max(watch.end(), _own_peak(usage))
        said.seek(0)
        text = said.read().decode(errors="replace")
    if process.returncode not in allowed:
        raise RuntimeError(f"{' '.join(command[:5])} ended with {process.returncode}:\n{text[-3000:]}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, peak, text)


def _own_peak(usage: resource.struct_rusage) -> int:
    """The peak that the kernel noted, which counts from before the program took this one's place."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return usage.ru_maxrss * 1024 if usage.ru_maxrss > before else 0


class Watch:
    """Looks at a tree of processes a few times a second until its end."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._peak = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look_on, daemon=True)
        self._thread.start()

    def end(self) -> int:
        """The peak."""
        self._ended.set()
        self._thread.join()
        return self._peak

    def _look_on(self) -> None:
        while not self._ended.wait(_PAUSE_SECONDS):
            with suppress(psutil.Error, OSError):
                self._peak = max(self._peak, _tree_bytes(psutil.Process(self._pid)))


def _tree_bytes(root: psutil.Process) -> int:
    """What one process holds, or what several do with shared pages counted once."""
    children = root.children(recursive=True)
    if not children:
        return int(root.memory_info().rss)
    return sum(_proportional(process.pid) for process in (root, *children))


def _proportional(pid: int) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0
