"""The one retry policy: how often, and after how long. `status_codes` says after which answers."""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TypeVar

from propsync.api.clock import Clock
from propsync.api.gate import Cancelled
from propsync.api.requests import ApiRequest
from propsync.errors import AnswerLost, ApiUnreachable, PropsyncError, TransientApiError, UnexpectedAnswer

T = TypeVar("T")
BUSY = frozenset((429, 503))
"""The API did not do what it was asked."""
_LIMITED = 429
_log = logging.getLogger("propsync.api")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Bounds on retries, with full jitter: a wait between 0 and base · 2^(n-1), at most the cap; `wait` adds to it.

    `budget`, `base` and `cap` are seconds; `rng` gives numbers from 0 to 1.
    """

    attempts: int = 8
    budget: float = 300.0
    base: float = 0.5
    cap: float = 30.0
    rng: Callable[[], float] = field(default=random.random, repr=False)

    def jitter(self, attempt: int) -> float:
        """Seconds to wait after the attempt of that number, counted from 1."""
        return self.rng() * self._longest(attempt)

    def wait(self, attempt: int, status: int | None) -> float:
        """The same, after an answer with that status.

        A limit of requests a minute may answer 429 without Retry-After, so the waits of all attempts last longer.
        """
        return self.jitter(attempt) + (self._longest(attempt) if status == _LIMITED else 0)

    def _longest(self, attempt: int) -> float:
        return min(self.cap, self.base * 2.0 ** min(attempt - 1, 60))


class Sent(IntEnum):
    """The possible effect of the attempts at a write so far."""

    NOTHING = 0  # no attempt has reached the API
    BUSY = 1  # the API answered every attempt that it is busy
    MAYBE = 2  # an answer was lost, or does not say it


Again = Callable[[Sent], ApiRequest]
"""The request to send next, after a look at the record. It raises to send nothing more."""


class Setback(Exception):
    """A failed attempt after which another may succeed.

    `sent` says whether the request may have reached the API, `malformed` whether a wrong answer came, `crowded` whether
    the API is overloaded. `retry_after` is the wait that it asks for, in seconds. `next_step` says what people can do,
    if a later run alone does not help.
    """

    def __init__(
        self,
        why: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
        sent: bool = True,
        crowded: bool = False,
        malformed: bool = False,
        next_step: str | None = None,
    ) -> None:
        super().__init__(why)
        self.why = why
        self.status = status
        self.retry_after = retry_after
        self.sent = sent
        self.crowded = crowded
        self.malformed = malformed
        self.next_step = next_step

    @property
    def may_have_done(self) -> Sent:
        """What the attempt may have done."""
        if not self.sent:
            return Sent.NOTHING
        return Sent.BUSY if self.status in BUSY else Sent.MAYBE


class Effort:
    """The attempts at one request: their number, the time between them, and when to give up.

    `again` gives the request of each attempt that had to wait.
    """

    def __init__(
        self,
        request: ApiRequest,
        policy: RetryPolicy,
        clock: Clock,
        cancel: threading.Event,
        again: Again | None = None,
    ) -> None:
        self.request = request
        self.again = again
        self.cancel = cancel
        self.attempts = 0
        self.waited = 0.0
        self._policy = policy
        self._clock = clock
        self.sent = Sent.NOTHING
        self._last = Setback("nothing was tried", sent=False)

    @property
    def left(self) -> float:
        """Seconds of waiting left in the budget."""
        return max(0.0, self._policy.budget - self.waited)

    def run(self, attempt: Callable[[Effort], T]) -> T:
        """Returns the first attempt that does not end in a Setback. Raises the errors of `attempt`, Cancelled, or
        gives up with TransientApiError, ApiUnreachable, AnswerLost or UnexpectedAnswer.
        """
        while True:
            self.attempts += 1
            try:
                return attempt(self)
            except Setback as setback:
                self._last = setback
            self.sent = max(self.sent, self._last.may_have_done)
            self._await_next()

    def _await_next(self) -> None:
        """Waits as long as the API asks, or the policy says. Raises the final error if this was the last attempt."""
        asked = self._last.retry_after
        seconds = self._policy.wait(self.attempts, self._last.status) if asked is None else asked
        if self._is_over(seconds):
            raise self.exhausted(asked)
        self._report_wait(seconds)
        self.wait(seconds)

    def _is_over(self, seconds: float) -> bool:
        # The API may have done a POST that may have arrived.
        unrepeatable = self.request.method == "POST" and self._last.sent
        return unrepeatable or self.attempts >= self._policy.attempts or seconds > self.left

    def wait(self, seconds: float) -> None:
        """Waits, counted against the budget. Raises Cancelled when woken."""
        self._clock.sleep(seconds, self.cancel)
        self.waited += seconds
        if self.cancel.is_set():
            raise Cancelled

    def _report_wait(self, seconds: float) -> None:
        _log.warning(
            "%s: %s; attempt %d of %d, next in %.1f s",
            self.request,
            self._last.why,
            self.attempts,
            self._policy.attempts,
            seconds,
        )

    def exhausted(self, asked_to_wait: float | None) -> PropsyncError:
        """The error to end with; `asked_to_wait` is the API's requested wait, in seconds."""
        where, last = str(self.request), self._last
        if self.request.method == "POST" and last.sent:
            what = f"{last.why}, so propsync does not know whether the API did it"
            return AnswerLost(where, what, status=last.status, attempts=self.attempts, waited=self.waited)
        tries = f"{self.attempts} attempt{'s' if self.attempts != 1 else ''} and {self.waited:.0f} s of waiting"
        if last.malformed:
            return UnexpectedAnswer(where, f"{last.why}, after {tries}", last.next_step, status=last.status)
        kind = TransientApiError if self.sent else ApiUnreachable
        too_long = asked_to_wait is not None and asked_to_wait > self.left
        asking = f"; it asks to wait {asked_to_wait:.0f} s, but {self.left:.0f} s are left" if too_long else ""
        return kind(
            where,
            f"{last.why}, after {tries}{asking}",
            last.next_step,
            status=last.status,
            attempts=self.attempts,
            waited=self.waited,
            asked_to_wait=asked_to_wait if too_long else None,
        )
