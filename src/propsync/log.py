"""Log lines, and the redaction of secrets in them."""

from __future__ import annotations

import base64
import json
import logging
import re
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from typing import Any, TextIO
from urllib.parse import quote, quote_plus

REDACTED = "[redacted]"
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


class Display:
    """Where lines and bars go: they share a terminal, on which alone rich is imported."""

    def __init__(self) -> None:
        self.stream: TextIO | None = None
        self.interactive = False
        self.handler: logging.Handler | None = None
        self.console: Any = None
        self.bars: Any = None

    def open(self, stream: TextIO | None, interactive: bool) -> logging.Handler:
        """A handler for lines to `stream`; bars start afresh."""
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


display = Display()


def configure(level: int | str = logging.INFO, stream: TextIO | None = None, interactive: bool = False) -> None:
    """Send log lines to `stream` (standard error by default): rich on a terminal (`interactive`), plain elsewhere.

    `level` is that of propsync's own loggers. HTTP libraries stay at WARNING unless it is DEBUG. May be called again.
    """
    root = logging.getLogger()
    if display.handler is not None:
        root.removeHandler(display.handler)
    display.handler = display.open(stream, interactive)
    root.addHandler(display.handler)
    propsync = logging.getLogger("propsync")
    propsync.setLevel(level)
    http_level = logging.DEBUG if propsync.level <= logging.DEBUG else logging.WARNING
    for name in _HTTP_LOGGERS:
        logging.getLogger(name).setLevel(http_level)
