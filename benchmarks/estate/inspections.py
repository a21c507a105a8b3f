"""Assessments and schedules, as templates of JSON snippets in the manner of the sandbox's."""

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from random import Random

from benchmarks.estate.snippets import a_day, note
from benchmarks.estate.templates import Pool, Template, always, as_json, pool
from propsync_sandbox import phrases

_STATUSES = ("inprogress", "submitted", *("approved",) * 6)
_USERS = 256


def assessment_template(rng: Random, types: Sequence[str]) -> Template:
    """Everything after the id and the property; a night moves a status, sets a score or raises a flag."""
    people = users(rng)
    made: tuple[Callable[[Random], bytes], ...] = (
        lambda dice: b'"type":' + as_json(dice.choice(types)) + b',"status":"',
        _days,
        lambda dice: b',"score":' + as_json(_score(dice)),
        lambda dice: b',"assessor":' + as_json(dice.choice(people)),
        lambda dice: b',"scheduleCustomReference":' + as_json(reference(dice)),
        lambda dice: b',"isRemote":' + as_json(dice.random() < 0.1) + b',"actionCount":%d' % dice.randrange(30),
        lambda dice: b',"summary":' + as_json(note(dice)) if dice.random() < 0.6 else b"",
        lambda dice: b',"flags":' + as_json(_flags(dice, people)) + b"}",
    )
    pools = [pool(rng, one) for one in made]
    pools.insert(1, _in_turn(_STATUSES))
    return Template.of(rng, pools, editable=(1, 3, 3, 8))


def schedule_template(rng: Random) -> Template:
    """Everything after the key pair; a night moves a status, a due date or a description."""
    people = [str(user["id"]) for user in users(rng)]
    made: tuple[Callable[[Random], bytes], ...] = (
        lambda dice: b'","dueDate":' + as_json(a_day(dice, -200, 800).isoformat()),
        lambda dice: b',"description":' + as_json(note(dice)),
        lambda dice: b',"customReference":' + as_json(reference(dice)),
        lambda dice: b',"assignedUsers":' + as_json(dice.sample(people, dice.randrange(4))) + b"}",
    )
    pools = [_in_turn(("notstarted", "inprogress")), *(pool(rng, one) for one in made)]
    return Template.of(rng, pools, editable=(1, 1, 2))


def users(rng: Random) -> list[dict[str, object]]:
    """The people of the organisation."""
    names = [f"{rng.choice(phrases.FIRST_NAMES)} {rng.choice(phrases.LAST_NAMES)}" for _ in range(_USERS)]
    return [{"id": f"user{rng.getrandbits(72):018x}", "name": name} for name in names]


def reference(rng: Random) -> str | None:
    """A reference of the organisation's own, or none."""
    return f"REF/{rng.randrange(1_000_000):06d}" if rng.random() < 0.5 else None


def _in_turn(statuses: Sequence[str]) -> Pool:
    """One after the other."""
    return tuple(status.encode() for status in statuses) * (len(always(b"")) // len(statuses))


def _days(rng: Random) -> bytes:
    day = a_day(rng, -1500, 0)
    return b'","performedDate":' + as_json(day.isoformat()) + b',"createdAt":' + as_json(_moment(day, rng))


def _moment(day: date, rng: Random) -> str:
    return f"{day.isoformat()}T{rng.randrange(7, 19):02d}:{rng.randrange(60):02d}:{rng.randrange(60):02d}Z"


def _score(rng: Random) -> float | None:
    return rng.choice((rng.randrange(1, 26), round(rng.uniform(1, 100), 1), round(rng.uniform(1, 100), 1), None))


def _flags(rng: Random, people: Sequence[dict[str, object]]) -> list[dict[str, object]]:
    return [_flag(rng, people) for _ in range(rng.choices((0, 1, 2, 3), (70, 18, 8, 4))[0])]


def _flag(rng: Random, people: Sequence[dict[str, object]]) -> dict[str, object]:
    raised = a_day(rng, -400, 0)
    history = [
        {"at": _moment(raised + timedelta(days=7 * step), rng), "status": status, "by": rng.choice(people)["id"]}
        for step, status in enumerate(("open", "acknowledged", "closed")[: rng.randrange(4)])
    ]
    label = rng.choice(phrases.FLAG_LABELS)
    return {
        "type": label.lower().replace(" ", ""),
        "label": label,
        "raisedAt": _moment(raised, rng),
        "history": history,
    }
