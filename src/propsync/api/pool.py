"""A bounded pool of threads whose first failure ends it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from itertools import islice
from queue import Empty, SimpleQueue
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
    done: SimpleQueue[Future[T]] = SimpleQueue()
    executor = ThreadPoolExecutor(threads, thread_name_prefix="propsync-api")
    pending = 0
    try:
        while True:
            for subject in islice(remaining, 2 * threads - pending):
                # In the caller's context: log handlers look there for the run that a line belongs to.
                executor.submit(copy_context().run, work, subject).add_done_callback(done.put)
                pending += 1
            if not pending:
                return
            ended = [done.get(), *_more(done)]
            pending -= len(ended)
            yield from _results(ended)
    finally:
        cancel.set()
        wake()
        executor.shutdown(wait=True, cancel_futures=True)


def _more(done: SimpleQueue[Future[T]]) -> Iterator[Future[T]]:
    """What has ended too by now."""
    with suppress(Empty):
        while True:
            yield done.get_nowait()


def _results(done: Sequence[Future[T]]) -> Iterator[T]:
    # A failure among those that are done comes before the good ones: the rest is to stop at once.
    for future in done:
        if future.exception() is not None:
            future.result()
    for future in done:
        yield future.result()
