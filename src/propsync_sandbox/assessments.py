"""Assessments (spec 2.4) and their events.

The spec shows `scheduleCustomReference` and `flags` only; the other members are a plausible guess. Only the filter,
never the record, says whether one is produced for or by the caller's organisation (4.5, `performed`).
"""

import threading
from collections.abc import Iterable
from datetime import date, timedelta
from decimal import Decimal
from random import Random
from typing import Any

from . import phrases
from .identity import new_uid
from .jsontext import JsonObject, decode_exactly, encode
from .people import Properties, User
from .shelf import Key, Record, Shelf
from .typebook import TypeBook

STATUSES = ("inprogress", "submitted", "approved")
PERFORMED = ("For", "By")
_PERFORMED_MIX: tuple[tuple[str, ...], ...] = (("For",), ("By",), ("For", "By"))


def _moment(day: date, rng: Random) -> str:
    return f"{day.isoformat()}T{rng.randrange(7, 19):02d}:{rng.randrange(60):02d}:{rng.randrange(60):02d}Z"


def _score(rng: Random) -> int | Decimal | None:
    """Whole, with decimals, or null: columns widen because of it."""
    return rng.choice((rng.randrange(1, 26), Decimal(rng.randrange(10, 1000)).scaleb(-1), None))


class Assessments(Shelf):
    """Keyed by assessment id."""

    def __init__(
        self,
        lock: threading.RLock,
        rng: Random,
        types: TypeBook,
        properties: Properties,
        users: list[User],
        today: date,
    ) -> None:
        super().__init__(lock, rng)
        self.types = types
        self.properties = properties
        self.users = users
        self.today = today
        self.withheld: set[tuple[Key, str]] = set()
        """Documents that are missing though their assessment exists: its id, and `report.pdf` or `bundle.zip`."""

    def add(
        self,
        property: str | None = None,
        type: str | None = None,
        *,
        status: str | None = None,
        performed: Iterable[str] | None = None,
        reference: str | None = None,
        id: str | None = None,
        rng: Random | None = None,
    ) -> str:
        """Adds an assessment and makes up any member not given. Returns its id."""
        rng = rng or self.rng
        with self.lock:
            key = id or new_uid(rng)
            members = self._made_up(key, rng)
            members["property"] = property or self.properties.pick(rng)
            members["type"] = type or self.types.pick(rng)
            members["status"] = status or rng.choices(STATUSES, (1, 1, 6))[0]
            members["scheduleCustomReference"] = reference
            performed = performed or rng.choices(_PERFORMED_MIX, (6, 3, 1))[0]
            self._put(key, members, performed, encode(self._made_up_flags(rng)))
            return key

    def set_members(self, key: str, **members: object) -> Record:
        """Overwrites or adds any members; `flags` is a list."""
        with self.lock:
            record = self._standing[key]
            flags = encode(members.pop("flags")) if "flags" in members else record.flags
            return self._put(key, record.members(with_flags=False) | members, record.performed, flags)

    def set_status(self, key: str, status: str) -> Record:
        """Sets any status, documented (spec 3) or not."""
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
            flags = decode_exactly(self._standing[key].flags or b"[]")
            return self.set_members(key, flags=[*flags, self._flag(rng or self.rng)])

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
        """A schedule's `customReference` appears on its assessments as `scheduleCustomReference` (spec 2.6)."""
        with self.lock:
            for record in self.records():
                if record.property == property and record.type == type and isinstance(record.key, str):
                    self.set_members(record.key, scheduleCustomReference=reference)

    def _made_up(self, key: str, rng: Random) -> JsonObject:
        user = rng.choice(self.users)
        performed_on = self.today - timedelta(days=rng.randrange(0, 1500))
        members: JsonObject = {
            "id": key,
            "property": None,
            "type": None,
            "status": None,
            "performedDate": performed_on.isoformat(),
            "score": _score(rng),
            "assessor": {"id": user.id, "name": user.name},
            "scheduleCustomReference": None,
            "createdAt": _moment(performed_on, rng),
            "isRemote": rng.random() < 0.1,
            "actionCount": rng.randrange(0, 30),
        }
        if rng.random() < 0.6:
            members["summary"] = rng.choice(phrases.NOTES)
        return members

    def _made_up_flags(self, rng: Random) -> list[JsonObject]:
        return [self._flag(rng) for _ in range(rng.choices((0, 1, 2, 3), (70, 18, 8, 4))[0])]

    def _flag(self, rng: Random) -> JsonObject:
        raised = self.today - timedelta(days=rng.randrange(0, 400))
        history: list[dict[str, Any]] = [
            {
                "at": _moment(raised + timedelta(days=7 * step), rng),
                "status": ("open", "acknowledged", "closed")[step],
                "by": rng.choice(self.users).id,
            }
            for step in range(rng.randrange(0, 4))
        ]
        label = rng.choice(phrases.FLAG_LABELS)
        return {
            "type": label.lower().replace(" ", ""),
            "label": label,
            "raisedAt": _moment(raised, rng),
            "history": history,
        }
