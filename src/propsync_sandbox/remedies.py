"""The remedial actions of an assessment, as `actions.csv` shows them on a day: open, under way, or closed.

The day on which an action closes is fixed from the start, so a bundle fetched later shows more of them closed. Some
close without evidence. Some properties tidy up on 31 March, and close many at once. A property has faults that come
back: the same title at the same place, in one assessment after the other.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from . import phrases
from .findings import Row, Subject
from .identity import new_uid
from .jsontext import JsonObject

ACTION_COLUMNS = (
    "id", "reference", "title", "location", "priority", "status", "raisedDate", "dueDate", "closedDate", "responsible",
    "cost", "image", "evidence",
)  # fmt: skip
STATUSES = ("open", "inprogress", "closed")
_DAYS = {"Low": 180, "Medium": 90, "High": 30, "Critical": 7}
_WEIGHTS = (35, 40, 20, 5)
_NEVER = 0.12
_COMES_BACK = 0.35


@dataclass(frozen=True)
class _Place:
    """A property: its faults that come back, and whether it closes all actions of a year at its end."""

    faults: tuple[tuple[str, str], ...]
    tidies_up: bool

    @classmethod
    def of(cls, property_id: str) -> "_Place":
        rng = Random(f"faults {property_id}")
        faults = tuple((rng.choice(phrases.OBSERVATIONS), rng.choice(phrases.LOCATIONS)) for _ in range(2))
        return cls(faults, rng.random() < 0.15)


def actions(about: Subject) -> list[Row]:
    """On the day of the request."""
    members = about.record.members(with_flags=False)
    rng, place, raised = about.dice("actions"), _Place.of(about.record.property), _raised(members)
    return [_action(number, raised, place, about.today, rng) for number in range(1, members["actionCount"] + 1)]


def _raised(members: JsonObject) -> date:
    return date.fromisoformat(members.get("performedDate") or members["createdAt"][:10])


def _action(number: int, raised: date, place: _Place, today: date, rng: Random) -> Row:
    """Each action takes the same number of dice whatever the day, so that later ones stay as they were."""
    title, location = rng.choice(phrases.OBSERVATIONS), rng.choice(phrases.LOCATIONS)
    if number <= len(place.faults) and rng.random() < _COMES_BACK:
        title, location = place.faults[number - 1]
    priority = rng.choices(tuple(_DAYS), _WEIGHTS)[0]
    begun, closes = _days_of_work(raised, priority, place, rng)
    is_closed = closes is not None and closes <= today
    has_evidence = rng.random() < 0.8
    return {
        "id": new_uid(rng),
        "reference": f"A{number:02d}",
        "title": title,
        "location": location,
        "priority": priority,
        "status": "closed" if is_closed else "inprogress" if begun <= today else "open",
        "raisedDate": raised.isoformat(),
        "dueDate": (raised + timedelta(days=_DAYS[priority])).isoformat(),
        "closedDate": closes.isoformat() if closes is not None and is_closed else "",
        "responsible": rng.choice((*phrases.FIRST_NAMES, "")),
        "cost": f"{int(rng.lognormvariate(10, 1.2)) / 100:.2f}",
        "image": f"images/actions/A{number:02d}.png" if rng.random() < 0.5 else "",
        "evidence": f"images/actions/A{number:02d} done.png" if is_closed and has_evidence else "",
    }


def _days_of_work(raised: date, priority: str, place: _Place, rng: Random) -> tuple[date, date | None]:
    """When somebody begins, and when it closes: None if never."""
    lasts = 1 + int(rng.expovariate(1 / _DAYS[priority]))
    begun = raised + timedelta(days=1 + lasts // 2)
    if rng.random() < _NEVER:
        return begun, None
    closes = raised + timedelta(days=1 + lasts)
    return begun, _end_of_year(closes) if place.tidies_up else closes


def _end_of_year(day: date) -> date:
    """Of the financial year."""
    end = date(day.year, 3, 31)
    return end if day <= end else end.replace(year=day.year + 1)
