"""One record nested without bound, or odd in another way, costs itself: all others are kept, nothing is deleted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from kit.dialects import Dialect
from kit.encoding import Literal
from kit.world import Asset, Result, small_world
from kit.world_home import WorldHome
from kit.world_server import WorldServer

_LEVELS = [65, 200, 900, 2_000, 100_000]
Ended = tuple[int, Mapping[str, Any]]
"""The exit code of a run, and what it tells of assets."""
_REASON = "nested too deep to be read"


def nested(levels: int, kind: str) -> Literal:
    """JSON nested so deep, in arrays, objects or both in turn."""
    openings = {"arrays": "[", "objects": '{"a":', "mixed": '{"a":['}[kind]
    closings = {"arrays": "]", "objects": "}", "mixed": "]}"}[kind]
    times = levels // 2 if kind == "mixed" else levels
    return Literal(openings * times + '"]}"' + closings * times)


class Deep:
    """A world of 30 assets and a home; `odd` is one asset more, the last of its list."""

    def __init__(self, home: Path, server: WorldServer) -> None:
        self.server = server
        self.world = server.world
        self.home = WorldHome(home, server)
        door = self.world.asset_types[0]
        note = next(one for one in door.fields if one.column == "location")
        self.odd = Asset("odd", "p", door.id, [Result(note.id, "text", "before")])
        self.first: Ended = 0, {}
        self.second: Ended = 0, {}

    def deepen(self, place: str, value: Any) -> None:
        if place == "result":
            self.odd.results[0].value = value
        else:
            self.odd.extra = {"more": value}

    def run(self) -> Ended:
        report = self.home.sync(page_limit=10)
        return report.exit_code, report.resources["assets"]

    def rejected(self, resource: str = "assets") -> list[Any]:
        query = "select reason, payload->>'id' from ops.rejected_records join ops.runs using (run_id) "
        return self.home.rows(f"{query} where resource = '{resource}' and run_id = (select max(run_id) from ops.runs)")

    def verdict(self) -> Any:
        query = "select verdict, distinct_keys from ops.sweeps where resource = 'assets' order by run_id desc limit 1"
        return self.home.rows(query)[0]

    def tables(self) -> list[Any]:
        names = ("assets", "asset_field_values", "asset_types", "history.assets", "ops.rejected_records", "ops.sweeps")
        return [self.home.rows(f"select * from {name} order by all") for name in names]

    def assets(self) -> Any:
        return self.home.rows("select count(*) from assets")[0][0]


class Forgetful(WorldServer):
    """Lists all assets but the forgotten, which it shows when it is asked for them by id."""

    def __init__(self, dialect: Dialect) -> None:
        super().__init__(dialect)
        self.forgotten: list[Asset] = []

    def _body(self, path: str, query: dict[str, str]) -> Any:
        everything = self.world.assets
        if "id" not in query:
            self.world.assets = [one for one in everything if one not in self.forgotten]
        try:
            return super()._body(path, query)
        finally:
            self.world.assets = everything


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Deep]:
    with WorldServer(Dialect(small_world(assets=30, assessments=6, schedules=4))) as server:
        yield Deep(tmp_path / "home", server)


_DEPTHS = [
    *((levels, "result", "objects") for levels in _LEVELS),
    (_LEVELS[0], "member", "mixed"),
    (_LEVELS[-1], "member", "arrays"),
]


def odd_one(deep: Deep, name: str, place: str, value: Any) -> None:
    """Puts an asset that is odd in one place among the others."""
    told = Asset(name, "p", deep.odd.type, [Result(deep.odd.results[0].field, "text", "before")])
    if place == "result":
        told.results[0].value = value
    else:
        told.extra = {"more": value}
    deep.world.assets.insert(12, told)


@pytest.fixture(scope="session")
def depths(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deep]:
    """A home that read one record of each depth among 30 others, twice."""
    with WorldServer(Dialect(small_world(assets=30, assessments=6, schedules=4))) as server:
        deep = Deep(tmp_path_factory.mktemp("depths") / "home", server)
        for levels, place, kind in _DEPTHS:
            odd_one(deep, f"{levels} {place} {kind}", place, nested(levels + 5, kind))
        deep.first, deep.second = deep.run(), deep.run()
        yield deep


@pytest.mark.release
@pytest.mark.parametrize(("levels", "place", "kind"), _DEPTHS)
def test_a_record_nested_too_deep_is_set_aside(depths: Deep, levels: int, place: str, kind: str) -> None:
    name = f"{levels} {place} {kind}"
    assert (_REASON, name) in depths.rejected()
    assert depths.home.rows("from assets where asset_id = ?", name) == []


def test_records_nested_too_deep_cost_no_other(depths: Deep) -> None:
    exit_code, counts = depths.first
    assert (exit_code, counts["inserted"], counts["rejected"]) == (0, 30, len(_DEPTHS))
    assert depths.verdict() == ("certified", 30 + len(_DEPTHS))
    assert depths.second[1]["unchanged"] == 30
    assert len(depths.rejected()) == len(_DEPTHS)


def test_the_payload_of_a_deep_record_is_one_that_every_function_reads(depths: Deep) -> None:
    found = depths.home.rows(
        "select json_structure(payload), length(payload::varchar) < 5000 from ops.rejected_records"
    )
    assert all(is_short for _, is_short in found)


@pytest.mark.release
def test_what_was_known_of_a_record_stays_while_it_is_nested_too_deep(deep: Deep) -> None:
    deep.world.assets.insert(3, deep.odd)
    assert deep.run()[0] == 0
    deep.deepen("result", nested(2_000, "mixed"))
    for _ in range(2):
        exit_code, counts = deep.run()
        assert (exit_code, counts["deleted"], counts["held"], counts["unchanged"]) == (0, 0, 0, 30)
        assert deep.rejected() == [(f"{_REASON}; what was known of it stays", "odd")]
    assert deep.home.rows("select value_text from asset_field_values where asset_id = 'odd'") == [("before",)]
    before = deep.tables()
    deep.home.rebuild()
    assert deep.tables() == before
    deep.deepen("result", "after")
    assert deep.run()[1]["updated"] == 1
    assert deep.rejected() == []
    assert deep.home.rows("select value_text from asset_field_values where asset_id = 'odd'") == [("after",)]


@pytest.mark.slow
def test_a_look_up_that_shows_a_record_nested_too_deep_deletes_nothing(tmp_path: Path) -> None:
    with Forgetful(Dialect(small_world(assets=30, assessments=6, schedules=4))) as server:
        deep = Deep(tmp_path / "home", server)
        deep.world.assets.insert(12, deep.odd)
        assert deep.run()[0] == 0
        server.forgotten.append(deep.odd)
        deep.deepen("result", nested(2_000, "arrays"))
        exit_code, counts = deep.run()
        assert (exit_code, counts["deleted"], counts["held"], counts["rejected"]) == (0, 0, 0, 1)
        assert deep.assets() == 31


@pytest.mark.release
def test_an_asset_type_nested_too_deep_costs_itself(deep: Deep) -> None:
    assert deep.run()[0] == 0
    types = deep.home.rows("select * from asset_types order by 1")
    spoilt = {"id": deep.world.asset_types[2].id, "name": "Lifts", "fields": nested(2_000, "arrays")}

    class Spoilt(Dialect):
        def asset_type(self, one: Any) -> dict[str, Any]:
            return spoilt if one.id == spoilt["id"] else super().asset_type(one)

    deep.server.dialect = Spoilt(deep.world)
    exit_code, _ = deep.run()
    assert exit_code == 0
    assert [one[:3] for one in deep.home.rows("select * from asset_types order by 1")] == [one[:3] for one in types]
    assert deep.rejected("asset_types") == [(f"{_REASON}; what was known of it stays", spoilt["id"])]
    assert deep.assets() == 30


@pytest.mark.release
def test_a_torn_page_is_not_certified_by_the_same_deep_record_twice(deep: Deep) -> None:
    deep.world.assets.insert(0, deep.odd)
    deep.deepen("member", nested(2_000, "arrays"))
    deep.world.assets[-1] = deep.odd
    deep.run()
    assert deep.verdict() == ("incomplete", 30)


@pytest.mark.slow
def test_a_member_of_a_page_nested_too_deep_costs_nothing(deep: Deep) -> None:
    class Spoilt(Dialect):
        def assets_body(self, *told: Any) -> Any:
            return super().assets_body(*told) | {"trace": nested(5_000, "mixed")}

    deep.server.dialect = Spoilt(deep.world)
    assert deep.run()[1]["inserted"] == 30


@pytest.mark.slow
def test_a_definition_without_an_id_costs_no_other_types_fields(deep: Deep) -> None:
    class Spoilt(Dialect):
        def assets_body(self, total: int, records: list[Any], types: list[Any]) -> Any:
            return super().assets_body(total, records, [*types, {"id": "x", "fields": [{"type": "text"}, None]}])

    deep.server.dialect = Spoilt(deep.world)
    assert deep.run()[0] == 0
    assert deep.home.rows("select count(*) from asset_field_values where label is null") == [(0,)]


_LONG_TEXTS = {"a text of 20 MB": "x" * 20_000_000, "a text of brackets": '[{"' * 2_000_000}
_ODD_TEXTS: dict[str, Any] = {
    "a nul": Literal('"a\\u0000b"'),
    "a number beyond all floats": Literal("1e999999"),
    "a number of 100,000 digits": Literal("9" * 100_000),
    "an exponent of 10,000 digits": Literal("1e" + "9" * 10_000),
    "100,000 members": {f"m{number}": number for number in range(100_000)},
}


_ODD = [*((name, "result") for name in _ODD_TEXTS), ("a nul", "member")]


@pytest.fixture(scope="session")
def oddities(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deep]:
    """A home that read one record with each odd value among 30 others, twice."""
    with WorldServer(Dialect(small_world(assets=30, assessments=6, schedules=4))) as server:
        deep = Deep(tmp_path_factory.mktemp("oddities") / "home", server)
        for name, place in _ODD:
            odd_one(deep, f"{name} {place}", place, _ODD_TEXTS[name])
        deep.first, deep.second = deep.run(), deep.run()
        yield deep


@pytest.mark.release
@pytest.mark.parametrize("name", _LONG_TEXTS)
def test_one_long_text_costs_no_other_record(deep: Deep, name: str) -> None:
    """Each by itself: the memory of a run holds only some of them."""
    odd_one(deep, "long", "result", _LONG_TEXTS[name])
    exit_code, counts = deep.run()
    assert (exit_code, counts["inserted"]) == (0, 31)
    assert deep.run()[1]["unchanged"] == 31


@pytest.mark.release
@pytest.mark.costly
@pytest.mark.parametrize(("name", "place"), _ODD)
def test_one_odd_value_costs_not_even_its_record(oddities: Deep, name: str, place: str) -> None:
    assert oddities.home.rows("select count(*) from assets where asset_id = ?", f"{name} {place}") == [(1,)]


@pytest.mark.release
def test_odd_values_cost_no_other_record(oddities: Deep) -> None:
    exit_code, counts = oddities.first
    assert (exit_code, counts["inserted"]) == (0, 30 + len(_ODD))
    assert oddities.second[1]["unchanged"] == 30 + len(_ODD)


@pytest.mark.slow
def test_an_id_with_a_nul_costs_no_other_record(deep: Deep) -> None:
    deep.odd.id = Literal('"a\\u0000b"')
    deep.world.odd = {"assets": [{"id": deep.odd.id, "property": "p", "type": deep.odd.type, "fields": []}]}
    exit_code, _ = deep.run()
    assert exit_code == 0
    assert deep.assets() >= 30


_ODD_TYPES: list[Any] = [None, 7, "text", [], {"id": 5, "name": "five"}, {"id": "x", "fields": {"a": [1]}}]


@pytest.mark.slow
def test_odd_asset_types_cost_no_other_type_and_no_asset(deep: Deep) -> None:
    class Spoilt(Dialect):
        def assets_body(self, total: int, records: list[Any], types: list[Any]) -> Any:
            return super().assets_body(total, records, [*types, *_ODD_TYPES])

    deep.server.dialect = Spoilt(deep.world)
    exit_code, counts = deep.run()
    assert (exit_code, counts["inserted"]) == (0, 30)
    assert deep.home.rows("select count(*) from asset_types where name is not null and is_listed")[0][0] >= 6
