"""A home after some nights in which types, fields, labels and columns came, went and changed; to be copied."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from kit.dialects import Dialect
from kit.encoding import Literal
from kit.home import Home
from kit.server import TOKEN, Server
from kit.shared import Shared
from kit.world import AssetType, Field, Result, World, small_world
from kit.world_server import WorldServer

from propsync.runbooks import Report
from propsync.runbooks.retention import prune
from propsync.runbooks.workplace import workplace
from propsync.runbooks.workspace import WAREHOUSE, Workspace
from propsync.runs import next_run

FIRST = datetime(2026, 3, 2, 2, 30, tzinfo=UTC)


class Lived(Home):
    """A home that was synced on numbered nights; pages have 10 records."""

    has_desk = True

    def on_night(self, night: int, **given: Any) -> Report:
        """The nightly run of that night."""
        return self.sync(now=FIRST + timedelta(days=night), **given)


def copy_of(home: Path, path: Path) -> Lived:
    """A home like another."""
    shutil.copytree(home, path)
    return Lived(path)


def prune_at(home: Home, night: int, keep_days: int) -> None:
    """What the end of a nightly run does."""
    settings = home.settings(landing_keep_days=keep_days)
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


def run_nights(home: Lived, changes: Any = CHANGES, **given: object) -> None:
    world = small_world(assets=24, assessments=12, schedules=8)
    with WorldServer(Dialect(world)) as server:
        for number, change in enumerate(changes):
            change(world)
            report = home.on_night(number, **served(server), **given)
            assert (report.exit_code, report.left_behind) == (0, [])


def served(server: Server) -> dict[str, Any]:
    """The settings that make a home follow a server."""
    return {"base_url": server.url, "token": TOKEN, "page_limit": 10}


@pytest.fixture(scope="session")
def four_nights(shared: Shared) -> Path:
    """A home after four nights; to be copied, not used."""
    return shared.folder("four nights", lambda folder: run_nights(Lived(folder / "home"))) / "home"


@pytest.fixture(scope="session")
def pruned_nights(shared: Shared, four_nights: Path) -> Path:
    """The same with a base in the place of the older landing; to be copied, not used."""

    def make(folder: Path) -> None:
        prune_at(copy_of(four_nights, folder / "home"), night=4, keep_days=1)

    return shared.folder("pruned nights", make) / "home"


@pytest.fixture
def lived(four_nights: Path, tmp_path: Path) -> Lived:
    """A copy of the home after four nights."""
    return copy_of(four_nights, tmp_path / "home")


@pytest.fixture
def pruned(pruned_nights: Path, tmp_path: Path) -> Lived:
    """A copy of that home, its older landing pruned."""
    return copy_of(pruned_nights, tmp_path / "pruned")
