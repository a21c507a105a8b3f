"""Ends an unfinished plan that a person gives up: the API may refuse one of its records each time."""

from __future__ import annotations

from propsync.push import verdicts
from propsync.push.journal import WriteJournal


def give_up(journal: WriteJournal) -> None:
    """Notes an outcome for each entry without one, so that nothing more of the plan is sent."""
    so_far = journal.so_far
    for number in range(len(so_far.plan.entries)):
        if number not in so_far.outcomes:
            journal.done(number, verdicts.given_up(was_sent=number in so_far.sent))
    journal.late(so_far.outcomes)  # the plan ends with the read-back that follows
