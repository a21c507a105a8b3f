"""Assessments (API §2.4) and their events.

Only `scheduleCustomReference` and `flags` are documented; the other members are a plausible guess. Only the filter,
never the record, says whether one is produced for or by the caller's organisation (4.5, `performed`).
"""

import threading
from collections.abc import Iterable
from datetime import date, timedelta
from decimal import Decimal
from random import Random

from . import flags, phrases
from .calendar import Calendar
from .identity import new_uid
from .jsontext import JsonObject, decode_exactly, encode
from .people import Properties, User
from .shelf import Key, Record, Shelf
from .typebook import TypeBook

STATUSES = ("inprogress", "submitted", "approved")
PERFORMED = ("For", "By")
_PERFORMED_MIX: tuple[tuple[str, ...], ...] = (("For",), ("By",), ("For", "By"))


def _score(rng: Random) -> int | Decimal | None:
    """Whole, with decimals, or null: columns widen because of it."""
    return rng.choice((rng.randrange(1, 26), Decimal(rng.randrange(10, 1000)).scaleb(-1), None))


class Assessments(Shelf):
    """Keyed by assessment id."""

    resource = "assessments"

    def __init__(
        self,
        lock: threading.RLock,
        rng: Random,
        types: TypeBook,
        properties: Properties,
        users: list[User],
        calendar: Calendar,
    ) -> None:
        super().__init__(lock, rng)
        self.types = types
        self.properties = properties
        self.users = users
        self.calendar = calendar
        self.withheld: set[tuple[Key, str]] = set()
        """Documents that are missing though their assessment exists: its id, and `report.pdf` or `bundle.zip`."""

    def add(
        self,
        property: str | None = None,
        type: str | None = None,
        *,
        status: str | None = None,
        performed: Iterable[str] | None = None,
        performed_on: date | None = None,
        reference: str | None = None,
        id: str | None = None,
        rng: Random | None = None,
    ) -> str:
        """Adds an assessment and makes up any member not given. Returns its id.

        It has a `performedDate` once the work is done.
        """
        rng = rng or self.rng
        with self.lock:
            key = id or new_uid(rng)
            members = self._made_up(key, performed_on, rng)
            members["property"] = property or self.properties.pick(rng)
            members["type"] = type or self.types.pick(rng)
            members["status"] = status or rng.choices(STATUSES, (1, 1, 6))[0]
            members["scheduleCustomReference"] = reference
            performed = performed or rng.choices(_PERFORMED_MIX, (6, 3, 1))[0]
            since = date.fromisoformat(members["performedDate"])
            if members["status"] == "inprogress":
                members["performedDate"] = None
            found = flags.made_up_flags(since, self.today, self.users, rng)
            self._put(key, members, performed, encode(found))
            return key

    def set_members(self, key: str, **members: object) -> Record:
        """Overwrites or adds any members; `flags` is a list."""
        with self.lock:
            record = self._standing[key]
            shown = encode(members.pop("flags")) if "flags" in members else record.flags
            return self._put(key, record.members(with_flags=False) | members, record.performed, shown)

    def set_status(self, key: str, status: str) -> Record:
        """Sets any status, documented (API §3) or not."""
        return self.set_members(key, status=status)

    def set_performed(self, key: str, performed: Iterable[str]) -> Record:
        with self.lock:
            record = self._standing[key]
            return self._put(key, record.members(with_flags=False), performed, record.flags)

    def move(self, key: str, property: str) -> Record:
        return self.set_members(key, property=property)

    def change_type(self, key: str, type: str) -> Record:
        return self.set_members(key, type=type)

    def raise_flag(self, key: str, rng: Random | None = None) -> Record:
        """Raises one more flag, with its first line of history."""
        with self.lock:
            before = decode_exactly(self._standing[key].flags or b"[]")
            return self.set_members(
                key, flags=[*before, flags.lived(self.today, self.today, self.users, rng or self.rng)]
            )

    def move_flag_on(self, key: str, rng: Random) -> Record:
        """Somebody acknowledges or closes its first open flag; raises StopIteration if none is open."""
        with self.lock:
            found = decode_exactly(self._standing[key].flags or b"[]")
            place = next(place for place, flag in enumerate(found) if flags.is_open(flag))
            closes = len(found[place]["history"]) > 1 or rng.random() < 0.4
            found[place] = flags.moved_on(found[place], self.today, self.users, rng, closes=closes)
            return self.set_members(key, flags=found)

    def scribble(self, key: Key, rng: Random | None = None) -> Record:
        """Makes a small random change, of a kind that leaves status, property and type alone."""
        rng = rng or self.rng
        with self.lock:
            assert isinstance(key, str)
            if rng.random() < 0.2:
                return self.raise_flag(key, rng)
            before = self._standing[key].members()
            score = _score(rng)
            if score == before["score"]:
                score = rng.randrange(100, 200)
            return self.set_members(key, score=score, summary=rng.choice(phrases.NOTES))

    def refer_to(self, property: str, type: str, reference: str | None) -> None:
        """A schedule's `customReference` appears on its assessments as `scheduleCustomReference` (API §2.6)."""
        with self.lock:
            for record in self.records():
                if record.property == property and record.type == type and isinstance(record.key, str):
                    self.set_members(record.key, scheduleCustomReference=reference)

    @property
    def today(self) -> date:
        return self.calendar.today

    def _made_up(self, key: str, performed_on: date | None, rng: Random) -> JsonObject:
        user = rng.choice(self.users)
        some_day = self.today - timedelta(days=rng.randrange(0, 1500))
        day = performed_on or some_day
        members: JsonObject = {
            "id": key,
            "property": None,
            "type": None,
            "status": None,
            "performedDate": day.isoformat(),
            "score": _score(rng),
            "assessor": {"id": user.id, "name": user.name},
            "scheduleCustomReference": None,
            "createdAt": flags.moment(day, rng),
            "isRemote": rng.random() < 0.1,
            "actionCount": rng.randrange(0, 30) // 4,
        }
        if rng.random() < 0.6:
            members["summary"] = rng.choice(phrases.NOTES)
        return members
