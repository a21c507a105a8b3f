"""Runs on documents and pushes receive no time: they get it here, from a clock on which days pass."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from importlib import import_module
from typing import Any

_MODULES = (
    "propsync.documents.fetcher",
    "propsync.runbooks.archiving.archive",
    "propsync.runbooks.archiving.verify",
    "propsync.runbooks.last_time",
)
_TICK = timedelta(milliseconds=1)


class Clock:
    """Replaces `datetime` where propsync asks only for `now`; no two answers are the same."""

    def __init__(self) -> None:
        self.time = datetime.now(UTC)

    def now(self, _zone: tzinfo) -> datetime:
        """A moment after the one before."""
        self.time += _TICK
        return self.time


clock = Clock()


def install() -> None:
    """Once in the life of a process."""
    for name in _MODULES:
        module: Any = import_module(name)
        module.datetime = clock
