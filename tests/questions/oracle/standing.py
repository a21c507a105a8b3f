"""Where each property stands with what it must have: in date, due soon, out of date or unknown, and never green unseen.

With a requirement's interval, the last approved assessment counts; the schedule's due date counts only without one.
"""

from __future__ import annotations

from calendar import monthrange
from collections import Counter
from datetime import date, timedelta

from questions.lists import Pair
from questions.oracle.due import Rows, overdue
from questions.witness import View, Witness

STATES = ("in date", "due soon", "out of date", "unknown")
DUE_SOON = timedelta(days=30)


def add_months(day: date, months: int) -> date:
    """The last day of the month if it has no such day."""
    years, month = divmod(day.month - 1 + months, 12)
    year = day.year + years
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def state_of(view: View, pair: Pair, months: int, today: date) -> str:
    approved = [found for found in [view.last_approved.get(pair)] if found]
    if not approved:
        schedule = view.schedules.get(pair)
        written = schedule["dueDate"] if schedule else None
        return "out of date" if written and date.fromisoformat(written) < today else "unknown"
    due = add_months(approved[0][0], months)
    if due < today:
        return "out of date"
    return "due soon" if due <= today + DUE_SOON else "in date"


def without_approval(witness: Witness) -> Rows:
    """property_id, property_name, assessment_type; required, and no approved assessment was ever seen"""
    return [
        (place, witness.lists.name(place), witness.type_names[kind])
        for place, kind in witness.lists.required
        if (place, kind) not in witness.now.last_approved
    ]


def states(witness: Witness, view: View | None = None, today: date | None = None) -> Rows:
    """assessment_type, then the required ones in date, due soon, out of date and unknown"""
    view = view or witness.now
    counts: dict[str, Counter[str]] = {}
    for (place, kind), months in witness.lists.required.items():
        state = state_of(view, (place, kind), months, today or view.day)
        counts.setdefault(witness.type_names[kind], Counter())[state] += 1
    return [(name, *(of[state] for state in STATES)) for name, of in counts.items()]


def states_by_month(witness: Witness) -> Rows:
    """day (today, and each month end of a year), assessment_type, the four counts; none before the first sync"""
    found: Rows = []
    for day in [*month_ends(witness.today), witness.today]:
        view = witness.view_of(day)
        if view is not None:
            found += [(day, *row) for row in states(witness, view, day)]
    return found


def month_ends(today: date) -> list[date]:
    """The twelve before today."""
    first = today.replace(day=1)
    return [add_months(first, -ago) - timedelta(days=1) for ago in range(11, -1, -1)]


def known_on(witness: Witness, day: date) -> Rows:
    """assessment_type, the four counts, and how many schedules were overdue; as known on that day"""
    view = witness.view_of(day)
    if view is None:
        return []
    late = Counter(row[2] for row in overdue(witness, view))
    return [(*row, late[row[0]]) for row in states(witness, view, view.day)]
