"""Field results, definitions, options and flags in forms that the document does not show: read, or loudly not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from contract.conftest import HomeFor
from kit.dialects import Dialect, Keyed
from kit.encoding import Literal
from kit.world import World, small_world
from kit.world_home import WorldHome
from kit.world_server import WorldServer
from variants import daily

from propsync.runbooks.doctor.examine import examine

PLAIN = [
    {"id": "f", "type": "text", "label": "Location"},
    {"id": "n", "type": "number", "label": "Height"},
    {"id": "o", "type": "option", "label": "Grade", "options": [{"id": "good", "label": "Good"}]},
    {"id": "i", "type": "image", "label": "Photo"},
]


def _world(*assets: Any, definitions: Any = None, assessments: tuple[Any, ...] = ()) -> World:
    world = World([], [], [], [], [])
    told = [{"id": f"a{place}", "property": "p", "type": "t"} | one for place, one in enumerate(assets)]
    a_type = {"id": "t", "name": "Doors", "nameSingular": "Door", "fields": definitions or PLAIN}
    world.odd = {"asset_types": [a_type], "assets": told, "assessments": list(assessments)}
    return world


@pytest.fixture
def synced(home_for: HomeFor) -> Iterator[Any]:
    """Syncs a world once; returns the home and the run's report."""
    servers: list[WorldServer] = []

    def sync(world: World) -> tuple[WorldHome, Any]:
        servers.append(WorldServer(Dialect(world)).__enter__())
        home = home_for(servers[0])
        return home, home.sync()

    yield sync
    for server in servers:
        server.__exit__(None, None, None)


def _doctor(home: WorldHome) -> list[str]:
    """What doctor finds not well."""
    return [
        f"{one.what}: {one.seen}"
        for one in examine(home.settings())
        if not one.is_well and one.what.startswith("shape")
    ]


def _values(home: WorldHome) -> list[Any]:
    columns = "field_id, label, kind, value_text, value_number, value_option_labels, value_json::varchar"
    return home.rows(f"select {columns} from asset_field_values order by asset_id, position")


BARE = {"f": "Core A", "n": Literal("12.50"), "o": ["good"], "i": {"url": "https://x.invalid/1", "type": "image/png"}}
TOLD = {
    "f": {"type": "text", "value": "Core A"},
    "n": {"type": "number", "value": Literal("12.50")},
    "o": {"type": "option", "value": ["good"]},
    "i": {"type": "image", "value": {"url": "https://x.invalid/1", "type": "image/png"}},
}


def test_results_keyed_by_field_are_values_of_their_fields(synced: Any) -> None:
    """Other forms of results are in tests/sql/: staging/asset_results and main/asset_field_values.open."""
    home, report = synced(_world({"fields": BARE}, {"fields": []}, {"fields": {"f": None}}))
    assert (report.exit_code, report.left_behind) == (0, [])
    assert _values(home) == [
        ("f", "Location", "text", "Core A", None, None, None),
        ("n", "Height", "number", "12.50", 12.5, None, None),
        ("o", "Grade", "option", None, None, ["Good"], None),
        ("i", "Photo", "image", None, None, None, '{"url":"https://x.invalid/1","type":"image/png"}'),
        ("f", "Location", "text", None, None, None, None),
    ]
    assert home.rows("select location, height, grade from by_type.doors where asset_id = 'a0'") == [
        ("Core A", 12.5, "Good")
    ]
    assert home.rows("select issue from ops.value_issues") == []
    assert _doctor(home) == []
    shown = "select evidence from ops.shapes where resource = 'assets' and part = 'result_field'"
    assert "the name of the member; 100% of these names are field ids" in home.rows(shown)[0][0]


@pytest.mark.slow
def test_the_order_of_results_in_an_object_counts_for_nothing(synced: Any) -> None:
    home, _ = synced(_world({"fields": BARE}))
    home.server.world.odd["assets"][0]["fields"] = dict(reversed(BARE.items()))
    assert home.sync().resources["assets"]["unchanged"] == 1
    home.server.world.odd["assets"][0]["fields"] = BARE | {"f": "Core B"}
    assert home.sync().resources["assets"]["updated"] == 1


@pytest.mark.release
def test_people_may_say_that_results_are_keyed(synced: Any) -> None:
    home, _ = synced(_world({"fields": {"f": {"type": "text", "value": "x", "field": "n"}}}))
    assert _values(home)[0][0] == "f"
    (home.path / "propsync.toml").write_text("[shapes.assets]\nresult_field = 'field'\n", encoding="utf-8")
    assert home.sync().exit_code == 0
    assert _values(home)[0][0] == "n"
    (home.path / "propsync.toml").write_text("[shapes.assets]\nresult_field = ''\n", encoding="utf-8")
    assert home.sync().exit_code == 0
    assert _values(home)[0][0] == "f"


UNREADABLE: dict[str, dict[str, Any]] = {
    "a text": {"fields": "Location: Core A"},
    "a number": {"fields": 7},
    "an array of arrays": {"fields": [["f", "Core A"], ["n", 7]]},
    "an array of texts": {"fields": ["Core A", "7"]},
    "an object of objects": {"fields": {"text": {"f": "Core A"}, "number": {"n": 7}}},
    "values keyed elsewhere": {"values": {"f": "Core A", "n": 7}},
    "results elsewhere": {"fields": [], "answers": [{"field": "f", "value": "Core A"}]},
}


@pytest.mark.release
@pytest.mark.costly
@pytest.mark.parametrize("form", daily(UNREADABLE, 3))
def test_results_of_which_nothing_can_be_made_are_never_silent(synced: Any, form: str) -> None:
    asset = UNREADABLE[form]
    home, report = synced(_world(*[asset] * 6))
    assert (report.status, report.exit_code) == ("attention", 3)
    assert [line for line in report.left_behind if line.startswith("assets: results could not be read")]
    assert home.rows("select count(*) from assets") == [(6,)]
    assert home.rows("select after from ops.schema_changes where name = 'results'")[0][0].startswith("unread: ")
    assert [line for line in _doctor(home) if line.startswith("shape of assets: results")]
    again = home.sync()
    assert (again.exit_code, again.left_behind) == (3, report.left_behind)


@pytest.mark.slow
def test_results_that_become_readable_end_the_warning(synced: Any) -> None:
    home, report = synced(_world({"fields": "Core A"}))
    assert report.exit_code == 3
    home.server.world.odd["assets"][0]["fields"] = {"f": "Core A"}
    assert (home.sync().exit_code, _doctor(home)) == (0, [])
    assert [row[0] for row in _values(home)] == ["f"]
    home.server.world.odd["assets"][0]["fields"] = "Core A"
    assert home.sync().exit_code == 3


def test_one_asset_that_cannot_be_read_is_told_and_stops_nothing(synced: Any) -> None:
    home, report = synced(_world({"fields": TOLD}, {"fields": "Core A"}))
    assert report.exit_code == 0
    told = home.rows("select record_id, name, issue, value from ops.value_issues")
    assert told == [("a1", "fields", "is neither an array nor an object of field results", '"Core A"')]


@pytest.mark.slow
def test_results_of_an_unlisted_type_are_read_though_no_field_is_known(synced: Any) -> None:
    home, report = synced(_world({"type": "gone", "fields": [{"type": "text", "field": "x", "value": "Core A"}]}))
    assert (report.exit_code, report.left_behind) == (0, [])
    assert [row[0] for row in _values(home)] == ["x"]


@pytest.mark.slow
def test_results_of_fields_that_are_no_longer_defined_are_read(synced: Any) -> None:
    home, report = synced(_world({"fields": TOLD}))
    assert report.exit_code == 0
    home.server.world.odd["asset_types"][0]["fields"] = [{"id": "new", "type": "text", "label": "Floor"}]
    report = home.sync()
    assert (report.exit_code, report.left_behind) == (0, [])


def test_definitions_of_which_nothing_can_be_made_are_never_silent(synced: Any) -> None:
    home, report = synced(_world({"fields": []}, definitions="text, number"))
    assert report.exit_code == 3
    assert [line for line in report.left_behind if line.startswith("asset types: definitions could not be read")]
    assert [line for line in _doctor(home) if line.startswith("shape of asset types: definitions")]


@pytest.mark.parametrize(
    "flags",
    daily([{"total": 1, "items": [{"state": "open"}]}, "High risk", 7, True, {"High risk": [{"state": "open"}]}], 1),
)
def test_flags_of_which_nothing_can_be_made_are_never_silent(synced: Any, flags: Any) -> None:
    record = {"id": "s", "property": "p", "type": "k", "status": "approved", "flags": flags}
    home, report = synced(_world({"fields": TOLD}, assessments=(record,)))
    assert report.exit_code == 3
    assert [line for line in report.left_behind if line.startswith("assessments: flags could not be read")]
    assert [line for line in _doctor(home) if line.startswith("shape of assessments: flags")]
    assert home.rows("select * from assessment_flags") == []


@pytest.mark.slow
def test_flags_in_an_object_of_the_record_are_never_silent(synced: Any) -> None:
    inner = {"property": "p", "type": "k", "status": "approved", "flags": [{"state": "open"}]}
    home, report = synced(_world({"fields": TOLD}, assessments=({"id": "s", "attributes": inner},)))
    assert report.exit_code == 3
    assert [line for line in report.left_behind if line.startswith("assessments: flags could not be read")]
    assert [line for line in _doctor(home) if line.startswith("shape of assessments: flags")]


@pytest.mark.release
def test_links_of_results_in_an_object_that_are_signed_again_make_no_versions(tmp_path: Path) -> None:
    class Signed(Keyed):
        signature = 0

        def said(self, value: Any) -> Any:
            if isinstance(value, dict):
                return {name: self.said(inner) for name, inner in value.items()}
            if isinstance(value, list):
                return [self.said(inner) for inner in value]
            if isinstance(value, str) and value.startswith("https://"):
                self.signature += 1
                return f"{value}?signature={self.signature}"
            return value

    with WorldServer(Signed(small_world(assets=60, assessments=0, schedules=0))) as server:
        home = WorldHome(tmp_path / "home", server)
        assert home.sync().exit_code == 0
        assert home.sync().resources["assets"]["updated"] == 0
