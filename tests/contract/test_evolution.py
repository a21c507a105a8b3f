"""The API changes from night to night: columns come and widen, nothing that was there goes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from contract.conftest import HomeFor
from kit.dialects import Dialect, OtherListKeys
from kit.encoding import Literal
from kit.home import moved
from kit.tables import Tables, difference, expected_tables, published_tables
from kit.world import Asset, AssetType, Field, Result, World, small_world
from kit.world_home import WorldHome
from kit.world_server import WorldServer
from variants import daily


class Nights:
    """A world that changes between three syncs, and what was published after each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.world = small_world(assets=24, assessments=12, schedules=8)
        self.doors, _, self.lifts, self.alarms, _, self.group = self.world.asset_types
        self.of_doors = [one for one in self.world.assets if one.type == self.doors.id]
        self.height = self.field("Height (mm)")
        self.rating = self.field("Fire rating")
        self.qr = self.field("QR")
        self.of_doors[0].results = [
            self.measured("2100"),
            Result(self.rating.id, "option", [self.rating.options[0][0]]),
        ]
        self.moving = self.of_doors[1]

    def field(self, label: str) -> Field:
        return next(one for one in self.doors.fields if one.label == label)

    def measured(self, literal: str) -> Result:
        return Result(self.height.id, "number", Literal(literal))

    def keep(self, home: WorldHome, night: int) -> None:
        shutil.copy(home.path / "published" / "warehouse.duckdb", self.folder / f"{night}.duckdb")

    def rows(self, night: int, query: str) -> list[Any]:
        with duckdb.connect(self.folder / f"{night}.duckdb", read_only=True) as connection:
            return connection.execute(query).fetchall()

    def column(self, night: int, table: str, column: str) -> list[Any]:
        """A column's type, in a list; empty where there is no such column."""
        query = f"select column_type from (describe {table}) where column_name = '{column}'"
        return [kind for (kind,) in self.rows(night, query)]


def _first(nights: Nights) -> None:
    for number, asset in enumerate(nights.world.assets):
        asset.extra = {
            "score": number,
            "serial": 7,
            "owner": {"name": f"Owner {number}", "age": 40},
            "tags": ["a", "b"],
        }
    nights.world.schedules[0].extra = {"priority": 1, "name": "of the schedule"}
    nights.world.assessments[0].extra = {"score": 5, "isRemote": True, "name": "of the assessment"}


def _second(nights: Nights) -> None:
    world, doors = nights.world, nights.doors
    nights.of_doors[0].extra["score"] = Literal("5.5")
    nights.of_doors[0].extra["colour"] = "red"
    nights.of_doors[0].extra["asset_type"] = "a member that has the name of a column"
    nights.height.label = "Height of the leaf"
    doors.fields.remove(nights.qr)
    rating = nights.rating
    rating.options = ((rating.options[0][0], "FD30 (nominal)"), *rating.options[1:])
    nights.moving.type, nights.moving.results = nights.alarms.id, [Result(nights.alarms.fields[0].id, "text", "moved")]
    third = AssetType("t-new", "Alarms", "Alarm", "alarms_3", [Field("f-new", "text", "Where", "where")])
    world.asset_types.append(third)
    world.assets.append(Asset("a-new", "p", third.id, [Result("f-new", "text", "here")]))
    world.listed = [one for one in world.asset_types if one not in (nights.lifts, nights.group)]
    world.beside = [one for one in world.asset_types if one is not nights.group]


def _third(nights: Nights) -> None:
    nights.of_doors[0].extra["score"] = "high"
    nights.of_doors[0].extra["serial"] = Literal("12345678901234567890")
    nights.doors.name = "Doors"
    nights.world.listed = list(nights.world.asset_types)
    nights.world.beside = list(nights.world.asset_types)


@pytest.fixture(scope="session")
def nights(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nights]:
    made = Nights(tmp_path_factory.mktemp("nights"))
    with WorldServer(Dialect(made.world)) as server:
        home = WorldHome(made.folder / "home", server)
        for number, change in enumerate((_first, _second, _third), 1):
            change(made)
            report = home.sync()
            assert (report.exit_code, report.left_behind) == (0, [])
            made.keep(home, number)
        assert moved(home.sync()) == {}
        yield made


@pytest.mark.release
def test_a_new_member_becomes_a_column_where_it_has_a_value(nights: Nights) -> None:
    assert nights.column(1, "assets", "colour") == []
    assert nights.column(2, "assets", "colour") == ["VARCHAR"]
    first = nights.of_doors[0].id
    assert nights.rows(2, f"select colour from assets where asset_id = '{first}'") == [("red",)]
    assert nights.rows(2, f"select count(colour) from assets where asset_id <> '{first}'") == [(0,)]
    assert nights.column(1, "schedules", "priority") == ["BIGINT"]
    assert nights.column(1, "assessments", "is_remote") == ["BOOLEAN"]


@pytest.mark.release
def test_a_member_of_an_object_becomes_a_column_too_and_an_array_none(nights: Nights) -> None:
    assert nights.column(1, "assets", "owner_name") == ["VARCHAR"]
    assert nights.column(1, "assets", "owner_age") == ["BIGINT"]
    assert nights.column(1, "assets", "tags") == []
    asset = nights.world.assets[3].id
    assert nights.rows(1, f"select owner_name from assets where asset_id = '{asset}'") == [("Owner 3",)]


@pytest.mark.slow
def test_a_member_with_the_name_of_a_promised_column_gets_a_prefix(nights: Nights) -> None:
    first = nights.of_doors[0].id
    query = f"select asset_type, api_asset_type from assets where asset_id = '{first}'"
    assert nights.rows(2, query) == [("Communal Fire Doors", "a member that has the name of a column")]


@pytest.mark.slow
def test_a_member_with_the_name_of_another_tables_column_confuses_no_mart(nights: Nights) -> None:
    assert nights.rows(1, "select name from assessments where name is not null") == [("of the assessment",)]
    kinds = {kind for (kind,) in nights.rows(1, "select name from assessment_types")}
    query = "select type from marts.changes where resource in ('assessments', 'schedules')"
    assert {kind for (kind,) in nights.rows(1, query)} <= kinds


def test_a_column_widens_from_whole_numbers_to_numbers_to_text(nights: Nights) -> None:
    assert [nights.column(night, "assets", "score") for night in (1, 2, 3)] == [["BIGINT"], ["DOUBLE"], ["VARCHAR"]]
    first, other = nights.of_doors[0].id, nights.world.assets[7].id
    query = "select score from assets where asset_id = '{}'"
    assert [nights.rows(night, query.format(first)) for night in (1, 2, 3)] == [[(0,)], [(5.5,)], [("high",)]]
    assert [nights.rows(night, query.format(other)) for night in (1, 2, 3)] == [[(7,)], [(7.0,)], [("7",)]]


def test_a_whole_number_beyond_64_bits_loses_no_digit(nights: Nights) -> None:
    assert [nights.column(night, "assets", "serial") for night in (2, 3)] == [["BIGINT"], ["VARCHAR"]]
    first, other = nights.of_doors[0].id, nights.world.assets[7].id
    query = f"select asset_id, serial from assets where asset_id in ('{first}', '{other}')"
    assert dict(nights.rows(3, query)) == {first: "12345678901234567890", other: "7"}


def test_what_moved_is_told(nights: Nights) -> None:
    query = "select change, name, \"after\" from ops.schema_changes where resource = 'assets' and name = 'score'"
    assert nights.rows(3, query + " order by run_id") == [
        ("column", "score", "BIGINT"),
        ("column type", "score", "DOUBLE"),
        ("column type", "score", "VARCHAR"),
    ]
    columns = nights.rows(
        3, "select source, type from ops.columns where table_name = 'assets' and column_name = 'score'"
    )
    assert columns == [("score", "VARCHAR")]


def test_a_field_that_is_called_something_else_keeps_its_column(nights: Nights) -> None:
    query = f"select label, column_name from asset_type_fields where field_id = '{nights.height.id}'"
    assert nights.rows(1, query) == [("Height (mm)", "height_mm")]
    assert nights.rows(2, query) == [("Height of the leaf", "height_mm")]
    first = nights.of_doors[0].id
    values = f"select label, value_number from asset_field_values where asset_id = '{first}' and kind = 'number'"
    assert nights.rows(2, values) == [("Height of the leaf", 2100.0)]
    wide = f"select height_mm from by_type.communal_fire_doors where asset_id = '{first}'"
    assert nights.rows(2, wide) == [(2100.0,)]


def test_an_option_that_is_called_something_else_shows_so_everywhere(nights: Nights) -> None:
    query = f"select fire_rating from by_type.communal_fire_doors where asset_id = '{nights.of_doors[0].id}'"
    assert [nights.rows(night, query) for night in (1, 2)] == [[("FD30",)], [("FD30 (nominal)",)]]


def test_a_field_that_goes_keeps_its_row_and_its_column(nights: Nights) -> None:
    query = f"select label, column_name, is_listed from asset_type_fields where field_id = '{nights.qr.id}'"
    assert nights.rows(1, query) == [("QR", "qr", True)]
    assert nights.rows(2, query) == [("QR", "qr", False)]
    assert nights.column(3, "by_type.communal_fire_doors", "qr") == ["VARCHAR"]


def test_a_type_that_nothing_lists_is_unlisted_and_keeps_its_assets(nights: Nights) -> None:
    query = f"select is_listed, name, table_name from asset_types where asset_type_id = '{nights.group.id}'"
    assert [nights.rows(night, query) for night in (1, 2, 3)] == [
        [(True, "group", "group")],
        [(False, "group", "group")],
        [(True, "group", "group")],
    ]
    count = 'select count(*) from by_type."group"'
    assert nights.rows(2, count) == nights.rows(1, count) != [(0,)]


def test_a_type_that_only_the_pages_of_assets_repeat_is_listed(nights: Nights) -> None:
    query = f"select is_listed, name from asset_types where asset_type_id = '{nights.lifts.id}'"
    assert nights.rows(2, query) == [(True, "Lifts")]


def test_a_type_that_is_called_something_else_keeps_its_table(nights: Nights) -> None:
    query = f"select distinct asset_type from assets where asset_type_id = '{nights.doors.id}'"
    assert nights.rows(3, query) == [("Doors",)]
    tables = f"select name, table_name from asset_types where asset_type_id = '{nights.doors.id}'"
    assert nights.rows(3, tables) == [("Doors", "communal_fire_doors")]


def test_a_third_type_of_one_name_gets_a_table_of_its_own(nights: Nights) -> None:
    assert nights.rows(2, 'select asset_id, "where" from by_type.alarms_3') == [("a-new", "here")]


def test_an_asset_that_changes_type_moves_to_the_other_table(nights: Nights) -> None:
    asset = nights.moving.id
    doors = f"select count(*) from by_type.communal_fire_doors where asset_id = '{asset}'"
    assert [nights.rows(night, doors) for night in (1, 2)] == [[(1,)], [(0,)]]
    query = f"select note from by_type.alarms where asset_id = '{asset}'"
    assert [nights.rows(night, query) for night in (1, 2)] == [[], [("moved",)]]
    values = f"select label, value_text from asset_field_values where asset_id = '{asset}'"
    assert nights.rows(2, values) == [("Note", "moved")]


def test_every_version_of_an_asset_is_history(nights: Nights) -> None:
    query = f"select change, valid_to is null from history.assets where asset_id = '{nights.of_doors[0].id}'"
    assert nights.rows(3, query + " order by valid_from") == [("insert", False), ("update", False), ("update", True)]


@pytest.mark.slow
@pytest.mark.parametrize("performed", daily(["For", "By"], 1))
def test_an_empty_list_beside_other_arrays_is_not_mistaken_for_them(performed: str, home_for: HomeFor) -> None:
    world = _of_one_side(small_world(assets=12, assessments=9, schedules=0), performed)
    with WorldServer(OtherListKeys(world)) as server:
        home = home_for(server)
        built = []
        for _ in range(2):
            assert home.sync().exit_code == 0
            assert difference(published_tables(home.path, leaving_out=_OF_FLAGS), _without_flags(world)) == []
            built.append(home.rows("select table_schema, table_name, changed_run_id from ops.tables order by all"))
        assert built[0] == built[1]  # tables that stay empty are not built again every night
        world.assessments.clear()
        world.schedules.append(small_world(assets=0, assessments=0, schedules=1).schedules[0])
        report = home.sync()
        assert report.exit_code == 3  # all of a resource never goes without somebody's word
        assert (report.resources["assessments"]["held"], report.resources["assessments"]["rejected"]) == (9, 0)


@pytest.mark.slow
def test_an_api_with_nothing_in_it_gives_empty_tables_and_fills_them_when_there_is_something(home_for: HomeFor) -> None:
    full = small_world(assets=12, assessments=9, schedules=6)
    world = World([], [], [], [], [])
    with WorldServer(OtherListKeys(world)) as server:
        home = home_for(server)
        for _ in range(2):
            assert home.sync().exit_code == 0
            assert home.rows("select count(*) from assets") == [(0,)]
        vars(world).update(vars(full))
        assert home.sync().exit_code == 0
        assert difference(published_tables(home.path), expected_tables(world)) == []


def _of_one_side(world: World, performed: str) -> World:
    for one in world.assessments:
        one.performed = frozenset((performed,))
        one.flags = []
    return world


_OF_FLAGS = ("assessment_flags", "assessment_flag_history")
"""Tables whose columns come with the first flag."""


def _without_flags(world: World) -> Tables:
    return {name: rows for name, rows in expected_tables(world).items() if name not in _OF_FLAGS}
