"""The progress of long work: a bar on a terminal, a log line now and then elsewhere."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator
from typing import Protocol

PROGRESS_SECONDS = 10.0
Watch = Callable[[str, float, "float | None", str], None]
"""Receives the description, the amount done, the total (None: unknown), and both in words."""
_watches: list[Watch] = []


@contextlib.contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """Sends each line of progress to `watch` too, from any thread; `watch` should be quick."""
    _watches.append(watch)
    try:
        yield
    finally:
        _watches.remove(watch)


class Progress(Protocol):
    """One bar: set `total` once you know it; any thread may call `advance`."""

    total: float | None

    def advance(self, n: float = 1, size: int = 0) -> None:
        """Counts n more, and the bytes that came with them."""


Bars = Callable[[str, "float | None", str], contextlib.AbstractContextManager[Progress]]
"""Shows a bar: its description, its total (None: unknown) and its unit."""
_bars: Bars | None = None


def show_bars(bars: Bars | None) -> None:
    """Shows progress through `bars` from now on; None, the default, writes log lines."""
    global _bars
    _bars = bars


class LineProgress:
    """Progress as a log line about every 10 seconds, and one at the end if it took that long."""

    def __init__(
        self, description: str, total: float | None, unit: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.total = total
        self._description, self._unit, self._clock = description, unit, clock
        self._done, self._bytes = 0.0, 0
        self._lock = threading.Lock()
        self._began = self._last = clock()
        self._told: float | None = None

    def advance(self, n: float = 1, size: int = 0) -> None:
        """Counts n more, and the bytes that came with them."""
        with self._lock:
            self._done += n
            self._bytes += size
            if self._clock() - self._last >= PROGRESS_SECONDS:
                self._say()

    def finish(self) -> None:
        """Writes the last line, if it wrote any before and that was not the last."""
        with self._lock:
            if self._told is not None and self._told != self._done:
                self._say()

    def _say(self) -> None:
        self._last, self._told = self._clock(), self._done
        total = "" if self.total is None else f" of {self.total:,.0f}"
        line = f"{self._description}: {self._done:,.0f}{total} {self._unit}".rstrip() + self._traffic()
        logging.getLogger("propsync.progress").info("%s", line)
        for watch in _watches:
            watch(self._description, self._done, self.total, line)

    def _traffic(self) -> str:
        """The bytes so far, their rate, and the time left at this rate; empty if nothing counts bytes."""
        if not self._bytes:
            return ""
        seconds = max(self._clock() - self._began, 1e-6)
        left = "" if self.total is None else f", {_span((self.total - self._done) * seconds / self._done)} left"
        return f", {traffic(self._bytes, seconds)}{left}"


def traffic(size: int, seconds: float) -> str:
    """Bytes and their rate in words."""
    return f"{size / 1e6:,.1f} MB at {size / 1e6 / max(seconds, 1e-6):,.1f} MB/s"


def size_in_words(size: int) -> str:
    """Bytes in the unit that fits."""
    if size < 1e5:
        return f"{size / 1e3:,.1f} kB"
    return f"{size / 1e9:,.1f} GB" if size >= 1e9 else f"{size / 1e6:,.1f} MB"


def _span(seconds: float) -> str:
    return f"{seconds / 60:,.0f} min" if seconds >= 90 else f"{max(seconds, 0):,.0f} s"


@contextlib.contextmanager
def progress(description: str, total: float | None = None, unit: str = "") -> Iterator[Progress]:
    """Progress as log lines, or as the bars of `show_bars`; bars may be nested."""
    if _bars is not None:
        with _bars(description, total, unit) as bar:
            yield bar
        return
    lines = LineProgress(description, total, unit)
    try:
        yield lines
    finally:
        lines.finish()
