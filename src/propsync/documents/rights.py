"""The kinds of document that the token may fetch, as far as the answers of a run show."""

from __future__ import annotations

from collections import Counter

_MOST = 20  # documents in succession: a right may end in the middle of a run


class Rights:
    """Notes which documents came and which the API forbade; threads may share it.

    Rights are per endpoint (API §5). So a 403 gives up its kind, unless a document of that kind came in this run: then
    the 403 is about one document alone.
    """

    def __init__(self) -> None:
        self.forbidden: dict[str, str] = {}
        """Kinds that the token may not fetch, with the error; nobody requests more of them."""
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
