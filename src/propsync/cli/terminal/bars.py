"""Progress bars on a terminal, and log lines above them."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, TextIO, cast

from rich.console import Console
from rich.logging import RichHandler
from rich.text import Text

from propsync.progress import Progress, traffic

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID


def _in_utc(moment: datetime) -> Text:
    """The time of a line, as in a log file."""
    return Text(moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))


class _Terminal:
    """A terminal that somebody may close: its bars are lost then, and the work continues."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()


class Bars:
    """All bars of one terminal, which has room for one display of them."""

    def __init__(self, stream: TextIO) -> None:
        self._console = Console(file=cast(TextIO, _Terminal(stream)))

    @cached_property
    def _shown(self) -> RichProgress:
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        columns = (TextColumn("{task.description}", markup=False), BarColumn(bar_width=20), MofNCompleteColumn())
        own = (TextColumn("{task.fields[unit]}"), TextColumn("{task.fields[traffic]}"))
        end = (*own, TimeElapsedColumn(), TimeRemainingColumn())
        return RichProgress(*columns, *end, console=self._console, transient=True)

    def lines(self) -> logging.Handler:
        """Shows log lines above the bars."""
        # No rich tracebacks: they print local variables, and format the exception before it is redacted.
        return RichHandler(
            console=self._console, show_path=False, markup=False, rich_tracebacks=False, log_time_format=_in_utc
        )

    @contextmanager
    def one(self, description: str, total: float | None, unit: str) -> Iterator[Progress]:
        """A bar while the block runs."""
        task = self._shown.add_task(description, total=total, unit=unit, traffic="")
        self._shown.start()
        try:
            yield _Bar(self._shown, task, total)
        finally:
            self._shown.remove_task(task)
            if not self._shown.tasks:
                self._shown.stop()


class _Bar:
    def __init__(self, bars: RichProgress, task: TaskID, total: float | None) -> None:
        self._bars, self._task, self._total = bars, task, total
        self._bytes, self._began = 0, time.monotonic()

    @property
    def total(self) -> float | None:
        return self._total

    @total.setter
    def total(self, total: float | None) -> None:
        self._total = total
        self._bars.update(self._task, total=total)

    def advance(self, n: float = 1, size: int = 0) -> None:
        self._bytes += size
        if size:
            self._bars.update(self._task, traffic=traffic(self._bytes, time.monotonic() - self._began))
        self._bars.advance(self._task, n)
