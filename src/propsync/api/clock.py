"""Time as a thing that is passed in, so that waiting can be tested without waiting."""

from __future__ import annotations

import threading
import time
from typing import Protocol


class Clock(Protocol):
    """What api/ needs of time; all in seconds."""

    def now(self) -> float:
        """Since the epoch, UTC."""

    def monotonic(self) -> float:
        """Since some moment, never going back."""

    def sleep(self, seconds: float, wake: threading.Event) -> None:
        """Wait, but no longer than until `wake` is set."""


class SystemClock:
    """The computer's own clock."""

    def now(self) -> float:
        """Since the epoch, UTC."""
        return time.time()

    def monotonic(self) -> float:
        """Since some moment, never going back."""
        return time.monotonic()

    def sleep(self, seconds: float, wake: threading.Event) -> None:
        """Wait, but no longer than until `wake` is set."""
        wake.wait(seconds)


SYSTEM_CLOCK: Clock = SystemClock()
