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
from propsync_sandbox.schedules import Schedules
from propsync_sandbox.typebook import AssetTypes, TypeBook

GROUNDS = 8
"""So many worlds, each of which many seeds begin in."""

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


class SmallWorld(World):
    """A world of three asset types and three assessment types."""

    def __init__(self, number: int) -> None:
        self._sizes = Sizes.drawn(Random(f"sizes {number}"))
        super().__init__(seed=number, scale=self._sizes.assets)

    def _lay_ground(self) -> None:
        lock, rng = self.lock, self.rng
        self.properties = Properties(rng, self._sizes.properties)
        self.users = [made_up_user(rng) for _ in range(5)]
        self.asset_types = AssetTypes(lock, rng, [_asset_type(name, rng) for name in _KINDS], [6, 3, 1])
        types = [{"id": new_uid(rng), "name": name, "isActive": True} for name in _ASSESSMENT_TYPES]
        self.assessment_types = TypeBook(lock, rng, types, [3, 2, 1])
        self.assets = Assets(lock, rng, self.asset_types, self.properties, self.today)
        self.assessments = Assessments(lock, rng, self.assessment_types, self.properties, self.users, self.today)
        self.schedules = Schedules(
            lock, rng, self.assessment_types, self.properties, self.users, self.assessments, self.today
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
