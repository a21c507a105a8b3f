"""Threads at one kind of work; the first failure ends it all."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from contextvars import copy_context
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

S = TypeVar("S")
T = TypeVar("T")


def in_parallel(
    work: Callable[[S], T], subjects: Iterable[S], *, threads: int, cancel: threading.Event, wake: Callable[[], None]
) -> Iterator[T]:
    """Results as they complete, at most twice as many begun or unread as there are threads.

    The first error, or the end of the reading, sets `cancel`, calls `wake` and waits for the threads; the error is
    raised. `subjects` are read as they are needed, in the caller's thread.
    """
    remaining = iter(subjects)
    crew = _Crew(work, threads)
    try:
        while True:
            crew.take(islice(remaining, 2 * threads - crew.pending))
            if not crew.pending:
                return
            yield from crew.ended()
    finally:
        cancel.set()
        wake()
        crew.dismiss()


class _Crew(Generic[S, T]):
    """Threads and two queues; an executor makes a future of each piece of work, which takes as long as some of it."""

    def __init__(self, work: Callable[[S], T], most: int) -> None:
        self._work = work
        self._most = most
        self._hired = 0
        self._threads: list[threading.Thread] = []
        self._todo: SimpleQueue[tuple[S] | None] = SimpleQueue()
        self._done: SimpleQueue[tuple[T] | BaseException] = SimpleQueue()
        self.pending = 0

    def take(self, subjects: Iterable[S]) -> None:
        """Hands over work."""
        for subject in subjects:
            self._todo.put((subject,))
            self.pending += 1
            if self._hired < min(self.pending, self._most):
                self._hire()

    def ended(self) -> list[T]:
        """What came of all that has ended by now, of one piece of work at least. Raises the first failure among it."""
        told = [self._done.get(), *_more(self._done)]
        self.pending -= len(told)
        results: list[T] = []
        for one in told:
            if isinstance(one, BaseException):
                raise one
            results += one
        return results

    def dismiss(self) -> None:
        """Waits until what is under way has ended; what is not begun is forgotten.

        While Python itself ends nothing is waited for: from 3.13 on it stops daemons before, and they never end.
        """
        list(_more(self._todo))
        for _ in range(self._hired):
            self._todo.put(None)
        for thread in () if sys.is_finalizing() else self._threads:
            thread.join()

    def _hire(self) -> None:
        # in the caller's context: log handlers look there for the run that a line belongs to
        run, name = copy_context().run, f"propsync-api_{self._hired}"
        # a daemon: whoever leaves the results unread and unclosed must still be able to end
        thread = threading.Thread(target=run, args=(self._work_off,), name=name, daemon=True)
        self._hired += 1
        thread.start()
        self._threads.append(thread)  # one that could not be started, or Ctrl-C came meanwhile, is not waited for

    def _work_off(self) -> None:
        while (subject := self._todo.get()) is not None:
            try:
                self._done.put((self._work(*subject),))
            except BaseException as error:  # noqa: BLE001 - `ended` raises it
                self._done.put(error)


def _more(queue: SimpleQueue[T]) -> Iterator[T]:
    """What else is there by now."""
    with suppress(Empty):
        while True:
            yield queue.get_nowait()
