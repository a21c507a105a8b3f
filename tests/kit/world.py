"""A small made-up world in no API's words, which `world_server` shows in any dialect.

It owes nothing to propsync or to its sandbox. Names of tables and columns that labels must lead to are written by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from kit.encoding import Literal


@dataclass
class Field:
    """`kind` is what the definition says, `shown` what results say: no definition is of kind date or time."""

    id: str
    kind: str
    label: str
    column: str
    options: tuple[tuple[str, str], ...] = ()
    shown: str = ""

    def __post_init__(self) -> None:
        self.shown = self.shown or self.kind


@dataclass
class AssetType:
    id: str
    name: str
    singular: str
    table: str
    fields: list[Field]

    def field(self, field_id: str) -> Field:
        return next(one for one in self.fields if one.id == field_id)


@dataclass
class Result:
    """What is recorded in one field: `value` is a str, Literal, list of option ids, dict or None."""

    field: str
    kind: str
    value: Any


@dataclass
class Asset:
    id: str
    property: str
    type: str
    results: list[Result]
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass
class AssessmentType:
    id: str
    name: str


@dataclass
class Flag:
    label: str
    raised_at: str
    history: list[tuple[str, str]]
    """(moment, state) pairs."""


@dataclass
class Assessment:
    id: str
    property: str
    type: str
    status: str
    performed: frozenset[str]
    reference: str | None
    flags: list[Flag]
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass
class Schedule:
    property: str
    type: str
    status: str
    due: str | None
    description: str | None
    reference: str | None
    users: list[str]
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass
class World:
    """`listed` and `beside` are the asset types that the types' own list and the assets' pages show."""

    asset_types: list[AssetType]
    assets: list[Asset]
    assessment_types: list[AssessmentType]
    assessments: list[Assessment]
    schedules: list[Schedule]
    listed: list[AssetType] = field(default_factory=list)
    beside: list[AssetType] = field(default_factory=list)
    odd: dict[str, list[Any]] = field(default_factory=dict)
    """Records by resource that are shown as they stand, at the end of their list, in no dialect."""

    def __post_init__(self) -> None:
        self.listed = self.listed or list(self.asset_types)
        self.beside = self.beside or list(self.asset_types)

    def type(self, type_id: str) -> AssetType:
        return next(one for one in self.asset_types if one.id == type_id)

    def results(self) -> Iterator[tuple[Asset, int, Result]]:
        """Every field result with its asset and its place from 1."""
        for asset in self.assets:
            for position, result in enumerate(asset.results, 1):
                yield asset, position, result


def _ids(prefix: str, count: int) -> list[str]:
    """Ids that look like ids, the same every time."""
    rng = Random(prefix)
    return [f"{rng.getrandbits(64):016x}{prefix}" for _ in range(count)]


def _asset_types() -> list[AssetType]:
    field_ids = iter(_ids("f", 60))
    option_ids = iter(_ids("o", 40))

    def made(kind: str, label: str, column: str, *options: str, shown: str = "") -> Field:
        return Field(next(field_ids), kind, label, column, tuple((next(option_ids), text) for text in options), shown)

    doors = [
        made("text", "Location", "location"),
        made("text", "Location", "location_2"),
        made("number", "Height (mm)", "height_mm"),
        made("option", "Fire rating", "fire_rating", "FD30", "FD30S", "FD60 ½h"),
        made("text", "Installed", "installed", shown="date"),
        made("text", "Door closes at", "door_closes_at", shown="time"),
        made("image", "Photo", "photo"),
        made("file", "Certificate", "certificate"),
        made("pin", "On plan", "on_plan"),
        made("qr", "QR", "qr"),
    ]
    scripts = [
        made("number", "Wysokość", "wysokosc"),
        made("text", "门", "men"),
        made("text", "", "field"),
        made("text", "select", "select"),
        made("number", "ORDER", "order"),
        made("text", "asset_id", "asset_id_2"),
        made("text", "24h contact", "_24h_contact"),
        made("option", "État", "etat", "Bon", "Mauvais; à refaire"),
    ]
    lifts = [made("text", "Serial", "serial"), made("number", "Capacity", "capacity"), made("qr", "Tag", "tag")]
    twins = [made("text", "Note", "note"), made("option", "Colour", "colour", "Red", "Blue")]
    bare: list[Field] = []
    names = [
        ("Communal Fire Doors", "Communal Fire Door", "communal_fire_doors", doors),
        ("Écoles & Żłobki", "École", "ecoles_zlobki", scripts),
        ("Lifts", "Lift", "lifts", lifts),
        ("Alarms", "Alarm", "alarms", twins[:1]),
        ("Alarms", "Alarm (old)", "alarms_2", twins[1:]),
        ("group", "group", "group", bare),
    ]
    # sorted, so that of two types with one name the one with the lower id has the plain table name
    return [AssetType(type_id, *told) for type_id, told in zip(sorted(_ids("t", len(names))), names, strict=True)]


_NUMBERS = ("0", "7", "-3", "12.50", "1E3", "-0", "0.1000", "2400", "9007199254740993", "0.0001", "3.14")
_TEXTS = ("Stair core A", "", "naïve — façade", "12.50", 'a "quoted" \\ text', "🚪 №7", "null", "a\nb", "2024-01-02")


def _value(one: Field, rng: Random, number: int) -> Any:
    options = [option_id for option_id, _ in one.options]
    upload = {"name": f"{one.kind}{number}.bin", "url": f"https://files.invalid/{one.id}/{number}", "size": number}
    made: dict[str, Any] = {
        "text": rng.choice(_TEXTS),
        "qr": f"QR{number:05d}",
        "number": Literal(rng.choice(_NUMBERS)),
        "date": f"20{rng.randrange(10, 30)}-0{rng.randrange(1, 10)}-1{rng.randrange(10)}",
        "time": f"{rng.randrange(24):02d}:{rng.randrange(60):02d}",
        "option": rng.sample(options, rng.choice((1, 1, 1, 2, 0))) if options else [],
        "image": upload,
        "file": upload,
        "pin": {"x": Literal("0.25"), "y": Literal(f"0.{number % 90 + 10}1"), "plan": {"id": "p1", "floor": 2}},
    }
    return made[one.shown]


def _results(of_type: AssetType, rng: Random, number: int) -> list[Result]:
    results = []
    for one in of_type.fields:
        dice = rng.random()
        if dice > 0.1:
            results.append(Result(one.id, one.shown, None if dice < 0.2 else _value(one, rng, number)))
    return results


def _flags(rng: Random) -> list[Flag]:
    return [
        Flag(
            rng.choice(("High risk", "Overdue", "À revoir")),
            f"2025-0{rng.randrange(1, 10)}-03T10:00:00Z",
            [(f"2025-1{step}-01T09:00:00Z", ("open", "seen", "closed")[step]) for step in range(rng.randrange(3))],
        )
        for _ in range(rng.choice((0, 0, 1, 2)))
    ]


def small_world(assets: int = 240, assessments: int = 60, schedules: int = 40) -> World:
    """The same world for the same sizes: every field kind, nulls, empty texts, labels in several scripts."""
    rng = Random("the contract's world")
    types, properties, users = _asset_types(), _ids("p", 14), _ids("u", 5)
    kinds = [AssessmentType(one, f"Assessment type {n}") for n, one in enumerate(_ids("k", 4))]
    made_assets = []
    for number, asset_id in enumerate(_ids("a", assets)):
        of_type = types[number % len(types)]
        made_assets.append(Asset(asset_id, rng.choice(properties), of_type.id, _results(of_type, rng, number)))
    pairs = [(one, kind.id) for one in properties for kind in kinds]
    return World(
        asset_types=types,
        assets=made_assets,
        assessment_types=kinds,
        assessments=[
            Assessment(
                one,
                rng.choice(properties),
                rng.choice(kinds).id,
                ("approved", "approved", "submitted", "inprogress")[number % 4],
                (frozenset(("For",)), frozenset(("By",)), frozenset(("For", "By")))[number % 3],
                rng.choice((None, "REF/1", "")),
                _flags(rng),
            )
            for number, one in enumerate(_ids("s", assessments))
        ],
        schedules=[
            Schedule(
                *pair,
                rng.choice(("notstarted", "inprogress")),
                rng.choice((None, "2026-03-01", "2025-12-31")),
                rng.choice((None, "", "Bring a ladder")),
                rng.choice((None, "REF/1", "REF/2")),
                rng.sample(users, rng.choice((0, 1, 2, 3))),
            )
            for pair in rng.sample(pairs, min(schedules, len(pairs)))
        ],
    )
