"""An edit between two readings of page 1 is an edit: only what differs at every reading is volatile."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from kit.dialects import Dialect
from kit.encoding import Literal
from kit.home import moved
from kit.world import World, small_world
from kit.world_home import WorldHome
from kit.world_server import WorldServer

from propsync.runbooks.doctor.examine import examine


class EditedBetween(Dialect):
    """Somebody edits every asset and schedule right after page 1 of each, if `is_edited` is set."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.is_edited = False
        self.versions = count(1)

    def edit(self) -> None:
        version = next(self.versions)
        for asset in self.world.assets:
            asset.extra = {"review": Literal(f'"looked at {version}"')}
        for schedule in self.world.schedules:
            schedule.description = f"looked at {version}"

    def assets_body(self, total: int, records: list[Any], types: list[Any]) -> Any:
        self._edit_once(records)
        return super().assets_body(total, records, types)

    def schedules_body(self, total: int, records: list[Any]) -> Any:
        self._edit_once(records)
        return super().schedules_body(total, records)

    def _edit_once(self, records: list[Any]) -> None:
        if self.is_edited and len(records) > 1:
            self.is_edited = False
            self.edit()


@pytest.fixture
def dialect() -> EditedBetween:
    made = EditedBetween(small_world(assets=30, assessments=10, schedules=31))
    made.edit()
    return made


@pytest.fixture
def home(dialect: EditedBetween, tmp_path: Path) -> Iterator[WorldHome]:
    with WorldServer(dialect) as server:
        yield WorldHome(tmp_path / "home", server)


def believed(home: WorldHome) -> list[tuple[Any, ...]]:
    return home.rows("select resource, path from ops.shapes where part = 'volatile' and path <> ''")


def shown(home: WorldHome) -> set[str]:
    return {text for (text,) in home.rows("select review from assets union all select description from schedules")}


@pytest.mark.slow
def test_an_edit_during_the_first_run_makes_nothing_volatile(home: WorldHome, dialect: EditedBetween) -> None:
    dialect.is_edited = True
    home.sync()
    assert believed(home) == []
    for night in (3, 4):
        dialect.edit()
        assert moved(home.sync()) == {"assets": (0, 30), "schedules": (0, 31)}
        assert shown(home) == {f"looked at {night}"}


@pytest.mark.slow
def test_an_edit_of_everything_amid_a_later_run_is_seen(home: WorldHome, dialect: EditedBetween) -> None:
    home.sync()
    dialect.edit()
    dialect.is_edited = True
    home.sync()
    home.sync()
    assert believed(home) == []
    assert shown(home) == {"looked at 3"}


class InTurn(EditedBetween):
    """Two servers that answer in turn show another title for each asset."""

    turns = count()
    titles: tuple[str, ...] = ("Porte", "Door")

    def assets_body(self, total: int, records: list[Any], types: list[Any]) -> Any:
        if len(records) > 1:
            title = self.titles[next(self.turns) % len(self.titles)]
            records = [one | {"title": title} for one in records]
        return super().assets_body(total, records, types)


@pytest.mark.slow
def test_a_member_that_two_servers_show_differently_in_turn_is_not_volatile(tmp_path: Path) -> None:
    dialect = InTurn(small_world(assets=30, assessments=1, schedules=1))
    with WorldServer(dialect) as server:
        home = WorldHome(tmp_path / "home", server)
        home.sync()
        assert believed(home) == []
        dialect.titles = ("Gate",)
        assert moved(home.sync()) == {"assets": (0, 30)}
        assert home.rows("select distinct title from assets") == [("Gate",)]


class Signed(EditedBetween):
    """Each answer signs the link of each asset in its own way."""

    signatures = count()

    def asset(self, one: Any) -> dict[str, Any]:
        return super().asset(one) | {"link": f"https://files.example/{one.id}?signature={next(self.signatures)}"}


def test_doctor_lists_what_the_first_run_found_volatile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with WorldServer(Signed(small_world(assets=30, assessments=1, schedules=1))) as server:
        home = WorldHome(tmp_path / "home", server)
        home.sync()
        assert moved(home.sync()) == {}
        told = [finding for finding in examine(home.settings()) if "volatile" in finding.what]
    assert [(one.what, one.is_well) for one in told] == [("volatile members of assets", True)]
    assert told[0].seen.startswith("link (found: differs at each of three readings")
