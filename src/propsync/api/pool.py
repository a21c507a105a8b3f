"""A bounded pool of threads whose first failure ends it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from itertools import islice
from typing import TypeVar

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
    pending: set[Future[T]] = set()
    executor = ThreadPoolExecutor(threads, thread_name_prefix="propsync-api")
    try:
        while True:
            for subject in islice(remaining, 2 * threads - len(pending)):
                # In the caller's context: log handlers look there for the run that a line belongs to.
                pending.add(executor.submit(copy_context().run, work, subject))
            if not pending:
                return
            done, pending = wait(pending, return_when=FIRST_COMPLETED)
            yield from _results(done)
    finally:
        cancel.set()
        wake()
        executor.shutdown(wait=True, cancel_futures=True)


def _results(done: set[Future[T]]) -> Iterator[T]:
    # A failure among those that are done comes before the good ones: the rest is to stop at once.
    for future in done:
        if future.exception() is not None:
            future.result()
    for future in done:
        yield future.result()
