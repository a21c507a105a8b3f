"""Ends an unfinished plan that a person gives up: the API may refuse one of its records each time."""

from __future__ import annotations

from propsync.push.journals.journal import WriteJournal
from propsync.push.sending import verdicts


def give_up(journal: WriteJournal) -> None:
    """Notes an outcome for each entry without one, so that nothing more of the plan is sent.

    `Sender.look_back` comes first: it settles the entries that earlier applies have sent.
    """
    so_far = journal.so_far
    for number in range(len(so_far.plan.entries)):
        if number not in so_far.outcomes:
            is_unseen = number in so_far.sent
            journal.done(number, verdicts.given_up_unseen() if is_unseen else verdicts.given_up(was_sent=False))
    journal.late(so_far.outcomes)  # the plan ends with the read-back that follows
