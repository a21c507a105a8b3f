"""Real deaths: a command in a process of its own, killed some seconds after it began its work."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from kit.home import Home

PROGRAM = str(Path(sys.executable).with_name("propsync"))
MANY = int(os.environ.get("KILLS", "20"))


def numbers(daily: int) -> list[Any]:
    """How many moments: a few in `make test`, `KILLS` of them in `make test-long`."""
    return [daily, pytest.param(MANY, marks=[pytest.mark.slow, pytest.mark.timeout(120 + 20 * MANY)])]


def started(home: Home, command: list[str], **given: object) -> subprocess.Popen[bytes]:
    """The command at work on a home, some settings `given`."""
    environ = os.environ | home.environ(**given)
    return subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def wait_for_the_lock(process: subprocess.Popen[bytes], lock: Path) -> None:
    """Until the run is at work: what comes before is Python starting, which a kill cannot harm."""
    while process.poll() is None:
        with suppress(FileNotFoundError, ValueError, KeyError):
            if json.loads(lock.read_text())["pid"] == process.pid:
                return
        time.sleep(0.002)


def is_killed_after(seconds: float, process: subprocess.Popen[bytes]) -> bool:
    """False if it ended well before that."""
    try:
        _, told = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.communicate()
        return True
    assert process.returncode == 0, told.decode()
    return False


def seconds_at_work(process: subprocess.Popen[bytes], lock: Path) -> float:
    """How long the whole command has the lock."""
    wait_for_the_lock(process, lock)
    began = time.monotonic()
    assert not is_killed_after(60, process)
    return time.monotonic() - began


def spread(number: int, length: float) -> Iterator[Any]:
    """That many moments, evenly over a length of seconds."""
    yield from ((place + 0.5) / number * length for place in range(number))
