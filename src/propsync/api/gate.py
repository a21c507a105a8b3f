"""The gate for every request: it learns the concurrency, and holds every request when the API asks to wait."""

from __future__ import annotations

import threading
from enum import Enum

from propsync.api.clock import Clock

FIRST_LIMIT = 2


class Outcome(Enum):
    """The evidence of an exchange about the API's load."""

    GOOD = "good"
    FAILED = "failed"
    CROWDED = "crowded"  # 429, 503 or a time-out


class Cancelled(Exception):
    """The work that needs this request has failed or ended; nobody waits for its answer."""


class Gate:
    """Lets at most `limit` requests through at once.

    The limit starts at 2 and grows by one for every `limit` good answers in a row, up to `maximum`. When the API is
    crowded, the gate halves it (never below 1), once for all the requests under way at that moment.
    """

    def __init__(self, maximum: int, clock: Clock) -> None:
        self._maximum = maximum
        self._clock = clock
        self._turn = threading.Condition()
        self._limit = min(FIRST_LIMIT, maximum)
        self._under_way = 0
        self._tickets = 0
        self._halved_at = 0
        self._halvings = 0
        self._streak = 0
        self._held_until = 0.0

    @property
    def limit(self) -> int:
        """The number of concurrent requests, as learnt so far."""
        with self._turn:
            return self._limit

    @property
    def halvings(self) -> int:
        """How often the API was crowded."""
        with self._turn:
            return self._halvings

    def begin_at(self, limit: int, maximum: int) -> None:
        """Continues from a limit that others have learnt, with another maximum."""
        with self._turn:
            self._limit, self._maximum, self._streak = limit, maximum, 0
            self._turn.notify_all()

    def enter(self, cancel: threading.Event) -> int:
        """Waits for a turn, and returns its ticket for `leave`. Raises Cancelled once something sets `cancel`."""
        while (ticket := self.enter_unless_held(cancel)) is None:
            self.wait_out_hold(cancel)
        return ticket

    def enter_unless_held(self, cancel: threading.Event) -> int | None:
        """The same; None once the API has asked to wait."""
        while not cancel.is_set() and self.held_for() == 0:
            if (ticket := self._try_enter(cancel)) is not None:
                return ticket
        if cancel.is_set():
            raise Cancelled
        return None

    def wait_out_hold(self, cancel: threading.Event) -> bool:
        """Waits as long as the API has asked to, and says whether it has asked."""
        held = self.held_for()
        if held > 0:
            self._clock.sleep(held, cancel)
        return held > 0

    def _try_enter(self, cancel: threading.Event) -> int | None:
        with self._turn:
            while self._under_way >= self._limit and not cancel.is_set():
                self._turn.wait()
            # The API may have asked to wait meanwhile.
            if cancel.is_set() or self._held() > 0:
                return None
            self._under_way += 1
            self._tickets += 1
            return self._tickets

    def leave(self, ticket: int, outcome: Outcome) -> None:
        """Gives the turn back and learns from its outcome."""
        with self._turn:
            self._under_way -= 1
            self._learn(ticket, outcome)
            self._turn.notify_all()

    def _learn(self, ticket: int, outcome: Outcome) -> None:
        if outcome is Outcome.GOOD:
            self._streak += 1
            if self._streak >= self._limit:
                self._streak = 0
                self._limit = min(self._limit + 1, self._maximum)
            return
        self._streak = 0
        # Requests sent before the last halving are no evidence about the new limit.
        if outcome is Outcome.CROWDED and ticket > self._halved_at:
            self._limit = max(1, self._limit // 2)
            self._halvings += 1
            self._halved_at = self._tickets

    def hold(self, seconds: float) -> None:
        """Holds all requests for that many seconds; a longer hold remains."""
        with self._turn:
            self._held_until = max(self._held_until, self._clock.monotonic() + seconds)

    def held_for(self) -> float:
        """Seconds until the hold ends; 0 if nothing holds requests."""
        with self._turn:
            return self._held()

    def _held(self) -> float:
        return max(0.0, self._held_until - self._clock.monotonic())

    def wake(self) -> None:
        """Makes threads that wait for a turn check their cancel events."""
        with self._turn:
            self._turn.notify_all()
