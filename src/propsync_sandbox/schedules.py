"""Assessment schedules (API §2.6) and their events; the key is the pair (property, assessment type)."""

import threading
from datetime import date, timedelta
from random import Random

from . import phrases
from .assessments import Assessments
from .calendar import Calendar
from .jsontext import JsonObject
from .people import Properties, User
from .shelf import Key, Record, Shelf
from .typebook import TypeBook

STATUSES = ("notstarted", "inprogress")


class Schedules(Shelf):
    """Keyed by (property id, assessment type id)."""

    resource = "schedules"

    def __init__(
        self,
        lock: threading.RLock,
        rng: Random,
        types: TypeBook,
        properties: Properties,
        users: list[User],
        assessments: Assessments,
        calendar: Calendar,
    ) -> None:
        super().__init__(lock, rng)
        self.types = types
        self.properties = properties
        self.users = users
        self.assessments = assessments
        self.calendar = calendar

    def add(
        self,
        property: str | None = None,
        type: str | None = None,
        *,
        rng: Random | None = None,
        **members: object,
    ) -> tuple[str, str]:
        """Adds a schedule and makes up any member not given; finds a free pair if the caller names none."""
        rng = rng or self.rng
        with self.lock:
            if property is None or type is None:
                property, type = self.free_pair(rng)
            made = self._made_up(property, type, rng) | members
            self._put((property, type), made)
            return property, type

    def create(self, property: str, type: str, **members: object) -> Record:
        """Makes a schedule with empty members except those given, as PUT does (API §4.11)."""
        empty: JsonObject = {
            "property": property,
            "asset": property,
            "type": type,
            "status": "notstarted",
            "dueDate": None,
            "description": None,
            "customReference": None,
            "assignedUsers": [],
        }
        with self.lock:
            self._put((property, type), empty)
            return self.set_members((property, type), **members)

    def set_members(self, key: tuple[str, str], **members: object) -> Record:
        """Overwrites members and keeps the others."""
        with self.lock:
            record = self._standing[key]
            before = record.members()
            after = self._replace(record, before | members)
            if "customReference" in members and members["customReference"] != before["customReference"]:
                self.assessments.refer_to(*key, reference=after.members()["customReference"])
            return after

    def set_status(self, key: tuple[str, str], status: str) -> Record:
        """Sets any status, documented (API §3) or not."""
        return self.set_members(key, status=status)

    def move(self, key: tuple[str, str], property: str) -> tuple[str, str]:
        """Moves a schedule to another property: the key changes, so one schedule goes and another comes. Returns the
        new key.
        """
        return self._rekey(key, (property, key[1]))

    def change_type(self, key: tuple[str, str], type: str) -> tuple[str, str]:
        """Changes the assessment type: the key changes. Returns the new key."""
        return self._rekey(key, (key[0], type))

    def scribble(self, key: Key, rng: Random | None = None) -> Record:
        """Makes a small random change that leaves status and key alone."""
        rng = rng or self.rng
        with self.lock:
            assert isinstance(key, tuple)
            before = self._standing[key].members()
            due = (self.today + timedelta(days=rng.randrange(0, 365))).isoformat()
            if due == before["dueDate"]:
                due = (self.today + timedelta(days=400)).isoformat()
            return self.set_members(key, dueDate=due, description=rng.choice(phrases.NOTES))

    def some_users(self, rng: Random) -> list[str]:
        """Mostly one, nobody for a fifth, sometimes several."""
        how_many = rng.choices((0, 1, 2, 3), (2, 5, 2, 1))[0]
        users = rng.sample(self.users, min(len(self.users), how_many))
        return [user.id for user in users]

    def free_pair(self, rng: Random | None = None) -> tuple[str, str]:
        """A pair without a schedule; adds a property if all have every type."""
        rng = rng or self.rng
        for _ in range(200):
            pair = (self.properties.pick(rng), self.types.pick(rng))
            if pair not in self:
                return pair
        return self.properties.add(rng), self.types.pick(rng)

    @property
    def today(self) -> date:
        return self.calendar.today

    def _rekey(self, key: tuple[str, str], new_key: tuple[str, str]) -> tuple[str, str]:
        with self.lock:
            if new_key in self:
                raise ValueError(f"a schedule already exists for {new_key}")
            members = self.delete(key).members()
            property, type = new_key
            self._put(new_key, members | {"property": property, "asset": property, "type": type})
            return new_key

    def _made_up(self, property: str, type: str, rng: Random) -> JsonObject:
        """About a third overdue, some without a due date; `asset` repeats `property` (deprecated, API §9)."""
        due = self.today + timedelta(days=rng.randrange(-120, 240))
        users = self.some_users(rng)
        return {
            "property": property,
            "asset": property,
            "type": type,
            "status": rng.choices(STATUSES, (3, 1))[0],
            "dueDate": None if rng.random() < 0.05 else due.isoformat(),
            "description": rng.choice(phrases.NOTES),
            "customReference": None if rng.random() < 0.3 else f"REF/{rng.randrange(10**6):06d}",
            "assignedUsers": users,
        }
