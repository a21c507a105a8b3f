"""Starts whole programs, waits for them and measures them with their children."""

import os
import resource
import subprocess
import tempfile
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, repeat
from pathlib import Path

ROOT = Path(__file__).parents[1]
_PAUSES_SECONDS = (*(0.03,) * 20, *(0.1,) * 20)
_LONG_PAUSE_SECONDS = 0.25


@dataclass(frozen=True)
class Cost:
    """The cost of one program, its children included: CPU is user and system time, the peak is of all together."""

    wall_seconds: float
    cpu_seconds: float
    peak_bytes: int
    said: str = field(default="", compare=False)

    def __add__(self, other: "Cost") -> "Cost":
        """One after the other."""
        wall, cpu = self.wall_seconds + other.wall_seconds, self.cpu_seconds + other.cpu_seconds
        return Cost(wall, cpu, max(self.peak_bytes, other.peak_bytes), self.said + other.said)


def measured(command: Sequence[str], environment: Mapping[str, str], well: Collection[int] = (0,)) -> Cost:
    """Runs a program to its end. Raises RuntimeError, with its output, if its exit code is none of `well`."""
    with tempfile.TemporaryFile() as said:
        began = time.monotonic()
        process = subprocess.Popen(
            command, cwd=ROOT, env={**_surroundings(), **environment}, stdout=said, stderr=subprocess.STDOUT
        )
        watch = Watch(process.pid)
        # its own usage and that of the children it waited for; RUSAGE_CHILDREN would add up all programs so far
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        peak = max(watch.end(), _own_peak(usage))
        said.seek(0)
        text = said.read().decode(errors="replace")
    if process.returncode not in well:
        raise RuntimeError(f"{' '.join(command[:5])} ended with {process.returncode}:\n{text[-3000:]}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, peak, text)


def _surroundings() -> dict[str, str]:
    """The environment, in which Python keeps what it compiles, as it does for people."""
    return {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _own_peak(usage: resource.struct_rusage) -> int:
    """The kernel's own peak, which counts from before the program replaced this one."""
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
        for pause in chain(_PAUSES_SECONDS, repeat(_LONG_PAUSE_SECONDS)):
            if self._ended.wait(pause):
                return
            with suppress(OSError):  # it may end meanwhile
                self._peak = max(self._peak, _tree_bytes(list(_tree(self._pid))))


def _tree(pid: int) -> Iterator[int]:
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in children.read_text(encoding="ascii").split():
            yield from _tree(int(child))


def _tree_bytes(pids: Sequence[int]) -> int:
    """The most memory of one process so far, or of several with shared pages counted once."""
    if len(pids) == 1:
        return _kilobytes(Path(f"/proc/{pids[0]}/status"), "VmHWM:")
    return sum(_kilobytes(Path(f"/proc/{pid}/smaps_rollup"), "Pss:") for pid in pids)


def _kilobytes(path: Path, word: str) -> int:
    with suppress(OSError):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith(word):
                return int(line.split()[1]) * 1024
    return 0
