"""Independent answers to the questions of docs/questions.md, computed from the sandbox's world in plain Python.

An answer is a list of rows, in no order. The docstring of its function names the columns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from questions.oracle import due, moves, papers, register, remarks, standing, whole
from questions.oracle.due import Rows
from questions.witness import Witness

__all__ = ["QUESTIONS", "Question", "Rows", "some_day"]


def some_day(witness: Witness) -> date:
    """A day in the middle of the time that the reader has seen, for questions about one."""
    return witness.views[0].day + timedelta(days=(witness.today - witness.views[0].day).days // 2)


@dataclass(frozen=True)
class Question:
    """A question in words, and its answer."""

    name: str
    words: str
    answer: Callable[[Witness], Rows]


QUESTIONS = (
    Question("overdue", "What is overdue at each property, and by how many days?", due.overdue),
    Question("due by assignee", "Who has what due in 30, 60 and 90 days?", due.due_by_assignee),
    Question("never assessed", "Which properties lack a required assessment?", standing.without_approval),
    Question("last and next", "When was each last approved, and when is it due next?", due.last_and_next),
    Question("compliance", "How many are in date, by type, at each month end?", standing.states_by_month),
    Question("lateness", "How late were approvals?", due.lateness),
    Question("moved later", "Which due dates were moved after they had passed?", due.moved_after_passing),
    Question("stuck", "Which assessments are stuck?", due.stuck),
    Question("open flags", "Which flags are open, by age?", remarks.open_flags),
    Question("days to close", "How many days do flags take to close, by month?", remarks.days_to_close),
    Question("open actions", "Which actions are open, by priority and age?", remarks.open_actions),
    Question("no evidence", "Which actions were closed without evidence?", remarks.closed_without_evidence),
    Question("at once", "Which properties closed many actions on one day?", remarks.closed_at_once),
    Question("found again", "Which findings came back at the same place?", remarks.found_again),
    Question(
        "changes of an asset",
        "What changed on an asset, when, from what to what?",
        lambda witness: moves.asset_changes(witness, moves.busiest_asset(witness)),
    ),
    Question("came and went", "What was added and deleted last week?", moves.came_and_went),
    Question(
        "doors that fail",
        "Which doors passed on a day and fail now?",
        lambda witness: moves.doors_that_fail_now(witness, some_day(witness)),
    ),
    Question("to replace", "What is past or soon past its replacement?", register.to_replace),
    Question("conditions", "In which condition are the assets of each type?", register.conditions),
    Question("fill rates", "How well is each field filled?", register.fill_rates),
    Question("misfits", "Which values do not fit their field?", register.misfits),
    Question("no report", "Which approved assessments have no report?", papers.approved_without_report),
    Question("changed reports", "Which reports changed later, and where?", papers.changed_reports),
    Question("look-alikes", "Which assets look like one asset?", register.lookalikes),
    Question("property", "What does propsync know about each property?", whole.property_sheets),
    Question("trust", "How far can people trust the last night?", whole.trust),
    Question(
        "known on a day",
        "What were the same numbers, as known on a day?",
        lambda witness: standing.known_on(witness, some_day(witness)),
    ),
    Question(
        "overdue on a day",
        "What was overdue at each property on a day, as known then?",
        lambda witness: due.overdue(witness, witness.view_of(some_day(witness))),
    ),
)
