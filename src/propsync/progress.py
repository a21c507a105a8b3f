"""How far a long piece of work has come: a bar on a terminal, a log line now and then elsewhere."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from propsync.log import display

PROGRESS_SECONDS = 10.0


class Progress(Protocol):
    """One bar: `total` may be set once it is known; `advance` may be called from any thread."""

    total: float | None

    def advance(self, n: float = 1) -> None:
        """Count n more."""


class LineProgress:
    """Progress as a log line about every 10 seconds, and one at the end if it took that long."""

    def __init__(
        self, description: str, total: float | None, unit: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.total = total
        self._description, self._unit, self._clock = description, unit, clock
        self._done = 0.0
        self._lock = threading.Lock()
        self._last = clock()
        self._spoke = False

    def advance(self, n: float = 1) -> None:
        """Count n more."""
        with self._lock:
            self._done += n
            if self._clock() - self._last >= PROGRESS_SECONDS:
                self._say()

    def finish(self) -> None:
        """The last line, if any was needed before."""
        with self._lock:
            if self._spoke:
                self._say()

    def _say(self) -> None:
        self._last, self._spoke = self._clock(), True
        total = "" if self.total is None else f" of {self.total:,.0f}"
        line = f"{self._description}: {self._done:,.0f}{total} {self._unit}".rstrip()
        logging.getLogger("propsync.progress").info("%s", line)


class _RichBar:
    def __init__(self, bars: Any, task: Any, total: float | None) -> None:
        self._bars, self._task, self._total = bars, task, total

    @property
    def total(self) -> float | None:
        return self._total

    @total.setter
    def total(self, total: float | None) -> None:
        self._total = total
        self._bars.update(self._task, total=total)

    def advance(self, n: float = 1) -> None:
        self._bars.advance(self._task, n)


@contextlib.contextmanager
def progress(description: str, total: float | None = None, unit: str = "") -> Iterator[Progress]:
    """A progress bar on a terminal, log lines elsewhere (see `configure`); bars may be nested."""
    if display.interactive:
        with _rich_bar(description, total, unit) as bar:
            yield bar
        return
    lines = LineProgress(description, total, unit)
    try:
        yield lines
    finally:
        lines.finish()


@contextlib.contextmanager
def _rich_bar(description: str, total: float | None, unit: str) -> Iterator[Progress]:
    bars = _rich_bars()
    task = bars.add_task(description, total=total, unit=unit)
    bars.start()
    try:
        yield _RichBar(bars, task, total)
    finally:
        bars.remove_task(task)
        if not bars.tasks:
            bars.stop()


def _rich_bars() -> Any:
    # One display for all bars: a terminal has room for one.
    if display.bars is None:
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress

        columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
        end = (TextColumn("{task.fields[unit]}"), TimeElapsedColumn())
        display.bars = RichProgress(*columns, *end, console=display.console, transient=True)
    return display.bars
