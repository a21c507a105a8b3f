"""Log lines, redaction of secrets, and progress."""

from __future__ import annotations

import base64
import contextlib
import json
import logging
import re
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any, Protocol, TextIO
from urllib.parse import quote, quote_plus

REDACTED = "[redacted]"
PROGRESS_SECONDS = 10.0
# A shorter one would tear holes into unrelated words, and protects nothing.
_SHORTEST_SECRET = 4
_SHORTEST_BASE64 = 8
_HTTP_LOGGERS = ("httpx", "httpcore")

_lock = threading.Lock()
_forms: set[str] = set()
_pattern: re.Pattern[str] | None = None


def conceal(secret: str) -> None:
    """From now on no log record shows `secret`, nor its URL-encoded, escaped or base64 form, whatever handler."""
    global _pattern
    if len(secret) < _SHORTEST_SECRET:
        return
    with _lock:
        _forms.update(_forms_of(secret))
        _pattern = re.compile("|".join(re.escape(form) for form in sorted(_forms, key=len, reverse=True)))
        _guard_records()


def redact(text: str) -> str:
    """`text` with every concealed secret replaced by `[redacted]`."""
    return _pattern.sub(REDACTED, text) if _pattern is not None else text


def _forms_of(secret: str) -> set[str]:
    escaped = {repr(secret)[1:-1], json.dumps(secret)[1:-1], quote(secret, safe=""), quote(secret), quote_plus(secret)}
    return {secret, *escaped, *_base64_forms(secret.encode())}


def _base64_forms(secret: bytes) -> Iterator[str]:
    # In base64 a secret looks different at each of the three places it can start; only whole characters are its own.
    for shift in range(3):
        start, end = -(-shift * 8 // 6), (shift + len(secret)) * 8 // 6
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            form = encode(bytes(shift) + secret).decode()[start:end]
            if len(form) >= _SHORTEST_BASE64:
                yield form


def _guard_records() -> None:
    """Redact at the making of records: libraries with handlers of their own (Prefect) are covered too."""
    make = logging.getLogRecordFactory()
    if getattr(make, "redacts", False):
        return

    def make_redacted(*args: Any, **kwargs: Any) -> logging.LogRecord:
        record = make(*args, **kwargs)
        redact_record(record)
        return record

    make_redacted.redacts = True  # type: ignore[attr-defined]
    logging.setLogRecordFactory(make_redacted)


def redact_record(record: logging.LogRecord) -> bool:
    """Redact message, arguments and exception text of a record in place; always True, so that it serves as a filter."""
    if _pattern is None:
        return True
    # Formatted here and now: whoever reads the arguments later would read them as they are.
    record.msg, record.args = redact(_message_of(record)), None
    if record.exc_info and record.exc_info[0] is not None and not record.exc_text:
        # Formatters use exc_text when it is there, and would print the exception itself otherwise.
        record.exc_text = redact("".join(traceback.format_exception(*record.exc_info)).rstrip("\n"))
    if record.stack_info:
        record.stack_info = redact(record.stack_info)
    return True


def _message_of(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except (TypeError, ValueError, KeyError):
        # logging itself would print such arguments to standard error as they are.
        return f"{record.msg} {record.args!r}"


class PlainFormatter(logging.Formatter):
    """`2026-01-02T03:04:05Z INFO sweep assets: …`: UTC, the logger without "propsync.", one line a message."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(place)s %(line)s", "%Y-%m-%dT%H:%M:%SZ")
        self.converter = time.gmtime

    def format(self, record: logging.LogRecord) -> str:
        record.place = record.name.removeprefix("propsync.")
        # A server's text with a line break in it could pass for a line of ours.
        record.line = "".join(c if c.isprintable() else repr(c)[1:-1] for c in record.getMessage())
        return redact(super().format(record))


class _Display:
    """Where lines and bars go; rich is imported on a terminal only."""

    def __init__(self) -> None:
        self.stream: TextIO | None = None
        self.interactive = False
        self.handler: logging.Handler | None = None
        self.console: Any = None
        self.bars: Any = None

    def open(self, stream: TextIO | None, interactive: bool) -> logging.Handler:
        self.stream, self.interactive = stream, interactive
        self.console = self.bars = None
        handler = self._rich_handler() if interactive else logging.StreamHandler(stream or sys.stderr)
        if not interactive:
            handler.setFormatter(PlainFormatter())
        handler.addFilter(redact_record)
        return handler

    def _rich_handler(self) -> logging.Handler:
        from rich.console import Console
        from rich.logging import RichHandler

        self.console = Console(file=self.stream or sys.stderr)
        # No rich tracebacks: they print local variables, and format the exception before it is redacted.
        return RichHandler(console=self.console, show_path=False, markup=False, rich_tracebacks=False)


_display = _Display()


def configure(level: int | str = logging.INFO, stream: TextIO | None = None, interactive: bool = False) -> None:
    """Send log lines to `stream` (standard error by default): rich on a terminal (`interactive`), plain elsewhere.

    `level` is that of propsync's own loggers. HTTP libraries stay at WARNING unless it is DEBUG. May be called again.
    """
    root = logging.getLogger()
    if _display.handler is not None:
        root.removeHandler(_display.handler)
    _display.handler = _display.open(stream, interactive)
    root.addHandler(_display.handler)
    propsync = logging.getLogger("propsync")
    propsync.setLevel(level)
    http_level = logging.DEBUG if propsync.level <= logging.DEBUG else logging.WARNING
    for name in _HTTP_LOGGERS:
        logging.getLogger(name).setLevel(http_level)


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
    if _display.interactive:
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
    if _display.bars is None:
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress

        columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
        end = (TextColumn("{task.fields[unit]}"), TimeElapsedColumn())
        _display.bars = RichProgress(*columns, *end, console=_display.console, transient=True)
    return _display.bars
