"""A look before each further attempt at a write: somebody may edit the record between two attempts."""

from __future__ import annotations

from collections.abc import Callable

from propsync.api import Sent
from propsync.errors import NotFound, RequestRefused, UnexpectedAnswer
from propsync.push.outcome import APPLIED, GONE, PARKED, Outcome
from propsync.push.sending import verdicts
from propsync.push.sending.evidence import is_accepted

Look = Callable[[Sent], Outcome | None]
"""Fetches the record again: the outcome if propsync must not send the write, None if it may."""


class Looks:
    """The looks at one record amid its write; `sent` is what the attempts so far may have done."""

    def __init__(self, look: Look, sent: Sent) -> None:
        self._look = look
        self.sent = sent

    def again(self, sent: Sent) -> None:
        """Looks before a further attempt. Raises Settled if there must be none."""
        self.sent = max(self.sent, sent)
        outcome = self._look(self.sent)
        if outcome is not None:
            raise Settled(outcome)

    def again_after(self, error: RequestRefused) -> None:
        """Looks before an attempt in another form: the API may have stored a part of what it refused."""
        try:
            self.again(Sent.MAYBE)
        except Settled as settled:
            raise Settled(verdicts.with_answer(settled.outcome, error)) from error

    def run(self, write: Callable[[], Outcome]) -> Outcome:
        """The outcome of a write. After an answer that does not say what the API did, the record decides.

        After a refusal the record decides too if it has changed: the API may have stored a part of the values. After an
        answer of success, the API may have stored other values, and the read-back compares them.
        """
        try:
            return write()
        except Settled as settled:
            return settled.outcome
        except UnexpectedAnswer as error:
            outcome = self._look(Sent.MAYBE)
            if outcome is None or (outcome.state == PARKED and is_accepted(error.status)):
                return verdicts.unexplained(error)
            return verdicts.with_answer(outcome, error)
        except (RequestRefused, NotFound) as error:
            outcome = self._look(self.sent or Sent.MAYBE)
            has_changed = outcome is not None and outcome.state in (APPLIED, PARKED) and outcome.code != GONE
            if outcome and (self.sent or has_changed):
                return verdicts.with_answer(outcome, error)
            return verdicts.failed(error)


class Settled(Exception):
    """The record shows that propsync must not send its write again."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.state)
        self.outcome = outcome
