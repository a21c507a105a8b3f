"""Documents that the API answers with 202 for as long as propsync waits: it still makes them."""

from __future__ import annotations

import threading

_MOST = 8  # to wait for each of 1,000 would take hours, and those that are ready would wait too


class Unmade:
    """Counts such documents in succession, for all threads of a client."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0

    @property
    def is_too_many(self) -> bool:
        """Whether propsync waits for no further document."""
        with self._lock:
            return self._count >= _MOST

    def add(self) -> None:
        """Counts a document that the API did not finish."""
        with self._lock:
            self._count += 1

    def clear(self) -> None:
        """Begins again: a document has come after a wait."""
        with self._lock:
            self._count = 0
