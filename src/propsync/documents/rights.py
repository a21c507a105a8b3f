"""The kinds of document that the API gives in this run, as far as its answers show."""

from __future__ import annotations

from collections import Counter

_MOST = 20  # documents in succession: a right may end in the middle of a run


class Rights:
    """Notes which documents came and which the API forbade; threads may share it.

    Rights are per endpoint (API §5). So a 403 gives up its kind, unless a document of that kind came in this run: then
    the 403 is about one document alone. A quota that is spent gives it up at once. Each further document would only
    fail, and wait for longer and longer in later runs.
    """

    def __init__(self) -> None:
        self.forbidden: dict[str, str] = {}
        """Kinds that the API refuses, with the error; nobody requests more of them."""
        self.of_quotas: set[str] = set()
        """Those of them whose quota is spent."""
        self._came: set[str] = set()
        self._refused = Counter[str]()

    def came(self, kind: str) -> None:
        """Notes a document of a kind."""
        self._came.add(kind)
        self._refused[kind] = 0

    def refused(self, kind: str, why: str) -> None:
        """Notes a 403."""
        self._refused[kind] += 1
        if kind not in self._came or self._refused[kind] >= _MOST:
            self.forbidden[kind] = why

    def spent(self, kind: str, why: str) -> None:
        """Notes that the API asks to wait for longer than a run waits."""
        self.of_quotas.add(kind)
        self.forbidden[kind] = why
