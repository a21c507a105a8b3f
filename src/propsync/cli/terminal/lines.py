"""The destination of the command's log lines: plain text, or a terminal beside the bars."""

from __future__ import annotations

import logging
import sys
import time
from typing import TextIO

from propsync import log, progress
from propsync.log import redact, redact_record

_HTTP_LOGGERS = ("httpx", "httpcore")


class PlainFormatter(logging.Formatter):
    """`2026-01-02T03:04:05Z INFO sweep assets: …`: UTC, the logger without "propsync.", one line a message."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(place)s %(line)s", "%Y-%m-%dT%H:%M:%SZ")
        self.converter = time.gmtime

    def format(self, record: logging.LogRecord) -> str:
        record.place = record.name.removeprefix("propsync.")
        # A line break in a server's text could imitate a line of ours.
        record.line = "".join(c if c.isprintable() else repr(c)[1:-1] for c in record.getMessage())
        return redact(super().format(record))


_handler: logging.Handler | None = None


def configure(level: int | str = logging.INFO, stream: TextIO | None = None, interactive: bool = False) -> None:
    """Sends log lines to `stream` (standard error by default): rich on a terminal (`interactive`), plain elsewhere.

    `level` is that of propsync's own loggers. HTTP libraries stay at WARNING unless it is DEBUG. Callers may repeat it.
    """
    global _handler
    log.guard_records()
    root = logging.getLogger()
    if _handler is not None:
        root.removeHandler(_handler)
    _handler = _on_terminal(stream or sys.stderr) if interactive else _plain(stream or sys.stderr)
    _handler.addFilter(redact_record)
    root.addHandler(_handler)
    propsync = logging.getLogger("propsync")
    propsync.setLevel(level)
    http_level = logging.DEBUG if propsync.level <= logging.DEBUG else logging.WARNING
    for name in _HTTP_LOGGERS:
        logging.getLogger(name).setLevel(http_level)


def _plain(stream: TextIO) -> logging.Handler:
    progress.show_bars(None)
    handler = logging.StreamHandler(stream)
    handler.setFormatter(PlainFormatter())
    return handler


def _on_terminal(stream: TextIO) -> logging.Handler:
    """Shares the terminal between lines and bars; only a terminal imports rich."""
    from propsync.cli.terminal.bars import Bars

    bars = Bars(stream)
    progress.show_bars(bars.one)
    return bars.lines()
