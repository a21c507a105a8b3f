"""The worlds that seeds begin in: a few types with a few fields, so that a run takes a second and not a minute."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from propsync_sandbox import World
from propsync_sandbox.assessments import Assessments
from propsync_sandbox.assets import Assets
from propsync_sandbox.identity import new_uid
from propsync_sandbox.jsontext import JsonObject
from propsync_sandbox.people import Properties, made_up_user
from propsync_sandbox.property_list import PropertyList
from propsync_sandbox.schedules import Schedules
from propsync_sandbox.typebook import AssetTypes, TypeBook

GROUNDS = 8
"""The number of worlds; many seeds begin in each."""

_KINDS = {
    "Doors": ("text", "number", "option", "image", "file"),
    "Lifts": ("text", "date", "time", "qr"),
    "Shelters": ("text", "pin"),
}
_ASSESSMENT_TYPES = ("Fire risk assessment", "Gas safety check", "Survey")


@dataclass(frozen=True)
class Sizes:
    """How much there is of each."""

    properties: int
    assets: int
    assessments: int
    schedules: int

    @classmethod
    def drawn(cls, dice: Random) -> Sizes:
        """Small, but with more than twenty assets at some property or of some type, so that deletes can be held."""
        return cls(dice.randint(4, 8), dice.randint(24, 54), dice.randint(10, 24), dice.randint(8, 15))


class _Listed(Properties):
    """The properties that records name, and more that none names: the list of them may be long enough for holds."""

    def __init__(self, named: Properties, rng: Random, more: int) -> None:
        super().__init__(rng, more)
        self._by_id = {one.id: one for one in named.all()} | self._by_id
        self._ids = list(self._by_id)


class SmallWorld(World):
    """A world of three asset types and three assessment types."""

    def __init__(self, number: int, *, properties: bool = False) -> None:
        """`properties` adds their list, and changes nothing else."""
        self._sizes = Sizes.drawn(Random(f"sizes {number}"))
        super().__init__(seed=number, scale=self._sizes.assets, properties=properties)

    def _lay_ground(self) -> None:
        lock, rng = self.lock, self.rng
        self.properties = Properties(rng, self._sizes.properties)
        own = Random(f"list of properties {self.seed}")
        self.property_list = PropertyList(lock, own, _Listed(self.properties, own, own.choice((0, 4, 20, 30))))
        self.users = [made_up_user(rng) for _ in range(5)]
        self.asset_types = AssetTypes(lock, rng, [_asset_type(name, rng) for name in _KINDS], [6, 3, 1])
        types = [{"id": new_uid(rng), "name": name, "isActive": True} for name in _ASSESSMENT_TYPES]
        self.assessment_types = TypeBook(lock, rng, types, [3, 2, 1])
        self.assets = Assets(lock, rng, self.asset_types, self.properties, self.calendar)
        self.assessments = Assessments(lock, rng, self.assessment_types, self.properties, self.users, self.calendar)
        self.schedules = Schedules(
            lock, rng, self.assessment_types, self.properties, self.users, self.assessments, self.calendar
        )

    def _fill(self) -> None:
        crowded = self.properties.ids()[0]
        for place in range(self._sizes.assets):
            self.assets.add(crowded if place % 2 else None)
        for _ in range(self._sizes.schedules):
            self.schedules.add()
        for _ in range(self._sizes.assessments):
            self._add_assessment()


def _asset_type(name: str, rng: Random) -> JsonObject:
    fields = [_field(kind, rng) for kind in _KINDS[name]]
    return {"id": new_uid(rng), "name": name, "nameSingular": name.removesuffix("s"), "fields": fields}


def _field(kind: str, rng: Random) -> JsonObject:
    field: JsonObject = {"id": new_uid(rng), "type": kind, "label": f"The {kind}"}
    if kind == "option":
        field["options"] = [{"id": new_uid(rng), "label": label} for label in ("Good", "Fair", "Poor")]
    return field
