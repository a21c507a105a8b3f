"""Due dates: overdue, due soon and by whom, moved, met late; and assessments that are stuck."""

from __future__ import annotations

from collections import Counter
from datetime import date

from questions.lists import Pair
from questions.witness import View, Witness, local_day

Rows = list[tuple[object, ...]]
BANDS = (30, 60, 90)
STUCK_DAYS = 60


def due_date(schedule: dict[str, object]) -> date | None:
    written = schedule["dueDate"]
    return date.fromisoformat(written) if isinstance(written, str) else None


def overdue(witness: Witness, view: View | None = None) -> Rows:
    """property_id, property_name, assessment_type, due_date, days_overdue"""
    view = view or witness.now
    found: Rows = []
    for (place, kind), one in view.schedules.items():
        due = due_date(one)
        if due is not None and due < view.day:
            found.append((place, witness.lists.name(place), witness.type_names[kind], due, (view.day - due).days))
    return found


def due_by_assignee(witness: Witness) -> Rows:
    """user_id and user_name (NULL for nobody), due in 30 days, in 31 to 60, in 61 to 90"""
    counts: dict[str | None, Counter[int]] = {}
    for one in witness.now.schedules.values():
        due = due_date(one)
        ahead = (due - witness.today).days if due else -1
        band = next((most for most in BANDS if ahead <= most), None)
        if ahead >= 0 and band is not None:
            for user in set(one["assignedUsers"]) or {None}:
                counts.setdefault(user, Counter())[band] += 1
    names = {key: row["name"] for key, row in witness.lists.users.items()}
    return [(user, names.get(user or ""), *(of[band] for band in BANDS)) for user, of in counts.items()]


def last_and_next(witness: Witness) -> Rows:
    """property_id, assessment_type, last_approved_on, due_date; for each pair that has either"""
    view = witness.now
    return [
        (
            place,
            witness.type_names[kind],
            view.last_approved.get((place, kind), (None,))[0],
            due_date(view.schedules[place, kind]) if (place, kind) in view.schedules else None,
        )
        for place, kind in view.schedules.keys() | view.last_approved.keys()
    ]


def lateness(witness: Witness) -> Rows:
    """property_id, assessment_type, due_date then, last_approved_on, days_late; approvals since the first sync"""
    found: Rows = []
    for (place, kind), (performed, key) in witness.now.last_approved.items():
        seen = witness.first_approved[key]
        before = witness.views[seen - 1].schedules.get((place, kind)) if seen else None
        due = due_date(before) if before else None
        if due is not None:
            found.append((place, witness.type_names[kind], due, performed, (performed - due).days))
    return found


def moved_after_passing(witness: Witness) -> Rows:
    """property_id, assessment_type, how often a due date moved later after it had passed without an approval

    An approval explains a move if it came while that due date stood.
    """
    counts: Counter[Pair] = Counter()
    for place in range(1, len(witness.views)):
        before, after = witness.views[place - 1], witness.views[place]
        for pair in _moved_later(before, after):
            if not _is_explained(witness, pair, place):
                counts[pair] += 1
    names = witness.type_names
    still = witness.now.schedules.keys() | witness.now.last_approved.keys()
    return [(place, names[kind], count) for (place, kind), count in counts.items() if (place, kind) in still]


def _moved_later(before: View, after: View) -> list[Pair]:
    """Of schedules in both; a record that replaces one deleted between them is a new schedule."""
    found = []
    for pair, one in after.schedules.items():
        was, becomes = due_date(before.schedules.get(pair, {"dueDate": None})), due_date(one)
        if was is not None and becomes is not None and was < after.day and was < becomes:
            found.append(pair)
    return found


def _is_explained(witness: Witness, pair: Pair, moved: int) -> bool:
    """Whether an assessment of the pair became approved while that due date stood."""
    stood = witness.views[moved - 1].schedules[pair]["dueDate"]
    since = moved - 1
    while since and witness.views[since - 1].schedules.get(pair, {}).get("dueDate") == stood:
        since -= 1
    approved = [place for key, place in witness.first_approved.items() if since < place <= moved]
    if not approved:
        return False
    return any(
        (one["property"], one["type"]) == pair and since < witness.first_approved.get(key, 0) <= moved
        for key, one in witness.now.assessments.items()
    )


def stuck(witness: Witness) -> Rows:
    """assessment_id, property_id, assessment_type, status, created on, days since; begun over 60 days ago"""
    found: Rows = []
    for key, one in witness.now.assessments.items():
        created = local_day(one["createdAt"])
        days = (witness.today - created).days
        if one["status"] != "approved" and days > STUCK_DAYS:
            found.append((key, one["property"], witness.type_names[one["type"]], one["status"], created, days))
    return found
