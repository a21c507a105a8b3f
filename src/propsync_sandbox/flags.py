"""Flags of assessments (API §2.4) and their histories: raised, mostly acknowledged, mostly closed, in that order.

Of a flag, the API's document shows that it has a history; all its members are a guess.
"""

from datetime import date, timedelta
from random import Random

from . import phrases
from .jsontext import JsonObject
from .people import User

STATUSES = ("open", "closed")
PRIORITIES = ("Low", "Medium", "High", "Critical")
_PRIORITY_WEIGHTS = (35, 40, 20, 5)


def moment(day: date, rng: Random) -> str:
    return f"{day.isoformat()}T{rng.randrange(7, 19):02d}:{rng.randrange(60):02d}:{rng.randrange(60):02d}Z"


def made_up_flags(since: date, today: date, users: list[User], rng: Random) -> list[JsonObject]:
    """Those of an assessment that was performed then, none for most."""
    how_many = rng.choices((0, 1, 2, 3), (70, 18, 8, 4))[0]
    return [lived(since, today, users, rng) for _ in range(how_many)]


def _raised(day: date, users: list[User], rng: Random) -> JsonObject:
    """A flag that somebody raises on that day."""
    label = rng.choice(phrases.FLAG_LABELS)
    at = moment(day, rng)
    own = Random(f"flag {at} {label}")
    return {
        "type": label.lower().replace(" ", ""),
        "label": label,
        "priority": own.choices(PRIORITIES, _PRIORITY_WEIGHTS)[0],
        "status": "open",
        "raisedAt": at,
        "closedAt": None,
        "history": [{"at": at, "status": "open", "by": own.choice(users).id}],
    }


def is_open(flag: JsonObject) -> bool:
    return bool(flag["status"] == "open")


def moved_on(flag: JsonObject, day: date, users: list[User], rng: Random, *, closes: bool) -> JsonObject:
    """The flag after somebody acknowledged or closed it on that day, later than all in its history."""
    status = "closed" if closes else "acknowledged"
    at = max(moment(day, rng), flag["history"][-1]["at"])
    entry = {"at": at, "status": status, "by": rng.choice(users).id}
    after = flag | {"history": [*flag["history"], entry]}
    return after | {"status": "closed", "closedAt": at} if closes else after


def lived(since: date, today: date, users: list[User], rng: Random) -> JsonObject:
    """Raised when the assessment was performed or later; what would be after today has not happened yet."""
    ago, steps = rng.randrange(0, 400), rng.randrange(0, 4)
    moves = [(moment(today, rng)[10:], rng.choice(users).id) for _ in range(steps)]
    flag = _raised(max(since, today - timedelta(days=ago)), users, rng)
    for place, (clock, by) in enumerate(moves, 1):
        day = date.fromisoformat(flag["history"][-1]["at"][:10]) + timedelta(days=place * (1 + ago % 40))
        if day <= today and flag["status"] == "open":
            status = "closed" if place > 1 or ago % 5 == 0 else "acknowledged"
            flag["history"].append({"at": f"{day.isoformat()}{clock}", "status": status, "by": by})
            if status == "closed":
                flag |= {"status": status, "closedAt": flag["history"][-1]["at"]}
    return flag
