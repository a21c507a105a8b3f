"""`changes_between` lists each changed field between two nights, in every dialect of the API."""

from __future__ import annotations

from typing import Any

import pytest
from contract.conftest import HomeFor
from kit.dialects import FAMILIES, BareArrays, Dialect, OtherListKeys
from kit.encoding import Literal
from kit.world import Assessment, Asset, Result, World, small_world
from kit.world_home import WorldHome
from kit.world_server import WorldServer
from variants import daily

Change = tuple[Any, ...]
"""record_id, property_id, change, field, label, old_value, new_value"""
TOLD_OTHERWISE = [family for family in FAMILIES if family not in (OtherListKeys, BareArrays)]
"""Dialects whose records differ, not only their lists."""


class Nights:
    """Three nights of a small world: on the second much changes, on the third some of it is as it was before."""

    def __init__(self, world: World) -> None:
        self.world = world
        doors = world.asset_types[0]
        of_doors = [one for one in world.assets if one.type == doors.id]
        self.edited, self.emptied, self.wavering = of_doors[:3]
        self.location, self.height, self.photo = (
            next(one for one in doors.fields if one.label == label) for label in ("Location", "Height (mm)", "Photo")
        )
        self.approved, self.turned = world.assessments[:2]
        self.schedule = world.schedules[0]
        self.new = Asset("a-new", self.edited.property, self.edited.type, [])

    def first(self) -> None:
        for asset in (self.edited, self.emptied, self.wavering):
            asset.results = [Result(self.location.id, "text", "Stair A"), *self._pictures()]
        self.approved.status, self.turned.performed = "submitted", frozenset(("For",))
        self.schedule.due, self.schedule.users = "2026-03-01", ["u1", "u2"]

    def _pictures(self) -> list[Result]:
        return [Result(self.photo.id, "image", {"name": "door.jpg", "url": "https://files.invalid/1", "size": 1})]

    def second(self) -> None:
        self.height.label = "Height of the leaf"
        self.edited.results = [
            Result(self.height.id, "number", Literal("2100")),
            *self._pictures(),
            Result(self.location.id, "text", "Stair B"),
        ]
        self.emptied.results = self._pictures()
        self.wavering.results[0].value = "Stair C"
        self.world.assets.append(self.new)
        self.approved.status, self.turned.performed = "approved", frozenset(("By",))
        self.schedule.due, self.schedule.users = None, ["u2", "u1"]

    def third(self) -> None:
        self.wavering.results[0].value = "Stair A"

    def expected(self) -> dict[str, list[Change]]:
        """Between the first night and the third."""
        location = (self.location.id, "Location")
        schedule = (f"{self.schedule.property}/{self.schedule.type}", self.schedule.property)
        return {
            "assets": [
                # a record that came is one row
                (*_of(self.new), "insert", None, None, None, None),
                # under its label of now; a field that came has no old value
                (*_of(self.edited), "update", self.height.id, "Height of the leaf", None, "2100"),
                (*_of(self.edited), "update", *location, "Stair A", "Stair B"),
                # a field that went has no new one
                (*_of(self.emptied), "update", *location, "Stair A", None),
            ],
            "assessments": [
                (*_of(self.approved), "update", "status", None, "submitted", "approved"),
                (*_of(self.turned), "update", "performed_for", None, "true", "false"),
                (*_of(self.turned), "update", "performed_by", None, "false", "true"),
            ],
            # users are a set
            "schedules": [(*schedule, "update", "dueDate", None, "2026-03-01", None)],
        }


def _of(record: Asset | Assessment) -> tuple[str, str]:
    return record.id, record.property


@pytest.mark.slow
@pytest.mark.costly
@pytest.mark.parametrize("family", daily(TOLD_OTHERWISE, 2), ids=lambda family: family.name)
def test_what_changed_between_two_nights_is_told_field_by_field(family: type[Dialect], home_for: HomeFor) -> None:
    # enough on page 1 for propsync to notice links that each reading signs again
    nights = Nights(small_world(assets=96, assessments=12, schedules=8))
    with WorldServer(family(nights.world)) as server:
        home = home_for(server)
        for change in (nights.first, nights.second, nights.third):
            change()
            assert home.sync(page_limit=100).exit_code == 0
    expected = nights.expected()
    assert {name: _changes(home, name) for name in expected} == {
        name: sorted(rows, key=str) for name, rows in expected.items()
    }


def _changes(home: WorldHome, resource: str) -> list[Change]:
    told = home.rows(
        "select record_id, property_id, change, field, label, old_value, new_value "
        "from changes_between((select min(started_at) from ops.runs), (select max(started_at) from ops.runs)) "
        f"where resource = '{resource}'"
    )
    return sorted(told, key=str)
