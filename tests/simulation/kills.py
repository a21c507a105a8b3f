"""Death at any moment at which something becomes durable: propsync's own seams, wrapped once per process.

`moments.plan(...)` says when to die and how; a dead run can make nothing durable any more.
"""

from __future__ import annotations

import re
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import propsync.runbooks  # noqa: F401 - all modules that hold a seam must be there to be found
from propsync import storage
from propsync.api import status_codes
from propsync.warehouse import Warehouse, make_published_copy

from .nights import Kill

_TARGET = re.compile(
    r"\s*(?:insert into|update|delete from|alter table|drop table(?: if exists)?"
    r"|create (?:or replace )?(?:temp )?(?:table|view|schema|macro)(?: if not exists)?)\s+(\S+)",
    re.IGNORECASE,
)


class Killed(BaseException):
    """The run died here."""


class Moments:
    """Counts moments by kind, and dies at the one that the plan names."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.is_dead = False
        self.plain_plans = False
        self._kill: Kill | None = None
        self._die: Callable[[], None] = lambda: None
        self._lock = threading.RLock()

    def plan(self, kill: Kill | None, die: Callable[[], None]) -> None:
        """Begins again: `die` is called at the moment of death, before anything else can happen."""
        self.counts.clear()
        self.is_dead, self._kill, self._die = False, kill, die

    @contextmanager
    def around(self, event: str) -> Iterator[None]:
        """A moment of a kind: death comes before what the block does, or after."""
        with self._lock:
            self.counts[event] += 1
            number = self.counts[event]
            self._pass(event, number, after=False)
        yield
        with self._lock:
            self._pass(event, number, after=True)

    def _pass(self, event: str, number: int, *, after: bool) -> None:
        if self.is_dead:
            raise Killed
        if self._kill == Kill(event, number, after):
            self.is_dead = True
            self._die()
            raise Killed


moments = Moments()


def install() -> None:
    """Wraps the seams, once in the life of a process; Retry-After waits no second."""
    if getattr(Warehouse, "is_mortal", False):
        return
    Warehouse.is_mortal = True  # type: ignore[attr-defined]
    everywhere(storage.replace, _mortal(storage.replace, _event_of_replace))
    everywhere(storage.copy, _mortal(storage.copy, lambda *_: "copy"))
    everywhere(
        make_published_copy, _mortal(make_published_copy, lambda *_: "copy")
    )  # the second half of making what people open
    everywhere(storage.remove, _mortal(storage.remove, _event_of_remove))
    storage.LocalStorage.place = _mortal(storage.LocalStorage.place, lambda *_: "blob")  # type: ignore[method-assign]
    storage.LineFile.add = _torn_add  # type: ignore[method-assign]
    _wrap_warehouse()
    status_codes.RETRY_AFTER_FLOOR = 0.001


def _event_of_replace(_source: Path, target: Path) -> str:
    if "published" in target.parts:
        return "publish"
    if "base" in target.parts:  # what takes the place of pruned runs comes with the removals, when a run has ended
        return "remove"
    if "state" in target.parts:  # what a machine knows of its bucket, which a run notes after its end too
        return "state"
    return "manifest" if target.name == "manifest.json" else "page"


def _event_of_remove(path: Path) -> str | None:
    """propsync forgets the log of fetched documents once the tables have them."""
    return ("clear" if path.name == "taken.jsonl" else "remove") if path.exists() else None


def _mortal(function: Callable[..., Any], event_of: Callable[..., str | None]) -> Callable[..., Any]:
    @wraps(function)
    def wrapped(*values: Any, **options: Any) -> Any:
        event = event_of(*values)
        if event is None:
            return function(*values, **options)
        with moments.around(event):
            return function(*values, **options)

    return wrapped


def _torn_add(self: storage.LineFile, line: bytes) -> None:
    """Death before the end of a line leaves half of it."""
    half = len(line) // 2
    self._file.write(b"\n" + line[:half])
    with moments.around("line"):
        self._file.write(line[half:] + b"\n")


def everywhere(original: Callable[..., Any], wrapped: Callable[..., Any]) -> None:
    """In every module that has it by name."""
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "propsync":
            for attribute, value in list(vars(module).items()):
                if value is original:
                    setattr(module, attribute, wrapped)


def _wrap_warehouse() -> None:
    begin, transaction, close = Warehouse.__init__, Warehouse.transaction, Warehouse.close

    def begin_lightly(self: Any, *values: Any, **options: Any) -> None:
        begin(self, *values, **options)
        self._connection.execute("set threads = 1")
        if moments.plain_plans:
            self._connection.execute("pragma disable_optimizer")

    @contextmanager
    def mortal_transaction(self: Any) -> Iterator[None]:
        with transaction(self):
            self.is_inside = True
            try:
                yield
                commit = moments.around("commit")
                commit.__enter__()
            finally:
                self.is_inside = False
        commit.__exit__(None, None, None)

    def mortal_close(self: Any) -> None:
        """A dead run's connection is closed for real: what it writes then goes to a home that is thrown away."""
        if moments.is_dead:
            close(self)
            return
        try:
            with moments.around("close"):
                close(self)
        except Killed:
            close(self)
            raise

    Warehouse.__init__ = begin_lightly  # type: ignore[method-assign]
    Warehouse.is_inside = False  # type: ignore[attr-defined]
    Warehouse.transaction = mortal_transaction  # type: ignore[assignment,method-assign]
    Warehouse.close = mortal_close  # type: ignore[method-assign]
    Warehouse.checkpoint = _mortal(Warehouse.checkpoint, lambda *_: "checkpoint")  # type: ignore[method-assign]
    Warehouse.execute = _mortal(Warehouse.execute, _event_of_statement)  # type: ignore[method-assign]
    Warehouse.rows = _mortal(Warehouse.rows, _event_of_statement)  # type: ignore[method-assign]


def _event_of_statement(warehouse: Any, sql: str, *_: Any) -> str | None:
    """A statement of its own that changes the state is a commit too; `staging` is memory."""
    found = None if warehouse.is_inside else _TARGET.match(sql)
    return "statement" if found and not found[1].lower().startswith("staging.") else None
