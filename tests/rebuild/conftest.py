"""A home after some nights in which types, fields, labels and columns came, went and changed; to be copied."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
from contract.dialects import Dialect
from contract.server import TOKEN, ApiServer
from contract.world import AssetType, Field, Literal, Result, World, small_world

from propsync.api import RetryPolicy
from propsync.runbooks import Report, nightly, rebuild
from propsync.runbooks.retention import prune
from propsync.runbooks.workspace import WAREHOUSE, Workspace, workplace
from propsync.runs import next_run
from propsync.settings import Settings, load_settings

QUICK = RetryPolicy(attempts=3, base=0.001)
FIRST = datetime(2026, 3, 2, 2, 30, tzinfo=UTC)


@dataclass
class Place:
    """A home, what is in it, and the runs on it."""

    path: Path
    environ: dict[str, str]

    @property
    def state(self) -> Path:
        return self.path / "state" / "warehouse.duckdb"

    @property
    def published(self) -> Path:
        return self.path / "published" / "warehouse.duckdb"

    def settings(self, **given: object) -> Settings:
        environ = {f"PROPSYNC_{name.upper()}": str(value) for name, value in given.items()}
        return load_settings(environ={"PROPSYNC_HOME": str(self.path), **environ})

    def sync(self, night: int, **given: object) -> Report:
        settings = self.settings(**{"base_url": "", **given})
        return nightly(settings, policy=QUICK, now=FIRST + timedelta(days=night))

    def rebuild(self, **given: object) -> Report:
        return rebuild(self.settings(**given))

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with duckdb.connect(self.published, read_only=True) as connection:
            return connection.execute(query).fetchall()

    def kept(self, name: str = "before") -> Path:
        """A copy of what is published, to compare with."""
        copy = self.path.parent / f"{name}.duckdb"
        shutil.copy(self.published, copy)
        return copy


def prune_at(place: Place, night: int, keep_days: int) -> None:
    """What the end of a nightly run does."""
    settings = place.settings(landing_keep_days=keep_days)
    with workplace(settings, "a test") as work, Workspace.offline(settings, work, settings.state / WAREHOUSE) as site:
        prune(site, next_run("nightly", None, FIRST + timedelta(days=night)))


def _first(world: World) -> None:
    doors, *_ = world.asset_types
    for number, asset in enumerate(world.assets):
        asset.extra = {"score": number, "serial": 7, "owner": {"name": f"Owner {number}", "age": 40}}
    of_doors = [one for one in world.assets if one.type == doors.id]
    height, note = _field(doors, "Height (mm)"), doors.fields[-1]
    of_doors[0].results = [Result(height.id, "number", Literal("2100")), Result(note.id, "text", "x")]
    of_doors[1].results = [Result(height.id, "number", "no number")]
    world.assessments[0].extra = {"score": 5, "isRemote": True}


def _second(world: World) -> None:
    """Labels, options and columns change; a field goes, a type comes, another is listed no more."""
    doors, _, lifts, alarms, _, group = world.asset_types
    of_doors = [one for one in world.assets if one.type == doors.id]
    of_doors[0].extra |= {"score": Literal("5.5"), "colour": "red"}
    _field(doors, "Height (mm)").label = "Height of the leaf"
    rating = _field(doors, "Fire rating")
    rating.options = ((rating.options[0][0], "FD30 (nominal)"), *rating.options[1:])
    doors.fields.remove(_field(doors, "QR"))
    doors.fields.insert(0, Field("f-first", "text", "A first one", "first"))
    for number, asset in enumerate(world.assets[-3:]):
        asset.extra["score"] = 100 + number
    world.asset_types.append(AssetType("t-new", "Alarms", "Alarm", "alarms_3", [Field("f-new", "text", "Where", "w")]))
    moving = of_doors[2]
    moving.type, moving.results = alarms.id, [Result(alarms.fields[0].id, "text", "moved")]
    world.listed = [one for one in world.asset_types if one not in (lifts, group)]
    world.beside = [one for one in world.asset_types if one is not group]


def _third(world: World) -> None:
    """A field changes its kind, a type its name; a value that made a column is gone again; a record comes."""
    doors = world.asset_types[0]
    of_doors = [one for one in world.assets if one.type == doors.id]
    world.assets[-1].extra["score"] = 200
    of_doors[0].extra = {"score": "high", "serial": Literal("12345678901234567890")}
    _field(doors, "Height of the leaf").kind = "text"
    doors.name = "Doors"
    doors.fields.append(Field("f-again", "text", "QR", "qr"))
    world.listed = list(world.asset_types)
    world.beside = list(world.asset_types)


def _fourth(world: World) -> None:
    """The first field goes again; an assessment changes sides."""
    doors = world.asset_types[0]
    doors.fields.remove(doors.fields[0])
    for one in world.assessments[:3]:
        one.performed = frozenset({"By"}) if one.performed == frozenset({"For"}) else frozenset({"For"})


CHANGES = (_first, _second, _third, _fourth)


def _field(of: AssetType, label: str) -> Field:
    return next(one for one in of.fields if one.label == label)


def run_nights(place: Place, changes: Any = CHANGES, **given: object) -> None:
    world = small_world(assets=24, assessments=12, schedules=8)
    with ApiServer(Dialect(world)) as server:
        for number, change in enumerate(changes):
            change(world)
            report = place.sync(number, base_url=server.url, token=TOKEN, page_limit=10, **given)
            assert (report.exit_code, report.left_behind) == (0, [])


@pytest.fixture(scope="session")
def four_nights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home after four nights; to be copied, not used."""
    place = Place(tmp_path_factory.mktemp("nights") / "home", {})
    run_nights(place)
    return place.path


@pytest.fixture
def place(four_nights: Path, tmp_path: Path) -> Place:
    """A copy of the home after four nights."""
    home = tmp_path / "home"
    shutil.copytree(four_nights, home)
    return Place(home, {})
