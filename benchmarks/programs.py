"""Whole programs, started, waited for and measured."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Cost:
    """What one program took, its children included: CPU is user and system time."""

    wall_seconds: float
    cpu_seconds: float
    peak_bytes: int


def measured(command: Sequence[str], environment: Mapping[str, str]) -> Cost:
    """Runs a program to its end. Raises RuntimeError, with what it said, when it fails."""
    began = time.monotonic()
    with subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        assert process.stdout is not None
        said = process.stdout.read()
        # its own usage, not RUSAGE_CHILDREN: that would keep the highest peak of all programs so far
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command[:4])} ended with {process.returncode}:\n{said.decode()[-2000:]}")
    return Cost(time.monotonic() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


@dataclass(frozen=True)
class Api:
    """Where the sandbox answers."""

    base_url: str
    token: str


@contextmanager
def sandbox(scale: int) -> Iterator[Api]:
    """The sandbox as a program of its own, so that its CPU is not counted."""
    command = [sys.executable, "-m", "propsync_sandbox", "--scale", str(scale), "--no-journal"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            words = process.stdout.readline().split()
            if "token:" not in words:
                raise RuntimeError("the sandbox did not start")
            base_url = next(word for word in words if word.startswith("http"))
            yield Api(base_url, words[words.index("token:") + 1])
        finally:
            process.terminate()


def sync(api: Api, home: Path, memory_limit: str) -> Cost:
    """`propsync sync` into `home`."""
    environment = {
        "PROPSYNC_BASE_URL": api.base_url,
        "PROPSYNC_TOKEN": api.token,
        "PROPSYNC_HOME": str(home),
        "PROPSYNC_MEMORY_LIMIT": memory_limit,
    }
    return measured([str(Path(sys.executable).with_name("propsync")), "sync", "--json"], environment)


def floor(what: str, api: Api, folder: Path, memory_limit: str) -> Cost:
    """The bare script: "load" or "quiet"."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "benchmarks.floor", what, api.base_url, api.token, str(folder)]
    return measured(command, {"PROPSYNC_MEMORY_LIMIT": memory_limit})
