"""A look before each further attempt at a write: somebody may edit the record between two attempts."""

from __future__ import annotations

from collections.abc import Callable

from propsync.api import Sent
from propsync.errors import NotFound, RequestRefused, UnexpectedAnswer
from propsync.push import verdicts
from propsync.push.outcome import Outcome

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

    def run(self, write: Callable[[], Outcome]) -> Outcome:
        """The outcome of a write. After an answer that does not say what the API did, the record decides.

        A refusal decides alone if no attempt came before it.
        """
        try:
            return write()
        except Settled as settled:
            return settled.outcome
        except UnexpectedAnswer as error:
            outcome = self._look(Sent.MAYBE)
            return outcome or verdicts.failed(RequestRefused(error.where, error.what, status=error.status))
        except (RequestRefused, NotFound) as error:
            outcome = self._look(self.sent) if self.sent else None
            return outcome or verdicts.failed(error)


class Settled(Exception):
    """The record shows that propsync must not send its write again."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.state)
        self.outcome = outcome
