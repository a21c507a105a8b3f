"""Threads for one kind of work; the first failure ends it all."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
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
    """Results as they complete; at most twice as many subjects are begun or unread as there are threads.

    At the first error, or when the caller stops reading, it begins nothing else, sets `cancel`, calls `wake` and waits
    for the threads. Then it raises the error. It reads `subjects` as needed, in the caller's thread.
    """
    remaining, pending = iter(subjects), 0
    done: SimpleQueue[Future[T]] = SimpleQueue()  # in the order in which they end, cheaper than waiting for any
    pool = ThreadPoolExecutor(threads, "propsync-api")
    has_failed = threading.Event()

    def begun(subject: S) -> T:
        if has_failed.is_set():  # the caller has yet to read that
            cancel.wait()
            raise CancelledError
        try:
            return work(subject)
        except BaseException:
            has_failed.set()
            raise

    try:
        while True:
            for subject in islice(remaining, 2 * threads - pending):
                pending += 1
                # in the caller's context: log handlers look there for the run of a line
                pool.submit(copy_context().run, begun, subject).add_done_callback(done.put)
            if not pending:
                return
            ended = [done.get(), *_more(done)]
            pending -= len(ended)
            for one in ended:
                yield one.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # first, so that no other work begins
        cancel.set()
        wake()
        pool.shutdown()


def _more(queue: SimpleQueue[T]) -> Iterator[T]:
    """The other results that have completed by now."""
    with suppress(Empty):
        while True:
            yield queue.get_nowait()
