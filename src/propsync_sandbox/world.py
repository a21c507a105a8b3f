"""The seeded state behind the API, and its lock.

`World(seed, scale)` is the same world for the same arguments. Mutations are methods of the collections (`world.assets`,
`world.assessments`, `world.schedules`, `world.asset_types`, `world.assessment_types`); each is atomic, and `with
world.lock:` makes several of them one.
"""

import threading
from datetime import date
from random import Random

from .assessments import Assessments
from .assets import Assets
from .jsontext import JsonObject
from .people import Properties, made_up_user
from .schedules import Schedules
from .shelf import Key, Shelf
from .typebook import seeded_assessment_types, seeded_asset_types

TODAY = date(2026, 3, 2)
RESOURCES = ("assets", "assessments", "schedules")


class World:
    """About `scale` assets, half as many assessments and schedules, a twelfth as many properties."""

    def __init__(self, seed: int = 7, scale: int = 2000, today: date = TODAY) -> None:
        if scale < 0:
            raise ValueError("scale must be 0 or more")
        self.seed = seed
        self.scale = scale
        self.today = today
        self.nights = 0
        self.lock = threading.RLock()
        self.rng = Random(f"world {seed}")
        self._lay_ground()
        self._fill()

    def shelf(self, resource: str) -> Shelf:
        """The records of `assets`, `assessments` or `schedules`; KeyError for any other word."""
        shelves: dict[str, Shelf] = {
            "assets": self.assets,
            "assessments": self.assessments,
            "schedules": self.schedules,
        }
        return shelves[resource]

    def truth(self, resource: str) -> dict[Key, JsonObject]:
        """Current records by key, as the API would show them; decimals are `decimal.Decimal`."""
        return self.shelf(resource).truth()

    def count(self) -> dict[str, int]:
        return {resource: len(self.shelf(resource)) for resource in RESOURCES}

    def _lay_ground(self) -> None:
        lock, rng = self.lock, self.rng
        self.properties = Properties(rng, max(12, self.scale // 12))
        self.users = [made_up_user(rng) for _ in range(max(8, self.scale // 100))]
        self.asset_types = seeded_asset_types(lock, rng)
        self.assessment_types = seeded_assessment_types(lock, rng)
        self.assets = Assets(lock, rng, self.asset_types, self.properties, self.today)
        self.assessments = Assessments(lock, rng, self.assessment_types, self.properties, self.users, self.today)
        self.schedules = Schedules(
            lock, rng, self.assessment_types, self.properties, self.users, self.assessments, self.today
        )

    def _fill(self) -> None:
        for _ in range(self.scale):
            self.assets.add()
        for _ in range(self.scale // 2):
            self.schedules.add()
        for _ in range(self.scale // 2):
            self._add_assessment()

    def _add_assessment(self) -> None:
        """If the property has a schedule of that type, the assessment carries its reference (spec 2.6)."""
        pair = (self.properties.pick(), self.assessment_types.pick())
        schedule = self.schedules.get(pair)
        reference = schedule.members()["customReference"] if schedule else None
        self.assessments.add(*pair, reference=reference)
