"""A world in which whole types are hidden, three nights of it with records that cross the border."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kit.dialects import Dialect
from kit.world import Field, Result, World
from kit.world_server import WorldServer
from privacy.private import PrivateHome, private_world, served

from propsync.runbooks import Report

TYPE_LINES = ("type:zqx doors", "type:zqx RISK")
"""The names of the hidden types; every id, label and value of theirs has the hidden word too."""


def typed_world() -> World:
    """Doors, and one type of assessment, are hidden with everything of theirs."""
    world = private_world()
    doors, risk = world.asset_types[0], world.assessment_types[1]
    doors.name, doors.singular = "zqx doors", "zqx door"
    for field in doors.fields:
        field.label = f"zqx {field.label}"
    doors.fields.append(Field("zqxf", "text", "zqx secret", "zqx_secret"))
    for asset in world.assets:
        if asset.type != doors.id:
            asset.extra = {"score": 1}
    of_doors = [asset for asset in world.assets if asset.type == doors.id]
    for number, asset in enumerate(of_doors[1:]):  # the first one crosses the border
        asset.id = f"zqxa{number}"
        asset.results.append(Result("zqxf", "text", f"zqx {number}"))
    before, risk.id, risk.name = risk.id, "zqxk", "zqx risk"
    for number, one in enumerate(world.assessments):
        one.extra = {"occupant": {"name": "nobody"}}
        if one.type == before:
            one.id, one.type, one.extra = f"zqxs{number}", risk.id, {"zqxm": f"zqx {number}", "occupant": {"zqxn": 1}}
    for schedule in world.schedules:
        schedule.description = "shown"
        if schedule.type == before:
            schedule.type, schedule.description = risk.id, "zqx instructions"
    world.odd = {"assets": [{"type": doors.id, "score": "zqx of nobody"}]}
    return world


def cross(world: World) -> None:
    """A door becomes a lift, a lift becomes a door, hidden values change, and a door goes."""
    doors, lifts = world.asset_types[0].id, world.asset_types[2].id
    of_doors = [one for one in world.assets if one.type == doors]
    of_lifts = [one for one in world.assets if one.type == lifts]
    of_doors[0].type, of_doors[0].results, of_doors[0].extra = lifts, [], {"score": 2}
    of_lifts[0].type = doors
    of_lifts[1].type = doors
    of_doors[1].extra = {"score": 77}
    world.assets.remove(of_doors[2])
    hidden = next(one for one in world.assessments if one.type == "zqxk")
    hidden.status = "submitted"
    next(one for one in world.schedules if one.type != "zqxk").due = "2026-10-10"
    world.odd = {}


def cross_again(world: World) -> None:
    """One comes back over the border, one goes for good behind it, and a hidden type has a new name."""
    doors, lifts = world.asset_types[0], world.asset_types[2].id
    doors.name = "zqx gates"
    crossed = [one for one in world.assets if one.type == doors.id and not one.id.startswith("zqx")]
    crossed[0].type = lifts
    world.assets.remove(crossed[1])
    out = next(one for one in world.assets if one.type == lifts and one.extra == {"score": 2})
    world.assets.remove(out)
    world.assessments.remove(next(one for one in world.assessments if one.type == "zqxk"))


TYPED_NIGHTS: tuple[Callable[[World], None], ...] = (lambda _: None, cross, cross_again)


def world_after(nights: int) -> World:
    """The world as it is after a number of nights."""
    world = typed_world()
    for change in TYPED_NIGHTS[:nights]:
        change(world)
    return world


def live_typed(home: PrivateHome, nights: int = 3) -> None:
    """The nights from the first one on."""
    world = typed_world()
    with WorldServer(Dialect(world)) as server:
        for number, change in enumerate(TYPED_NIGHTS[:nights]):
            change(world)
            report = home.on_night(number, **served(server))
            assert report.exit_code == 0, report.left_behind


def quiet_typed(home: PrivateHome, night: int, world: World | None = None, **given: Any) -> Report:
    """A night in a world as it is after the three, or in the given one."""
    with WorldServer(Dialect(world or world_after(3))) as server:
        return home.on_night(night, **served(server), **given)
