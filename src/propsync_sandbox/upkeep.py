"""How a provider keeps up: which schedules and assessments a world begins with.

Each property has a schedule for most of its duties. Its due date follows from the last approved assessment: ahead for
those in time, behind for the others, of which about half are under way. A few are missing, or were never assessed.
"""

from datetime import date, timedelta
from random import Random
from typing import TYPE_CHECKING

from .duties import DUTIES, Duty

if TYPE_CHECKING:
    from .world import World

Pair = tuple[str, str]
_SCHEDULED = 0.97
_NEVER_ASSESSED = 0.04
_WITHOUT_DUE_DATE = 0.04


class Upkeep:
    """Fills the schedules and assessments of a world, each as many as asked for."""

    def __init__(self, world: "World", count: int) -> None:
        self.world = world
        self.rng: Random = world.rng
        self.count = count
        self._types = {kind["name"]: kind["id"] for kind in world.assessment_types.truth()}
        self._approved: list[tuple[Pair, date]] = []

    def fill(self) -> None:
        """Earlier rounds of the same assessments make up the number."""
        pairs = self._required()
        planned = pairs[: min(round(len(pairs) * _SCHEDULED), self.count)]
        for pair, duty in planned:
            self._plan(pair, duty)
        while len(self.world.schedules) < self.count:
            self.world.schedules.add()
        self._add_earlier_rounds()

    def _required(self) -> list[tuple[Pair, Duty]]:
        places = self.world.properties.all()
        pairs = [
            ((place.id, self._types[duty.name]), duty) for place in places for duty in DUTIES if duty.applies(place)
        ]
        self.rng.shuffle(pairs)
        return pairs

    def _plan(self, pair: Pair, duty: Duty) -> None:
        """One schedule, and the assessments that led to it."""
        rng, today = self.rng, self.world.today
        is_in_time = rng.random() < duty.in_time
        if is_in_time:
            due = today + timedelta(days=rng.randrange(0, duty.days))
        else:
            due = today - timedelta(days=1 + int(rng.expovariate(1 / 45)))
        is_under_way = rng.random() < (0.45 if not is_in_time else 0.25 if due < today + timedelta(days=30) else 0)
        shown = None if rng.random() < _WITHOUT_DUE_DATE else due.isoformat()
        status = "inprogress" if is_under_way else "notstarted"
        self.world.schedules.add(*pair, status=status, dueDate=shown)
        if rng.random() >= _NEVER_ASSESSED:
            self._assess(pair, "approved", due - timedelta(days=duty.days))
            self._approved.append((pair, due - timedelta(days=2 * duty.days)))
        if is_under_way:
            self._begin(pair)

    def _begin(self, pair: Pair) -> None:
        """Most work takes some weeks; some is stuck for months."""
        rng = self.rng
        begun = self.world.today - timedelta(
            days=rng.randrange(0, 45) if rng.random() < 0.8 else rng.randrange(60, 200)
        )
        self._assess(pair, rng.choice(("inprogress", "inprogress", "submitted")), begun)

    def _assess(self, pair: Pair, status: str, day: date) -> None:
        """If the property has a schedule of that type, the assessment carries its reference (API §2.6)."""
        if len(self.world.assessments) < self.count:
            schedule = self.world.schedules.get(pair)
            reference = schedule.members()["customReference"] if schedule else None
            self.world.assessments.add(*pair, status=status, performed_on=day, reference=reference)

    def _add_earlier_rounds(self) -> None:
        while len(self.world.assessments) < self.count:
            if not self._approved:
                self.world.assessments.add()
                continue
            pair, day = self._approved.pop(self.rng.randrange(len(self._approved)))
            late = timedelta(days=self.rng.randrange(-40, 40))
            self._assess(pair, "approved", day + late)
