"""An answer of another shape than yesterday's: propsync reads it, or says exactly what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kit.home import Home as AnyHome
from kit.small_api import SmallHome, assessment

from propsync.errors import UsageError
from propsync.runbooks import archive
from propsync.runbooks.doctor.examine import examine
from propsync.runs import time_of

Home = SmallHome
TYPES, ASSETS = "/properties/assets/types", "/properties/assets"


@pytest.mark.slow
def test_types_that_left_their_object_for_a_bare_array_are_read(small_nights: Home):
    assert small_nights.sync().exit_code == 0
    api = small_nights.server
    api.types = [api.types[0] | {"name": "Fire doors"}]
    api.answer = lambda path, query: (200, api.types) if path == TYPES else None
    assert small_nights.sync().exit_code == 0
    assert small_nights.rows("select name from asset_types") == [("Fire doors",)]
    api.answer = lambda path, query: None
    assert small_nights.sync().exit_code == 0


@pytest.mark.parametrize(
    "page",
    [[{"code": "Maintenance"}], {"errors": [{"code": "Maintenance"}]}, {"message": "Maintenance", "errors": []}],
    ids=["bare", "in an object", "none"],
)
def test_an_array_of_errors_is_no_list_of_types(small_nights: Home, page: Any):
    assert small_nights.sync().exit_code == 0
    small_nights.server.answer = lambda path, query: (200, page) if path.endswith("/types") else None
    report = small_nights.sync()
    assert (report.exit_code, "[shapes" in str(report.left_behind)) == (3, False)
    assert small_nights.rows("select name from asset_types") == [("Doors",)]
    assert small_nights.rows("select assessment_type_id from assessment_types") == [("k1",)]


@pytest.mark.costly
@pytest.mark.parametrize(
    ("total", "fault"),
    [({}, "no total"), ({"total": None}, "null"), ({"total": "6"}, '"6"'), ({"total": 2**63}, "9223372036854775808")],
    ids=["absent", "null", "a text", "too large"],
)
def test_a_total_that_is_no_number_is_named_and_no_login_page(small_nights: Home, total: dict[str, Any], fault: str):
    api = small_nights.server
    body = {"assets": api.assets, "types": api.types} | total
    api.answer = lambda path, query: (200, body) if path == ASSETS else None
    (told,) = [one for one in small_nights.sync().left_behind if one.startswith("assets")]
    assert "the answer has an array, but " in told
    assert fault in told
    assert "login" not in told


def test_an_id_under_another_name_is_named_in_the_reason(small_nights: Home):
    api = small_nights.server
    api.assessments += [assessment(f"t{number}") for number in range(4)]
    assert small_nights.sync().exit_code == 0
    renamed = [{"assessmentId" if name == "id" else name: one[name] for name in one} for one in api.assessments[1:]]

    def answer(path: str, query: dict[str, str]) -> tuple[int, Any] | None:
        if path != "/assessments":
            return None
        shown = [api.assessments[0], *renamed] if "For" in query["performed"] else []
        asked = query.get("assessment", "")
        told = [one for one in shown if not asked or one.get("id", one.get("assessmentId")) in asked.split(",")]
        return 200, {"total": len(told), "assessments": told[: int(query["limit"])]}

    api.answer = answer
    (told,) = [one for one in small_nights.sync().left_behind if "holds their deletes" in one]
    assert "have no id under id; if the API renamed it, name it in propsync.toml: [shapes.assessments] id" in told
    assert "ignores" not in told


@pytest.mark.parametrize("path", [TYPES, "/assessments/types"])
def test_types_keyed_by_id_are_named_and_no_login_page(small_nights: Home, path: str):
    keyed = {name: {"name": f"Type {name}", "colour": "red"} for name in ("k1", "k2")}
    small_nights.server.answer = lambda asked, query: (200, {"types": keyed}) if asked == path else None
    (told,) = [one for one in small_nights.sync().left_behind if "types were never read" in one]
    assert "the answer is an object keyed by id, and no array" in told
    assert "login" not in told


def test_assessments_keyed_by_id_are_named_and_no_login_page(small_nights: Home):
    """The first request for them is for one record."""
    keyed = {"s1": assessment("s1")}
    small_nights.server.answer = lambda path, query: (
        (200, {"total": 4, "assessments": keyed}) if path == "/assessments" else None
    )
    (told,) = [one for one in small_nights.sync().left_behind if one.startswith("assessments were never read")]
    assert "the answer is an object keyed by id, and no array" in told
    assert "login" not in told


def test_records_that_are_arrays_are_no_empty_list(small_nights: Home):
    """propsync rejected each, and the list was read completely."""
    columns = ["id", "property", "type", "status"]
    rows = [[f"s{number}", "p1", "k1", "approved"] for number in range(6)]
    small_nights.server.answer = lambda path, query: (
        (200, {"total": 6, "columns": columns, "rows": rows[: int(query["limit"])]}) if path == "/assessments" else None
    )
    (told,) = small_nights.sync().left_behind
    assert told.startswith("assessments were never read yet: GET /assessments: none of ")
    assert "records is an object. Ask the people who run the API for an array of objects" in told


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        pytest.param({"total": 1, "assessments": {"s1": assessment("s1")}}, "an object keyed by id", id="keyed"),
        pytest.param({"assessments": [assessment("s1")]}, "but no total", id="no total"),
        pytest.param({"total": "1", "assessments": [assessment("s1")]}, 'not a whole number: "1"', id="a text"),
    ],
)
def test_doctor_finds_an_answer_that_a_sync_could_not_read(small_nights: Home, body: dict[str, Any], fault: str):
    small_nights.server.answer = lambda path, query: (200, body) if path == "/assessments" else None
    (finding,) = [one for one in examine(small_nights.settings()) if not one.is_well]
    assert finding.what == "GET /assessments"
    assert fault in finding.seen


def test_doctor_finds_the_places_set_wrongly_that_a_sync_refuses(small_nights: Home):
    flag = {"id": 1, "history": [{"at": "2026-01-01"}]}
    small_nights.server.assessments = [assessment("s1") | {"flags": [flag]}]
    small_nights.path.mkdir(exist_ok=True)
    lines = "[shapes]\nassets.list = 'records'\nassessments.flag_history = 'log'\n"
    (small_nights.path / "propsync.toml").write_text(lines)
    faults = ["the answer has no member records", "log is in none of 1 records"]
    assert [one.seen for one in examine(small_nights.settings()) if not one.is_well] == faults
    told = "\n".join(small_nights.sync().left_behind)
    assert f"[shapes.assets] list: {faults[0]}. Correct it in propsync.toml" in told
    assert f"[shapes.assessments] flag_history: {faults[1]}. Correct it in propsync.toml" in told


def test_doctor_names_a_kind_of_value_that_no_asset_has(small_nights: Home):
    """A sync cannot: a part that a backfill reads may lack a kind."""
    small_nights.path.mkdir(exist_ok=True)
    lines = "[shapes.assets]\n'result_value:text' = 'value'\n'result_value:tekst' = 'value'\n"
    (small_nights.path / "propsync.toml").write_text(lines)
    (finding,) = [one for one in examine(small_nights.settings()) if not one.is_well]
    assert finding.what == "[shapes.assets] result_value:tekst"
    assert finding.seen == "none of 6 assets has a value of the kind tekst"


def test_doctor_finds_nothing_wrong_with_an_api_without_records(small_nights: Home):
    api = small_nights.server
    api.types, api.assessment_types, api.assets, api.assessments = [], [], [], []
    assert all(one.is_well for one in examine(small_nights.settings()))


def test_a_resource_that_was_never_read_keeps_no_rows(small_nights: Home):
    api = small_nights.server
    api.answer = lambda path, query: (400, {}) if path == ASSETS else None
    (told,) = [one for one in small_nights.sync().left_behind if one.startswith("assets")]
    assert told.startswith("assets were never read yet: ")
    api.answer = lambda path, query: None
    good = small_nights.sync()
    assert good.exit_code == 0
    api.answer = lambda path, query: (400, {}) if path == ASSETS else None
    for _night in range(2):  # the rows grow older with each
        (told,) = [one for one in small_nights.sync().left_behind if one.startswith("assets")]
        assert told.startswith(f"assets keep the rows of {time_of(good.run_id):%Y-%m-%d %H:%M} UTC: ")


def test_nothing_is_published_before_anything_was_read(small_nights: Home):
    """Tables without rows would look like an API without records."""
    api = small_nights.server
    api.answer = lambda path, query: (404, {})
    for _ in range(2):
        assert small_nights.sync().exit_code == 1
        assert not small_nights.published.exists()
    with pytest.raises(UsageError, match="propsync has not synced yet"):
        archive(small_nights.settings())
    assert not small_nights.published.exists()
    api.answer = lambda path, query: None
    assert small_nights.sync().exit_code == 0
    assert small_nights.column("select count(*) from assets") == [6]


def test_each_resource_of_an_api_that_is_away_is_named_once(tmp_path: Path):
    report = AnyHome(tmp_path / "home", "http://127.0.0.1:1").sync()
    assert report.exit_code == 1
    assert [line.split(": ")[:2] for line in report.left_behind] == [
        ["assets were never read yet", "GET /properties/assets/types"],
        ["assessments were never read yet", "GET /assessments"],
        ["schedules were never read yet", "GET /assessments/schedules"],
    ]
