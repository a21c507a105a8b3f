"""Answers, saved documents, and counts of the traffic."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

from propsync.api.requests import ApiRequest


@dataclass(frozen=True, slots=True)
class Answer:
    """One good answer.

    `raw` is the body as received, maybe compressed, and `body` is what it holds. Some servers put a byte-order mark
    before JSON: that is `mark`, and no part of `body`.
    `asked_at` is when the request that succeeded was sent, in epoch seconds; `attempts` counts it and those before it.
    `found` is what the caller's own check made of the body, None without one.
    """

    request: ApiRequest
    status: int
    raw: bytes = field(repr=False)
    body: bytes = field(repr=False)
    attempts: int
    asked_at: float
    content_type: str
    found: Any = field(default=None, repr=False)
    mark: bytes = b""

    @property
    def received(self) -> bytes:
        """The body with its mark, for landing."""
        return self.mark + self.body if self.mark else self.body


@dataclass(frozen=True, slots=True)
class Saved:
    """A document streamed to a file: its bytes, their SHA-256 in hex, and the number of attempts."""

    size: int
    sha256: str
    attempts: int


@dataclass(frozen=True, slots=True)
class TrafficMark:
    """Counts at one moment, or between two: requests sent, how many of them repeats, body bytes received."""

    requests: int = 0
    retries: int = 0
    bytes: int = 0

    def __sub__(self, earlier: TrafficMark) -> TrafficMark:
        return TrafficMark(self.requests - earlier.requests, self.retries - earlier.retries, self.bytes - earlier.bytes)


class Traffic:
    """Counters that threads share; bytes are those of bodies, as received (compressed)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._so_far = TrafficMark()

    def count(self, *, requests: int = 0, retries: int = 0, bytes: int = 0) -> None:
        """Adds to the counters."""
        with self._lock:
            now = self._so_far
            self._so_far = TrafficMark(now.requests + requests, now.retries + retries, now.bytes + bytes)

    def mark(self) -> TrafficMark:
        """The counts so far."""
        with self._lock:
            return self._so_far

    def since(self, mark: TrafficMark) -> TrafficMark:
        """The counts since a mark."""
        return self.mark() - mark

    @property
    def requests(self) -> int:
        """Requests sent so far, repeats included."""
        return self.mark().requests

    @property
    def retries(self) -> int:
        """How many of the requests were repeats."""
        return self.mark().retries

    @property
    def bytes(self) -> int:
        """Body bytes received so far, as received (compressed)."""
        return self.mark().bytes
