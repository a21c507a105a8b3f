"""Time as a parameter, so that tests of waiting need not wait."""

from __future__ import annotations

import threading
import time
from typing import Protocol


class Clock(Protocol):
    """The clock functions that api/ needs; all in seconds."""

    def now(self) -> float:
        """Since the epoch, UTC."""

    def monotonic(self) -> float:
        """Since some moment; never decreases."""

    def sleep(self, seconds: float, wake: threading.Event) -> None:
        """Waits, but no longer than until something sets `wake`."""


class SystemClock:
    """The computer's own clock."""

    def now(self) -> float:
        """Since the epoch, UTC."""
        return time.time()

    def monotonic(self) -> float:
        """Since some moment; never decreases."""
        return time.monotonic()

    def sleep(self, seconds: float, wake: threading.Event) -> None:
        """Waits, but no longer than until something sets `wake`."""
        wake.wait(seconds)


SYSTEM_CLOCK: Clock = SystemClock()
