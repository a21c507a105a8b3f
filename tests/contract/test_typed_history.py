"""Every version has the columns of its table: after late builds, deletes, returns and a rebuild too."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import count
from typing import Any

import duckdb
import pytest
from kit.comparing import difference
from kit.small_api import DOOR, SmallApi, SmallHome, assessment, asset

from propsync.errors import MergeFailed
from propsync.merge.tables.record_tables import RecordTables
from propsync.warehouse import MARTS

pytestmark = pytest.mark.usefixtures("desk")

NIGHTS = [datetime(2026, 3, day, 2, 30, tzinfo=UTC) for day in range(1, 10)]
VERSIONS = """
select valid_from::date::varchar, change, property_id, {more}
from history.assets_typed
where asset_id = ?
order by valid_from
"""


def night(home: SmallHome, number: int, exit_code: int = 0) -> None:
    assert home.sync(now=NIGHTS[number]).exit_code == exit_code


def versions(home: SmallHome, key: str, more: str = "null") -> list[Any]:
    return home.rows(VERSIONS.format(more=more), key)


@pytest.fixture
def lived(small_nights: SmallHome, monkeypatch: pytest.MonkeyPatch) -> SmallHome:
    """Five nights: one asset moves twice, one goes and returns, and the build of the third night fails."""
    home, api = small_nights, small_nights.server
    api.answer = lambda path, query: _looked_up(api, path, query)
    night(home, 0)
    api.assets[0] = asset("a0", property="p2")
    gone = api.assets.pop()
    night(home, 1)
    api.assets[0] = asset("a0", property="p3", floor=3)
    api.assessments[0] = assessment("s0", status="submitted", score=7)
    with monkeypatch.context() as patch:
        patch.setattr(RecordTables, "_renew", _failing)
        night(home, 2, exit_code=3)
    api.assets[0] = asset("a0", property="p4")
    api.assets.append(gone | {"property": "p5"})
    api.types = [DOOR | {"name": "Fire doors"}]
    night(home, 3)
    api.assets[1] = asset("a1", floor="ground")
    night(home, 4)
    return home


OPTIONS = [{"id": "o1", "label": "Pass"}, {"id": "o2", "label": "Fail"}]
FIELDS: list[dict[str, Any]] = [
    {"id": "f1", "type": "text", "label": "Place"},
    {"id": "f2", "type": "number", "label": "Height"},
    {"id": "f3", "type": "option", "label": "Result", "options": OPTIONS},
    {"id": "f4", "type": "image", "label": "Photo"},
]


def valued_asset(key: str, told: tuple[str, Any, str], signature: int, members: dict[str, Any]) -> dict[str, Any]:
    """An asset with a value of each kind; every reading signs the link of its picture again."""
    place, height, option = told
    results = [
        {"type": "text", "field": "f1", "value": place},
        {"type": "number", "field": "f2", "value": height},
        {"type": "option", "field": "f3", "value": [option]},
        {"type": "image", "field": "f4", "value": {"name": "door.jpg", "url": f"https://files.invalid/{signature}"}},
    ]
    shown = [one for one in results if one["value"] is not None]
    return asset(key, fields=shown[::-1] if signature % 2 else shown, **members)


@pytest.fixture
def valued(small_nights: SmallHome, monkeypatch: pytest.MonkeyPatch) -> SmallHome:
    """Seven nights of one asset, whose fields change at different times; the fifth build fails between two tables."""
    home, api = small_nights, small_nights.server
    readings = count()
    api.types = [{"id": "t1", "name": "Doors", "fields": FIELDS}]
    told: list[tuple[Any, ...]] = [("Stair A", None, "o1"), *[("Stair A", 10, "o1")] * 6]

    def answer(path: str, query: dict[str, str]) -> tuple[int, Any] | None:
        if path != "/properties/assets":
            return None
        signature = next(readings)
        shown = [valued_asset(f"a{n}", told[n], signature, members.get(n, {})) for n in range(7) if n not in gone]
        found = [one for one in shown if "id" not in query or one["id"] in query["id"].split(",")]
        return 200, {"total": len(found), "assets": found, "types": api.types}

    members: dict[int, dict[str, Any]] = {}
    gone: set[int] = set()
    api.answer = answer
    night(home, 0)
    told[0] = ("Stair A", 10, "o1")
    night(home, 1)
    told[0], members[0] = ("Stair B", 10.0, "o2"), {"property": "p2"}
    night(home, 2)
    told[0] = ("Stair B", 11, "o2")
    night(home, 3)
    told[0] = ("Stair A", 11, "o2")
    marts_before = home.rows("from marts.asset_register order by all"), home.rows("from marts.changes order by all")
    with monkeypatch.context() as patch:
        patch.setattr(RecordTables, "_renew", _failing_values)
        night(home, 4, exit_code=3)
    changed = "select changed_at::date::varchar from main.assets where asset_id = 'a0'"
    assert (home.in_state(changed), home.rows(changed)) == ([("2026-03-05",)], [("2026-03-04",)])
    marts_after = home.rows("from marts.asset_register order by all"), home.rows("from marts.changes order by all")
    assert marts_after == marts_before, "assets of tonight and values of yesterday make no mart"
    gone.add(0)
    night(home, 5)
    gone.clear()
    api.types = [{"id": "t1", "name": "Doors", "fields": [*FIELDS[:2], _renamed(FIELDS[2]), FIELDS[3]]}]
    night(home, 6)
    return home


def _renamed(field: dict[str, Any]) -> dict[str, Any]:
    return field | {"options": [{"id": "o1", "label": "Passed"}, OPTIONS[1]]}


def _looked_up(api: SmallApi, path: str, query: dict[str, str]) -> tuple[int, Any] | None:
    """The API shows records by id, so that a missing one counts as deleted."""
    if path != "/properties/assets" or "id" not in query:
        return None
    found = [one for one in api.assets if one["id"] in query["id"].split(",")]
    return 200, {"total": len(found), "assets": found, "types": api.types}


def _failing(*_: Any) -> bool:
    raise MergeFailed("assets", "planted")


_RENEW = RecordTables._renew


def _failing_values(tables: RecordTables, models: Any, table: str, fragments: dict[str, str]) -> bool:
    if table == "asset_field_values":
        raise MergeFailed("assets", "planted")
    return _RENEW(tables, models, table, fragments)


@pytest.mark.release
def test_versions_have_their_columns_whenever_they_were_built(lived: SmallHome) -> None:
    # the third version opened in a night whose build failed, and closed before any build: it alone has a floor of 3
    assert versions(lived, "a0", "floor") == [
        ("2026-03-01", "insert", "p1", None),
        ("2026-03-02", "update", "p2", None),
        ("2026-03-03", "update", "p3", "3"),
        ("2026-03-04", "update", "p4", None),
    ]
    assert versions(lived, "a5", "asset_type") == [
        ("2026-03-01", "insert", "p1", "Fire doors"),
        ("2026-03-02", "delete", "p1", "Fire doors"),
        ("2026-03-04", "insert", "p5", "Fire doors"),
    ]
    told = "select status, score, valid_to is null from history.assessments_typed where assessment_id = 's0'"
    assert lived.rows(f"{told} order by valid_from") == [("approved", None, False), ("submitted", 7, True)]
    assert lived.rows("select count(*) from history.assets_earlier") == [(6,)], "no current version is there twice"


@pytest.mark.release
def test_versions_are_equal_after_a_rebuild(lived: SmallHome) -> None:
    before = lived.copy_of_published()
    assert lived.rebuild().status == "ok"
    assert difference(before, lived.published) == {}
    assert difference(before, lived.published, *MARTS) == {}


@pytest.mark.release
def test_macros_show_each_table_as_it_was_at_the_end_of_a_day(lived: SmallHome) -> None:
    shown = "select asset_id, property_id from assets_as_of(date '2026-03-02') where asset_id in ('a0', 'a5')"
    assert lived.rows(shown) == [("a0", "p2")]
    now = "select asset_id, property_id, asset_type, floor, first_seen_at, changed_at, payload from "
    assert set(lived.rows(f"{now} assets_as_of(now())")) == set(lived.rows(f"{now} assets"))
    with pytest.raises(duckdb.InvalidInputException, match="the first run was at 2026-03-01"):
        lived.rows("from assets_as_of(date '2026-02-28')")
    assert lived.rows("from schedules_as_of(date '2026-03-01')") == [], "no schedule is an answer"


@pytest.mark.release
@pytest.mark.parametrize("macro", ["assets_as_of", "asset_field_values_as_of"])
def test_a_moment_before_the_first_run_is_refused_for_an_unknown_id_too(lived: SmallHome, macro: str) -> None:
    asked = f"select count(*) from {macro}(date '%s') where asset_id = 'no such id'"
    assert lived.column(asked % "2026-03-02") == [0]
    with pytest.raises(duckdb.InvalidInputException, match="the first run was at 2026-03-01"):
        lived.rows(asked % "2026-02-28")


@pytest.mark.release
def test_a_value_holds_until_another_comes(valued: SmallHome) -> None:
    told = "select field_id, value_text, value_option_labels, valid_from::date::varchar, valid_to::date::varchar "
    found = valued.rows(f"{told} from history.asset_field_values where asset_id = 'a0' order by field_id, valid_from")
    assert found == [
        ("f1", "Stair A", None, "2026-03-01", "2026-03-03"),
        ("f1", "Stair B", None, "2026-03-03", "2026-03-05"),
        ("f1", "Stair A", None, "2026-03-05", "2026-03-06"),  # until the asset went
        ("f1", "Stair A", None, "2026-03-07", None),  # and from its return on
        ("f2", "10.0", None, "2026-03-02", "2026-03-04"),  # first 10, which is the same number
        ("f2", "11", None, "2026-03-04", "2026-03-06"),
        ("f2", "11", None, "2026-03-07", None),
        ("f3", None, ["Passed"], "2026-03-01", "2026-03-03"),  # under the option's present label
        ("f3", None, ["Fail"], "2026-03-03", "2026-03-06"),
        ("f3", None, ["Fail"], "2026-03-07", None),
        ("f4", None, None, "2026-03-01", "2026-03-06"),  # a link that is signed again is no other picture
        ("f4", None, None, "2026-03-07", None),
    ]
    assert valued.rows("select count(*) from history.asset_field_values_earlier where asset_id <> 'a0'") == [(0,)]


@pytest.mark.release
def test_values_are_equal_after_a_rebuild(valued: SmallHome) -> None:
    before = valued.copy_of_published()
    assert valued.rebuild().status == "ok"
    assert difference(before, valued.published) == {}
    assert difference(before, valued.published, *MARTS) == {}


@pytest.mark.release
def test_the_macro_of_values_shows_them_at_the_end_of_a_day(valued: SmallHome) -> None:
    told = "select field_id, property_id, coalesce(value_text, value_option_labels[1]) from asset_field_values_as_of"
    assert valued.rows(f"{told}('2026-03-03') where asset_id = 'a0' and field_id < 'f4' order by all") == [
        ("f1", "p2", "Stair B"),
        ("f2", "p2", "10.0"),
        ("f3", "p2", "Fail"),
    ]
    assert valued.rows("from asset_field_values_as_of(date '2026-03-06') where asset_id = 'a0'") == []
    columns = "asset_id, property_id, asset_type_id, field_id, label, kind, value_text, value_option_labels, value_json"
    now = f"select {columns} from asset_field_values_as_of(now())"
    assert valued.rows(f"{now} except all select {columns} from asset_field_values") == []
    assert valued.rows(f"select {columns} from asset_field_values except all {now}") == []


CHANGES = """
select changed_at::date::varchar, change, label, old_value, new_value, is_first_load
from marts.changes
where record_id = ?
order by changed_at, label
"""


@pytest.mark.slow
def test_every_change_is_a_row_with_its_values(valued: SmallHome) -> None:
    assert valued.rows(CHANGES, "a0") == [
        ("2026-03-01", "new", None, None, None, True),
        ("2026-03-02", "changed", "Height", None, "10.0", False),  # first written 10, which is the same number
        ("2026-03-03", "changed", "Place", "Stair A", "Stair B", False),
        ("2026-03-03", "changed", "Result", "Passed", "Fail", False),  # under the option's present label
        ("2026-03-03", "changed", "property id", "p1", "p2", False),
        ("2026-03-04", "changed", "Height", "10.0", "11", False),
        ("2026-03-05", "changed", "Place", "Stair B", "Stair A", False),  # in the night whose build failed
        ("2026-03-06", "deleted", None, None, None, False),
        ("2026-03-07", "returned", None, None, None, False),
    ]
    assert valued.rows("select count(*), bool_and(is_first_load) from marts.changes where record_id <> 'a0'") == [
        (10, True)
    ]


@pytest.mark.release
def test_changes_of_columns_and_names_of_types(lived: SmallHome) -> None:
    assert lived.rows(CHANGES, "s0") == [
        ("2026-03-01", "new", None, None, None, True),
        ("2026-03-03", "changed", "score", None, "7", False),
        ("2026-03-03", "changed", "status", "approved", "submitted", False),
    ]
    assert lived.rows("select distinct type from marts.changes where resource = 'assets'") == [("Fire doors",)]
