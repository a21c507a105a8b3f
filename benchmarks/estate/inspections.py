"""Assessments and schedules, as templates of JSON snippets in the manner of the sandbox's."""

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from itertools import accumulate
from random import Random

from benchmarks.estate.kinds import Kind
from benchmarks.estate.snippets import a_day, note
from benchmarks.estate.templates import POOL, Pool, Template, always, as_json, pool
from propsync_sandbox import phrases
from propsync_sandbox.flags import PRIORITIES

_STATUSES = ("inprogress", "submitted", *("approved",) * 6)
_USERS = 256


def assessment_templates(rng: Random, types: Sequence[str], kind: Kind) -> list[Template]:
    """Everything after the id and the property, one for as many records as each other one.

    A night moves a status, sets a score or raises a flag.
    """
    people = users(rng)
    members = _members(rng, types, people, kind)
    if not kind.more_flags:
        few = pool(rng, lambda dice: b',"flags":' + as_json(_flags(dice, people)) + b"}")
        return [Template.of(rng, [*members, few], editable=(1, 3, 3, 8))]
    without = Template.of(rng, [*members, always(b',"flags":[]}')], editable=(1, 3))
    flagged = Template.of(rng, [*members, *_many_flags(rng, people, kind)], editable=(1, 3, 3, 9))
    return [without, without, flagged, flagged, flagged]


def _members(rng: Random, types: Sequence[str], people: Sequence[dict[str, object]], kind: Kind) -> list[Pool]:
    """All but the flags."""
    made: tuple[Callable[[Random], bytes], ...] = (
        lambda dice: b'"type":' + as_json(dice.choice(types)) + b',"status":"',
        _days,
        lambda dice: b',"score":' + as_json(_score(dice)),
        lambda dice: b',"assessor":' + as_json(dice.choice(people)),
        lambda dice: b',"scheduleCustomReference":' + as_json(reference(dice)),
        lambda dice: b',"isRemote":' + as_json(dice.random() < 0.1) + b',"actionCount":%d' % dice.randrange(30),
        lambda dice: b',"summary":' + as_json(note(dice, kind.summary)) if dice.random() < 0.6 else b"",
    )
    pools = [pool(rng, one) for one in made]
    pools.insert(1, _in_turn(_STATUSES))
    return pools


def schedule_template(rng: Random, kind: Kind) -> Template:
    """Everything after the key pair; a night moves a status, a due date or a description."""
    people = [str(user["id"]) for user in users(rng)]
    made: tuple[Callable[[Random], bytes], ...] = (
        lambda dice: b'","dueDate":' + as_json(a_day(dice, -200, 800).isoformat()),
        lambda dice: b',"description":' + as_json(note(dice, kind.text)),
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


def _many_flags(rng: Random, people: Sequence[dict[str, object]], kind: Kind) -> list[Pool]:
    """The flags beyond the first, each with its comma, then the first."""
    more = _shares(rng, kind.more_flags, least=0)
    lengths = _shares(rng, kind.entries, least=1)

    def one(dice: Random, entries: int) -> bytes:
        return as_json(_long_flag(dice, people, entries))

    further = tuple(
        b',"flags":[' + b"".join(one(rng, rng.choice(lengths)) + b"," for _ in range(many)) for many in more
    )
    return [further, tuple(one(rng, entries) + b"]}" for entries in lengths)]


def _shares(rng: Random, weights: Sequence[int], least: int) -> list[int]:
    """That many numbers from `least` on, each as often as its weight says, in any order."""
    whole = sum(weights)
    shares = [place * whole // POOL for place in range(POOL)]
    found = [least + sum(share >= bound for bound in accumulate(weights)) for share in shares]
    rng.shuffle(found)
    return found


def _long_flag(rng: Random, people: Sequence[dict[str, object]], entries: int) -> dict[str, object]:
    """As the sandbox shows one: somebody raises it, others acknowledge it, mostly somebody closes it."""
    raised, label = a_day(rng, -700, -200), rng.choice(phrases.FLAG_LABELS)
    is_closed = entries > 1 and rng.random() < 0.7
    words = ["open", *("acknowledged",) * (entries - 1)]
    words[-1] = "closed" if is_closed else words[-1]
    history = [
        {"at": _moment(raised + timedelta(days=9 * step), rng), "status": word, "by": rng.choice(people)["id"]}
        for step, word in enumerate(words)
    ]
    return {
        "type": label.lower().replace(" ", ""),
        "label": label,
        "priority": rng.choice(PRIORITIES),
        "status": "closed" if is_closed else "open",
        "raisedAt": history[0]["at"],
        "closedAt": history[-1]["at"] if is_closed else None,
        "history": history,
    }
