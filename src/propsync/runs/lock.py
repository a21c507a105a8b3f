"""The lock that keeps runs apart: the kernel's, freed by death, on a file whose text says who holds it."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from filelock import lock_descriptor, unlock_descriptor

from propsync.errors import Busy
from propsync.storage import disk_errors

_LOOK_AGAIN = 0.2  # seconds


class RunLock:
    """`state/run.lock`. The descriptor is ours, so that waiting for the lock never wipes the holder's name."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def held(self, what: str, wait_seconds: float) -> Iterator[None]:
        """Holds the lock while the block runs. Raises Busy after `wait_seconds`."""
        with disk_errors(self.path):
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            self._wait(handle, wait_seconds)
            self._sign(handle, what)
            yield
            unlock_descriptor(handle)
        finally:
            os.close(handle)

    def holder(self) -> str:
        """Who holds the lock, or held it last, in words."""
        try:
            who = json.loads(self.path.read_text())
            return f"{who['what']} (process {who['pid']} on {who['host']}, since {who['since']})"
        except (OSError, ValueError, KeyError, TypeError):
            return "another run"

    def is_held(self) -> bool:
        """Whether a live process holds the lock right now."""
        try:
            handle = os.open(self.path, os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            return not lock_descriptor(handle, blocking=False)
        finally:
            os.close(handle)

    def _wait(self, handle: int, wait_seconds: float) -> None:
        deadline = time.monotonic() + wait_seconds
        while not lock_descriptor(handle, blocking=False):
            if time.monotonic() >= deadline:
                raise Busy("sync", f"{self.holder()} is at work, nothing was done", "Run `propsync status` to follow it")
            time.sleep(_LOOK_AGAIN)

    def _sign(self, handle: int, what: str) -> None:
        since = datetime.now(UTC).isoformat(timespec="seconds")
        who = {"what": what, "pid": os.getpid(), "host": socket.gethostname(), "since": since}
        os.ftruncate(handle, 0)
        os.pwrite(handle, json.dumps(who).encode(), 0)
