"""Runs DuckDB in a thread of its own, so that the main thread receives Ctrl-C at once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from typing import TypeVar

import duckdb

T = TypeVar("T")


class QueryThread:
    """One thread that works with `connections`; a caller that waits for it may stop it."""

    def __init__(self, *connections: duckdb.DuckDBPyConnection) -> None:
        self._connections = connections
        self._pool = ThreadPoolExecutor(1, "query")

    def start(self, work: Callable[[], T]) -> Future[T]:
        """Begins `work`."""
        return self._pool.submit(work)

    def wait(self, work: Callable[[], T]) -> T:
        """The result of `work`; Ctrl-C stops it."""
        future = self.start(work)
        try:
            return future.result()
        except KeyboardInterrupt:
            self.stop(future)
            raise
        finally:
            del future  # its error has this frame: both would keep the rows until the next garbage collection

    def stop(self, future: Future[T]) -> None:
        """Ends the work under way. DuckDB forgets an interrupt between two statements, so this repeats it."""
        while not future.done():
            for connection in self._connections:
                connection.interrupt()
            wait_for([future], timeout=0.05)

    def close(self) -> None:
        """Ends the thread."""
        self._pool.shutdown()
