"""How assessments go round: a schedule falls due, work begins, somebody submits and approves it, the next due date.

Nearly all moves are forward. Now and then an approver sends work back, or somebody moves a due date that has passed.
"""

from collections.abc import Iterable
from datetime import date, timedelta
from random import Random
from zlib import crc32

from . import phrases
from .duties import duty_of
from .shelf import Record
from .world import World

Pair = tuple[str, str]
_SHARE = 0.002
_SENT_BACK = 0.05
_LOOKED_AT = 12
_DUE_IS_MOVED = 0.5


def move_on(world: World, rng: Random) -> dict[str, int]:
    """Begins, submits and approves about as much of each, so that the world stays as it is."""
    submitted, begun = _under_way(world.assessments.records())
    many = max(2, round(len(world.assessments) * _SHARE))
    started = _start(world, many, rng)
    approved = [_approve(world, record, rng) for record in rng.sample(submitted, min(len(submitted), many))]
    handed_in = rng.sample(begun, min(len(begun), many))
    for record in handed_in:
        _submit(world, record, rng)
    return {
        "assessments_status_moved": len(approved) + len(handed_in),
        "schedules_status_moved": sum(approved) + len(started),
        "assessments_added": _begin(world, started, many, rng),
    }


def _under_way(records: Iterable[Record]) -> tuple[list[Record], list[Record]]:
    """Submitted work, and work under way except for a sixth that is stuck."""
    submitted, begun = [], []
    for record in records:
        if record.status == "submitted":
            submitted.append(record)
        elif record.status == "inprogress" and crc32(str(record.key).encode()) % 6:
            begun.append(record)
    return submitted, begun


def _start(world: World, many: int, rng: Random) -> list[Pair]:
    """Begins the schedules due soonest among some at random: to look at all would take a large world too long."""
    waiting = [record for record in world.schedules.records() if record.status == "notstarted"]
    seen = rng.sample(waiting, min(len(waiting), many * _LOOKED_AT))
    soonest = sorted(seen, key=lambda record: (record.members()["dueDate"] or "9", record.key))[:many]
    pairs = [record.key for record in soonest if isinstance(record.key, tuple)]
    for pair in pairs:
        world.schedules.set_status(pair, "inprogress")
    return pairs


def _begin(world: World, started: list[Pair], many: int, rng: Random) -> int:
    """An assessment for each schedule that began; somewhere else if none did, so that every night brings some."""
    for pair in started:
        reference = _reference(world, pair)
        world.assessments.add(*pair, status="inprogress", performed_on=world.today, reference=reference, rng=rng)
    for _ in range(many - len(started)):
        world.assessments.add(rng=rng)
    return many


def _reference(world: World, pair: Pair) -> str | None:
    schedule = world.schedules.get(pair)
    return schedule.members()["customReference"] if schedule else None


def _submit(world: World, record: Record, rng: Random) -> None:
    performed = world.today - timedelta(days=rng.randrange(0, 6))
    world.assessments.set_members(str(record.key), status="submitted", performedDate=performed.isoformat())


def _approve(world: World, record: Record, rng: Random) -> bool:
    """Moves the schedule's due date on by its period; returns whether there is one. A few go back instead."""
    if rng.random() < _SENT_BACK:
        world.assessments.set_status(str(record.key), "inprogress")
        return False
    shown = record.members(with_flags=False)["performedDate"] or world.today.isoformat()
    world.assessments.set_members(str(record.key), status="approved", performedDate=shown)
    pair = (record.property, record.type)
    if pair not in world.schedules:
        return False
    duty = duty_of(world.assessment_types.get(record.type)["name"])
    due = duty.next_after(date.fromisoformat(shown))
    world.schedules.set_members(pair, status="notstarted", dueDate=due.isoformat())
    return True


def reschedule(world: World, key: Pair, rng: Random) -> None:
    """Somebody edits a schedule. Half of those overdue get a later date; the others mostly get another assignee."""
    record = world.schedules.get(key)
    assert record is not None
    before = record.members()
    due, today = before["dueDate"], world.today
    if due and due < today.isoformat() and rng.random() < _DUE_IS_MOVED:
        later = today + timedelta(days=rng.randrange(7, 91))
        world.schedules.set_members(key, dueDate=later.isoformat())
        return
    users = world.schedules.some_users(rng)
    note = rng.choice([note for note in phrases.NOTES if note != before["description"]])
    if rng.random() < 0.5 and users != before["assignedUsers"]:
        world.schedules.set_members(key, assignedUsers=users)
    else:
        world.schedules.set_members(key, description=note)
