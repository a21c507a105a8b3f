"""An API may send an error in place of a record. propsync keeps what it knew of the record, and says so."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from kit.hint_home import property_hint
from kit.small_api import SmallHome, assessment, asset

from propsync.runbooks import read_hints
from propsync.storage import LocalStorage
from propsync.webhook.inbox import Inbox, Post

REASON = "an error in place of the record"
VALUES = "select asset_id, property_id, value_text from asset_field_values order by all"
ASSESSMENTS = "select assessment_id, property_id, status from assessments order by all"
REJECTED = """
select resource, reason, payload ->> 'id'
from ops.rejected_records where run_id = (select max(run_id) from ops.runs) order by all
"""


def _error(key: str) -> dict[str, Any]:
    return {"error": "could not be read", "id": key}


def test_a_record_that_comes_as_an_error_keeps_its_values(small_nights: SmallHome) -> None:
    home, api = small_nights, small_nights.server
    home.sync()
    values, assessments = home.rows(VALUES), home.rows(ASSESSMENTS)
    api.assets[2], api.assessments[1] = _error("a2"), _error("s1") | {"hidden": "approved"}
    for _ in range(2):
        assert home.sync().exit_code == 0
        assert home.rows(REJECTED) == [
            ("assessments", f"{REASON}; what was known of it stays", "s1"),
            ("assets", f"{REASON}; what was known of it stays", "a2"),
        ]
    assert (home.rows(VALUES), home.rows(ASSESSMENTS)) == (values, assessments)
    assert home.column("select change from history.assets where asset_id = 'a2'") == ["insert"]
    home.rebuild()
    assert (home.rows(VALUES), home.rows(ASSESSMENTS)) == (values, assessments)
    api.assets[2], api.assessments[1] = asset("a2", property="p9"), assessment("s1", status="submitted")
    home.sync()
    assert home.rows(REJECTED) == []
    assert ("a2", "p9", "door a2") in home.rows(VALUES)
    assert ("s1", "p1", "submitted") in home.rows(ASSESSMENTS)


def test_a_record_that_was_never_more_than_an_error_has_no_row(small_nights: SmallHome) -> None:
    home, api = small_nights, small_nights.server
    api.assets.append(_error("new"))
    assert home.sync().exit_code == 0
    assert home.rows(REJECTED) == [("assets", REASON, "new")]
    assert home.column("select count(*) from assets where asset_id = 'new'") == [0]


def test_a_type_that_comes_as_an_error_keeps_its_fields(small_nights: SmallHome) -> None:
    home, api = small_nights, small_nights.server
    other = {"id": "t2", "name": "Lifts", "fields": [{"id": "f2", "type": "number", "label": "Load"}]}
    api.types = [*api.types, other]
    home.sync()
    api.types = [_error("t1"), other]
    home.sync()
    assert home.column("select is_listed from asset_types") == [True, True]
    assert home.column("select label from asset_field_values group by all") == ["Name"]


def test_a_look_up_that_shows_an_error_deletes_nothing(small_nights: SmallHome) -> None:
    home, api = small_nights, small_nights.server
    home.sync()
    values = home.rows(VALUES)
    lost = api.assets.pop(2)

    def answer(path: str, query: dict[str, str]) -> tuple[int, Any] | None:
        if path == "/properties/assets" and lost["id"] in query.get("id", "").split(","):
            return 200, {"total": 1, "assets": [_error(lost["id"])], "types": api.types}
        return None

    api.answer = answer
    home.sync()
    assert home.rows(VALUES) == values
    assert home.rows("select count(*) from ops.held_deletes") == [(0,)]


def test_a_resource_of_mostly_errors_fails_and_keeps_its_rows(small_nights: SmallHome) -> None:
    home, api = small_nights, small_nights.server
    home.sync()
    values = home.rows(VALUES)
    whole = api.assets
    errors = len(whole) // 2
    api.assets = [_error(one["id"]) for one in whole[:errors]] + whole[errors:]
    assert home.sync().exit_code == 0
    api.assets[errors] = _error(whole[errors]["id"])
    report = home.sync()
    assert report.exit_code == 3
    assert "GET /properties/assets: the API sent errors in place of most records" in report.left_behind[0]
    assert home.rows(VALUES) == values


def test_a_hint_about_a_property_whose_only_asset_is_an_error_fails_nothing(small_nights: SmallHome) -> None:
    """Each look would fail until a night, and all other hints in one request with it."""
    home, api = small_nights, small_nights.server
    alone = asset("alone", property="p9")
    api.assets.append(alone)
    home.sync()
    values = home.rows(VALUES)

    def answer(path: str, query: dict[str, str]) -> tuple[int, Any] | None:
        if path == "/properties/assets" and "p9" in query.values():
            return 200, {"total": 1, "assets": [_error("alone")], "types": api.types}
        return None

    api.answer = answer
    now = datetime.now(UTC) + timedelta(hours=1)
    Inbox(LocalStorage(home.path)).add([Post(now, json.dumps([property_hint("p9")]).encode())])
    report = read_hints(home.settings(), call=home.call, policy=home.policy, now=now)
    assert report.exit_code == 0, report
    assert home.rows(VALUES) == values


def test_an_error_beside_no_records_deletes_nothing(small_nights: SmallHome) -> None:
    home, api = small_nights, small_nights.server
    home.sync()
    shown, said = api.assets[:-1], ["shard 3 timed out"]

    def answer(path: str, query: dict[str, str]) -> tuple[int, Any] | None:
        if path != "/properties/assets":
            return None
        rows = [one for one in shown if one["id"] in query.get("id", one["id"]).split(",")]
        return 200, {"total": len(rows), "assets": rows, "types": api.types, "errors": [{"message": said[0]}]}

    api.answer = answer
    report = home.sync()
    assert report.exit_code == 3
    assert "the answer has an error and no records" in report.left_behind[0]
    assert home.column("select count(*) from assets") == [6]
    said[0] = "asset not found"
    assert home.sync().exit_code == 0
    assert home.column("select asset_id from history.assets where change = 'delete'") == ["a5"]


def test_a_list_of_nothing_but_an_error_was_not_read(small_nights: SmallHome) -> None:
    home, api = small_nights, small_nights.server
    page = {"total": 0, "assets": [], "types": [], "error": "database"}
    api.answer = lambda path, _: (200, page) if path == "/properties/assets" else None
    for _ in range(2):  # the shapes are known on the second night
        report = home.sync()
        assert report.exit_code == 3
        assert report.left_behind[0].startswith("assets were never read yet: ")
        assert "the answer has an error and no records" in report.left_behind[0]


def test_an_api_may_say_in_any_language_that_it_found_nothing(small_nights: SmallHome) -> None:
    """Its assessments were never read, as nobody performed any, and its deleted assets stayed, with exit code 3."""
    home, api = small_nights, small_nights.server
    said = "Keine Treffer"

    def answer(path: str, query: dict[str, str]) -> tuple[int, Any] | None:
        page = api.body(path, query)
        if "id" in query:
            found = [one for one in api.assets if one["id"] in query["id"].split(",")]
            page |= {"total": len(found), "assets": found}
        is_empty = page.get("total") == 0 and path != "/assessments/schedules"  # which has never shown a record
        return 200, page | ({"error": said} if is_empty else {})

    api.answer = answer
    assert home.sync().exit_code == 0
    del api.assets[-1]
    said = "Datenbank: Exception 17"
    report = home.sync()
    assert report.exit_code == 3
    assert home.column("select count(*) from assets") == [6]
    said = "Keine Treffer"
    assert home.sync().exit_code == 0
    assert home.column("select asset_id from history.assets where change = 'delete'") == ["a5"]


@pytest.mark.parametrize("error", [{"error": "E17"}, {"errors": [{"code": 17}]}, {"error": True}, {"success": False}])
def test_a_bare_code_beside_no_records_deletes_nothing(small_nights: SmallHome, error: dict[str, Any]) -> None:
    """No language says with it that nothing was found."""
    home, api = small_nights, small_nights.server
    home.sync()
    del api.assets[-1]

    def answer(path: str, query: dict[str, str]) -> tuple[int, Any] | None:
        if path != "/properties/assets" or "id" not in query:
            return None
        found = [one for one in api.assets if one["id"] in query["id"].split(",")]
        page = {"total": len(found), "assets": found, "types": api.types}
        return 200, page if found else page | error

    api.answer = answer
    report = home.sync()
    assert report.exit_code == 3
    assert "the answer has an error and no records" in report.left_behind[0]
    assert home.column("select count(*) from assets") == [6]


@pytest.mark.parametrize(
    ("more", "exit_code"),
    [
        ({}, 3),
        ({"message": ""}, 3),
        ({"message": "down"}, 3),
        ({"message": "no results"}, 0),
        ({"error": "NO_RESULTS"}, 0),
        ({"status": 404, "error": True}, 0),
        ({"success": True, "error": {"code": 0, "message": "OK", "requestId": "a1", "timestamp": "2026-11-30"}}, 0),
        ({"success": True, "error": {"code": 17, "requestId": "a1"}}, 3),
    ],
)
def test_a_list_without_success_was_not_read(small_nights: SmallHome, more: dict[str, Any], exit_code: int) -> None:
    home, api = small_nights, small_nights.server
    page = {"success": False, "total": 0} | more
    api.answer = lambda path, _: (200, page) if path == "/assessments/schedules" else None
    report = home.sync()
    assert report.exit_code == exit_code
    if exit_code:
        assert report.left_behind[0].startswith("schedules were never read yet: ")


def test_a_page_after_the_last_may_have_no_content(small_nights: SmallHome) -> None:
    """Such a list has shown all that it counts. An empty look-up without a total deletes nothing."""
    home, api = small_nights, small_nights.server

    def answer(path: str, query: dict[str, str]) -> tuple[int, Any] | None:
        if path != "/properties/assets":
            return None
        found = [one for one in api.assets if one["id"] in query.get("id", one["id"]).split(",")]
        limit, page = int(query["limit"]), int(query["page"])
        rows = found[limit * (page - 1) : limit * page]
        return (200, {"total": len(found), "assets": rows, "types": api.types}) if rows else (204, b"")

    api.answer = answer
    assert home.sync(page_limit=3).exit_code == 0
    del api.assets[3:]
    report = home.sync(page_limit=3)
    assert (report.exit_code, report.resources["assets"]["verdict"]) == (3, "certified")
    assert "the API answered 204 with no content" in report.left_behind[0]
    assert home.column("select count(*) from assets") == [6]
