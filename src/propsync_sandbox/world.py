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
from .blemishes import blemish
from .calendar import Calendar
from .changes import ChangeLog
from .jsontext import JsonObject
from .people import Properties, made_up_user
from .property_list import PropertyList
from .schedules import Schedules
from .shelf import Key, Record, Shelf
from .typebook import seeded_assessment_types, seeded_asset_types
from .upkeep import Upkeep

TODAY = date(2026, 3, 2)
RESOURCES = ("assets", "assessments", "schedules")
PROPERTIES = "properties"


class World:
    """About `scale` assets, half as many assessments and schedules, a twelfth as many properties."""

    def __init__(self, seed: int = 7, scale: int = 2000, today: date = TODAY, *, properties: bool = False) -> None:
        """`properties` adds the list of properties, which the API's document does not show."""
        if scale < 0:
            raise ValueError("scale must be 0 or more")
        self.seed = seed
        self.scale = scale
        self.calendar = Calendar(today)
        self.resources = (*RESOURCES, PROPERTIES) if properties else RESOURCES
        self.nights = 0
        self.lock = threading.RLock()
        self.rng = Random(f"world {seed}")
        self._lay_ground()
        self._fill()
        self.changes = self._log_changes()

    @property
    def today(self) -> date:
        """The world's date: each night moves it by a day."""
        return self.calendar.today

    def begin_night(self) -> None:
        """The next day begins, and changes from now on are of its night."""
        self.nights += 1
        self.changes.night = self.nights
        self.calendar.turn()

    def shelf(self, resource: str) -> Shelf:
        """The records of one of `resources`; KeyError for any other word."""
        shelves: dict[str, Shelf] = {
            "assets": self.assets,
            "assessments": self.assessments,
            "schedules": self.schedules,
        }
        if PROPERTIES in self.resources:
            shelves[PROPERTIES] = self.property_list
        return shelves[resource]

    def truth(self, resource: str) -> dict[Key, JsonObject]:
        """Current records by key, as the API would show them; decimals are `decimal.Decimal`."""
        return self.shelf(resource).truth()

    def records_at(self, resource: str, night: int) -> dict[Key, Record]:
        """The records after that many nights, just before the next began."""
        with self.lock:
            return self.changes.records_at(resource, night, self.shelf(resource).by_key())

    def count(self) -> dict[str, int]:
        return {resource: len(self.shelf(resource)) for resource in self.resources}

    def _lay_ground(self) -> None:
        lock, rng = self.lock, self.rng
        self.properties = Properties(rng, max(12, self.scale // 12))
        self.property_list = PropertyList(lock, Random(f"properties {self.seed}"), self.properties)
        self.users = [made_up_user(rng) for _ in range(max(8, self.scale // 100))]
        self.asset_types = seeded_asset_types(lock, rng)
        self.assessment_types = seeded_assessment_types(lock, rng)
        self.assets = Assets(lock, rng, self.asset_types, self.properties, self.calendar)
        self.assessments = Assessments(lock, rng, self.assessment_types, self.properties, self.users, self.calendar)
        self.schedules = Schedules(
            lock, rng, self.assessment_types, self.properties, self.users, self.assessments, self.calendar
        )

    def _fill(self) -> None:
        for _ in range(self.scale):
            self.assets.add()
        Upkeep(self, self.scale // 2).fill()
        blemish(self)

    def _log_changes(self) -> ChangeLog:
        log = ChangeLog(self.calendar)
        for resource in self.resources:
            self.shelf(resource).log = log
        log.is_open = True
        return log

    def _add_assessment(self) -> None:
        """If the property has a schedule of that type, the assessment carries its reference (API §2.6)."""
        pair = (self.properties.pick(), self.assessment_types.pick())
        schedule = self.schedules.get(pair)
        reference = schedule.members()["customReference"] if schedule else None
        self.assessments.add(*pair, reference=reference)
