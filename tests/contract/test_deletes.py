"""propsync looks up each record that a complete read no longer lists; it deletes the gone, and holds too many."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from itertools import cycle, product
from pathlib import Path
from typing import Any

import pytest
from kit.estate import PATHS, Record, property_ids
from kit.home import QUICK
from kit.nights import Nights
from kit.server import Answer, Query
from kit.small_api import SmallHome, asset
from typer.testing import CliRunner
from variants import daily

from propsync.api import RetryPolicy
from propsync.cli.commands import app
from propsync.errors import TokenRefused, UsageError
from propsync.runbooks import Scope
from propsync.runs import RunLock

ASSET, ASSESSMENT = "/properties/assets", "/assessments"


def _assets(nights: Nights, count: int = 30, properties: int = 10, types: int = 3) -> list[str]:
    """Assets at several properties and types."""
    homes = property_ids(properties)
    return nights.estate.add_assets((homes[n % properties], f"t{n % types}") for n in range(count))


def _assessments(nights: Nights, count: int = 24, _properties: int = 0) -> list[str]:
    homes = property_ids(count)
    return nights.estate.add_assessments((home, "k0") for home in homes)


def _schedules(nights: Nights, count: int = 24) -> list[tuple[str, str]]:
    return nights.estate.add_schedules((home, "k0") for home in property_ids(count))


_MADE: dict[str, Any] = {"assets": _assets, "assessments": _assessments, "schedules": _schedules}


def _looked_up(nights: Nights, resource: str) -> list[list[str]]:
    """The ids that each look-up asked for."""
    name = {"assets": "id", "assessments": "assessment"}[resource]
    return [one.words(name) for one in nights.estate.asked(resource, **{name: ""})]


def _hide(nights: Nights, resource: str, *hidden: Any) -> None:
    """From now on lists leave these records out; look-ups show them."""
    lists = nights.estate.lists
    ids = {"assets": "id", "assessments": "assessment", "schedules": "property"}[resource]

    def shown(path: str, query: Query) -> list[Record]:
        rows = lists(path, query)
        if path != PATHS[resource] or ids in query:
            return rows
        keys = [(one["property"], one["type"]) if resource == "schedules" else one["id"] for one in rows]
        return [one for key, one in zip(keys, rows, strict=True) if key not in hidden]

    nights.estate.lists = shown  # type: ignore[method-assign]  # what these tests are about


# --- missing, looked up, gone -------------------------------------------------------------------------------------


def test_what_is_gone_is_looked_up_and_then_goes(nights: Nights) -> None:
    assets, assessments, schedules = _assets(nights), _assessments(nights), _schedules(nights)
    nights.first_night()
    del nights.estate.assets[assets[0]], nights.estate.assessments[assessments[0]]
    del nights.estate.schedules[schedules[0]]
    report = nights.sync()
    assert report.exit_code == 0
    assert [report.resources[name]["deleted"] for name in PATHS] == [1, 1, 1]
    assert [name for name in PATHS if not nights.is_truth(name)] == []
    assert nights.changes("assets", assets[0]) == ["insert", "delete"]
    assert nights.changes("assessments", assessments[0]) == ["insert", "delete"]
    assert nights.changes("schedules", schedules[0][0]) == ["insert", "delete"]
    alone, controls, confirmed = _looked_up(nights, "assets")
    assert alone == confirmed == [assets[0]]
    assert 0 < len(controls) <= 3
    assert {*controls} <= {*assets[1:]}
    assert nights.estate.asked("schedules", property=schedules[0][0])
    last = nights.rows(f"select payload is not null from history.assets where asset_id = '{assets[0]}'")
    assert last == [(True,), (True,)]


@pytest.mark.slow
def test_look_ups_ask_for_all_statuses_both_lists_and_flags(nights: Nights) -> None:
    keys = _assessments(nights)
    nights.first_night(assessment_statuses="approved")
    del nights.estate.assessments[keys[0]]
    nights.sync(assessment_statuses="approved")
    asked, _ = nights.estate.asked("assessments", assessment=keys[0])
    assert set(asked.words("status")) == {"inprogress", "submitted", "approved"}
    assert set(asked.words("performed")) == {"For", "By"}
    assert asked.query["includeflags"] == "true"


def test_a_record_that_returns_opens_an_insert_after_its_tombstone(nights: Nights) -> None:
    keys = _assets(nights)
    nights.first_night()
    lost = nights.estate.assets.pop(keys[0])
    assert nights.sync().exit_code == 0
    nights.estate.assets[keys[0]] = lost
    assert nights.sync().exit_code == 0
    assert nights.is_truth("assets")
    assert nights.changes("assets", keys[0]) == ["insert", "delete", "insert"]
    moments = nights.rows(f"select valid_from from history.assets where asset_id = '{keys[0]}' order by 1")
    counts = [
        nights.rows(f"select count(*) from assets_as_of('{moment}') where asset_id = '{keys[0]}'")[0][0]
        for (moment,) in moments
    ]
    assert counts == [1, 0, 1]


@pytest.mark.costly
@pytest.mark.parametrize("resource", PATHS)
def test_what_a_list_leaves_out_and_a_look_up_finds_stays_and_is_merged(nights: Nights, resource: str) -> None:
    made = _MADE[resource](nights)
    nights.first_night()
    _hide(nights, resource, made[0])
    getattr(nights.estate, resource)[made[0]]["description"] = "changed"
    report = nights.sync()
    assert report.exit_code == 0
    assert (report.resources[resource]["deleted"], report.resources[resource]["updated"]) == (0, 1)
    assert nights.is_truth(resource)


@pytest.mark.parametrize("resource", ["assets", "assessments"])
def test_one_empty_look_up_alone_deletes_nothing(nights: Nights, resource: str) -> None:
    (lost, *_) = _MADE[resource](nights)
    nights.first_night()
    _hide(nights, resource, lost)
    shown, empty = nights.estate.lists, [True]

    def lagging(path: str, query: Query) -> list[Record]:
        ids = {"assets": "id", "assessments": "assessment"}[resource]
        return [] if query.get(ids) == lost and empty and empty.pop() else shown(path, query)

    nights.estate.lists = lagging  # type: ignore[method-assign]  # one answer comes from a server that lags behind
    report = nights.sync()
    assert not empty
    assert (report.exit_code, report.resources[resource]["deleted"]) == (0, 0)
    assert nights.is_truth(resource)


@pytest.mark.parametrize("resource", ["assets", "assessments"])
def test_look_ups_that_contradict_the_lists_are_asked_more_often(nights: Nights, resource: str) -> None:
    """The lists come from a server that lags behind, and so do five answers about one of its new records."""
    (lost, found, gone, *_) = _MADE[resource](nights)
    nights.first_night()
    _hide(nights, resource, lost, found)
    del getattr(nights.estate, resource)[gone]
    shown, empty = nights.estate.lists, [True] * 5

    def lagging(path: str, query: Query) -> list[Record]:
        asked = query.get({"assets": "id", "assessments": "assessment"}[resource], "")
        rows = shown(path, query)
        return [one for one in rows if one["id"] != lost] if lost in asked and empty and empty.pop() else rows

    nights.estate.lists = lagging  # type: ignore[method-assign]  # as above
    report = nights.sync()
    assert not empty
    assert (report.exit_code, report.resources[resource]["deleted"]) == (0, 1)
    assert nights.is_truth(resource)


def test_one_answer_that_shows_no_schedule_deletes_nothing(nights: Nights) -> None:
    """No list shows a completed schedule, and the first answer to its own request comes from a server that lags."""
    (done, *_) = _schedules(nights)
    nights.first_night()
    nights.estate.schedules[done]["status"] = "completed"
    late = [404]
    own = f"{PATHS['schedules']}/{'/'.join(done)}"
    nights.estate.answer = lambda path, _: (late.pop(), {}) if path == own and late else None
    report = nights.sync()
    assert not late
    assert (report.exit_code, report.resources["schedules"]["deleted"]) == (0, 0)
    assert nights.is_truth("schedules")


@pytest.mark.parametrize("status", [400, 404])
def test_a_refusal_of_several_ids_is_no_look_up_that_shows_none(nights: Nights, status: int) -> None:
    hidden = _assets(nights)[:2]
    nights.first_night()
    _hide(nights, "assets", *hidden)
    shown, late = nights.estate.lists, set(hidden)

    def lagging(path: str, query: Query) -> list[Record]:
        if query.get("id") in late:
            late.remove(query["id"])
            return []
        return shown(path, query)

    nights.estate.lists = lagging  # type: ignore[method-assign]  # the first answer about each is too old
    nights.estate.answer = lambda path, query: (status, {"code": "TooMany"}) if "," in query.get("id", "") else None
    report = nights.sync()
    assert not late
    assert (report.exit_code, report.resources["assets"]["deleted"]) == (0, 0)
    assert nights.is_truth("assets")


def test_an_asset_that_moved_is_an_update(nights: Nights) -> None:
    keys = _assets(nights)
    nights.first_night()
    nights.estate.assets[keys[0]] |= {"property": "elsewhere", "type": "t1"}
    report = nights.sync()
    assert (report.resources["assets"]["updated"], report.resources["assets"]["deleted"]) == (1, 0)
    assert nights.rows(f"select property_id, asset_type_id from assets where asset_id = '{keys[0]}'") == [
        ("elsewhere", "t1")
    ]


@pytest.mark.slow
def test_a_found_assessment_keeps_the_lists_that_it_is_on(nights: Nights) -> None:
    keys = _assessments(nights)
    nights.estate.performed = {keys[0]: "For", keys[1]: "By"}
    nights.first_night()
    _hide(nights, "assessments", *keys[:3])
    nights.estate.performed = {keys[0]: "By", keys[1]: "By"}
    assert nights.sync().exit_code == 0
    shown = nights.rows("select performed_for, performed_by, count(*) from assessments group by all order by all")
    assert shown == [(False, True, 2), (True, True, 22)]


@pytest.mark.slow
@pytest.mark.parametrize("told", daily(["404", "400", "null"], 1))
def test_an_assessment_on_one_list_is_found_where_the_other_list_says_not_found(nights: Nights, told: str) -> None:
    """Each list says so where it has none of the ids asked for, or not all of them."""
    keys = _assessments(nights)
    nights.estate.performed = {keys[0]: "For", keys[1]: "By"}
    nights.first_night()
    _hide(nights, "assessments", *keys[:2])

    def answer(path: str, query: Query) -> Answer | None:
        asked = query.get("assessment", "").split(",")
        is_short = path == ASSESSMENT and "assessment" in query and len(nights.estate.lists(path, query)) < len(asked)
        return _NOT_FOUND[told] if is_short else None

    nights.estate.answer = answer
    report = nights.sync()
    assert (report.exit_code, report.left_behind) == (0, [])
    shown = nights.rows("select performed_for, performed_by, count(*) from assessments group by all order by all")
    assert shown == [(False, True, 1), (True, False, 1), (True, True, 22)]


def test_an_assessment_that_is_found_on_no_list_keeps_those_that_it_was_on(nights: Nights) -> None:
    """A cache answers for `By` with the list of `For`."""
    keys = _assessments(nights)
    nights.estate.performed = {key: ("For", "By")[n % 2] for n, key in enumerate(keys)}
    nights.first_night()
    lists = nights.estate.lists
    nights.estate.lists = lambda path, query: lists(  # type: ignore[method-assign]  # what this test is about
        path, query | ({"performed": "For"} if query.get("performed") == "By" else {})
    )
    report = nights.sync()
    assert report.exit_code == 3
    assert nights.held("assessments") == set(keys[1::2])
    by = "select assessment_id from assessments where performed_by and not performed_for order by 1"
    assert nights.column(by) == keys[1::2]


# --- statuses that nobody asks for --------------------------------------------------------------------------------


@pytest.mark.costly
@pytest.mark.parametrize(
    ("report", "rows", "exit_code"),
    daily([(200, [(None,)], 0), (404, [], 0), (403, [], 0), (500, [("approved",)], 3)], 2, is_row=True),
)
def test_an_assessment_that_no_list_shows_goes_by_its_report(
    nights: Nights, report: int, rows: list[tuple[str | None]], exit_code: int
) -> None:
    keys = _assessments(nights)
    nights.first_night()
    nights.estate.assessments[keys[0]]["status"] = "archived"
    nights.estate.reports[keys[0]] = report
    assert nights.sync().exit_code == exit_code
    status = f"select status from assessments where assessment_id = '{keys[0]}'"
    assert nights.rows(status) == rows
    issues = nights.rows(f"select count(*) from ops.value_issues where record_id = '{keys[0]}'")
    assert issues == [(int(report == 200),)]
    assert nights.held("assessments") == ({keys[0]} if report == 500 else set())


def test_a_401_for_reports_alone_stops_no_night(nights: Nights) -> None:
    keys = _assessments(nights)
    nights.first_night()
    del nights.estate.assessments[keys[0]]
    nights.estate.reports[keys[0]] = 401
    assert nights.sync().exit_code == 0
    assert nights.is_truth("assessments")


def test_a_token_that_expires_before_a_report_stops_the_run(nights: Nights) -> None:
    keys = _assessments(nights)
    nights.first_night()
    del nights.estate.assessments[keys[0]]
    is_expired: list[str] = []

    def answer(path: str, query: Query) -> Answer | None:
        is_expired.extend([path] if path.endswith("report.pdf") else [])
        return (401, {}) if is_expired else None

    nights.estate.answer = answer
    with pytest.raises(TokenRefused):
        nights.sync()


def test_reports_that_fail_alike_hold_the_deletes_for_one_reason(nights: Nights) -> None:
    keys = _assessments(nights)
    nights.first_night()
    for key in keys[:8]:
        del nights.estate.assessments[key]
        nights.estate.reports[key] = 500
    nights.policy = RetryPolicy(attempts=2, base=1.0, rng=cycle([0.0, 0.6]).__next__)
    assert nights.sync().exit_code == 3
    ((reason, count),) = nights.rows("select reason, count(*) from ops.held_deletes group by all")
    assert reason.startswith("propsync does not know whether its report exists: the API answered 500")
    assert count == 8


def test_a_page_in_place_of_a_report_holds_the_delete(nights: Nights) -> None:
    """Some servers answer each unknown address with their start page."""
    keys = _assessments(nights)
    nights.first_night()
    del nights.estate.assessments[keys[0]]
    nights.estate.answer = lambda path, query: (200, b"<!doctype html>") if path.endswith("report.pdf") else None
    assert nights.sync().exit_code == 3
    assert nights.rows(f"select status from assessments where assessment_id = '{keys[0]}'") == [("approved",)]
    assert nights.held("assessments") == {keys[0]}


@pytest.mark.release
def test_an_assessment_in_a_status_nobody_knows_stays_until_it_is_found_or_gone(nights: Nights) -> None:
    keys = _assessments(nights)
    nights.first_night()
    for key in keys[:2]:
        nights.estate.assessments[key]["status"] = "archived"
        nights.estate.reports[key] = 200
    for updated in (2, 0):
        report = nights.sync()
        assert report.exit_code == 0
        counts = report.resources["assessments"]
        assert (counts["updated"], counts["unchanged"]) == (updated, len(keys) - 2)
        assert nights.changes("assessments", keys[0]) == ["insert", "update"]
    nights.estate.assessments[keys[0]]["status"] = "approved"
    del nights.estate.assessments[keys[1]], nights.estate.reports[keys[1]]
    assert nights.sync().exit_code == 0
    assert nights.is_truth("assessments")
    assert nights.rows(f"select status from assessments where assessment_id = '{keys[0]}'") == [("approved",)]
    assert nights.changes("assessments", keys[1]) == ["insert", "update", "delete"]
    assert nights.rows("select count(*) from ops.value_issues") == [(0,)]


@pytest.mark.parametrize(("count", "limit"), [(24, 0.02), (24, 1), (6, 0.02), (110, 0.02)])
def test_lists_that_suddenly_show_nothing_move_no_assessment_to_a_status_nobody_knows(
    nights: Nights, count: int, limit: float
) -> None:
    keys = _assessments(nights, count)
    nights.first_night()
    known = nights.known("assessments")
    kept = {**nights.estate.assessments}
    nights.estate.assessments.clear()
    nights.estate.reports.update(dict.fromkeys(keys, 200))
    report = nights.sync(delete_limit=limit)
    assert report.exit_code == 3
    assert "reports of some exist" in report.left_behind[0]
    assert nights.rows("select count(distinct reason) from ops.held_deletes") == [(1,)]
    assert (nights.known("assessments"), nights.held("assessments")) == (known, {*keys})
    nights.estate.assessments.update(kept)
    assert nights.sync().exit_code == 0
    assert (nights.is_truth("assessments"), nights.held("assessments")) == (True, set())
    assert nights.changes("assessments", keys[0]) == ["insert"]


@pytest.mark.slow
def test_lists_that_leave_out_many_move_no_assessment_to_a_status_nobody_knows(nights: Nights) -> None:
    keys = _assessments(nights)
    nights.first_night()
    known, kept = nights.known("assessments"), {**nights.estate.assessments}
    for key in keys[2:]:
        del nights.estate.assessments[key]
        nights.estate.reports[key] = 200
    report = nights.sync()
    assert report.exit_code == 3
    why = f"no list shows {len(keys) - 2} of {len(keys)} known records, but reports of some exist"
    assert why in report.left_behind[0]
    assert (nights.known("assessments"), nights.held("assessments")) == (known, {*keys[2:]})
    assert nights.sync(accept=report.run_id).exit_code == 0
    assert nights.rows("select count(*) from assessments where status is null") == [(len(keys) - 2,)]
    nights.estate.assessments.update(kept)
    assert nights.sync().exit_code == 0
    assert nights.is_truth("assessments")


@pytest.mark.release
def test_somebody_may_accept_that_all_assessments_have_a_status_nobody_knows(nights: Nights) -> None:
    keys = _assessments(nights)
    nights.first_night()
    for key in keys:
        nights.estate.assessments[key]["status"] = "archived"
        nights.estate.reports[key] = 200
    held = nights.sync()
    assert held.exit_code == 3
    assert nights.sync(accept=held.run_id).exit_code == 0
    assert nights.rows("select distinct status from assessments") == [(None,)]
    assert nights.held("assessments") == set()


@pytest.mark.costly
@pytest.mark.parametrize("is_set", [False, True])
def test_a_schedule_in_an_unlisted_status_is_found_alone_and_its_status_is_asked_from_then_on(
    nights: Nights, is_set: bool
) -> None:
    settings = {"schedule_statuses": "notstarted,inprogress"} if is_set else {}
    keys = _schedules(nights)
    nights.first_night(**settings)
    nights.estate.schedules[keys[0]]["status"] = "overdue"
    assert nights.sync(**settings).exit_code == 0
    assert nights.is_truth("schedules")
    assert nights.rows(f"select status from schedules where property_id = '{keys[0][0]}'") == [("overdue",)]
    seen = "select name from ops.schema_changes where resource = 'schedules' and change = 'status seen'"
    assert nights.rows(seen) == [("overdue",)]
    nights.estate.add_schedules([("another", "k1")], "overdue")
    assert nights.sync(**settings).exit_code == 0
    swept = {
        status
        for one in nights.estate.asked("schedules", page="1")
        for status in one.words("status")
        if "property" not in one.query
    }
    assert ("overdue" in swept) is not is_set
    assert (("another", "k1") in nights.known("schedules")) is not is_set
    assert keys[0] in nights.known("schedules")


@pytest.mark.release
def test_assessments_that_leave_the_statuses_asked_for_are_found_and_kept(nights: Nights) -> None:
    keys = _assessments(nights)
    nights.first_night(assessment_statuses="approved")
    nights.estate.assessments[keys[0]]["status"] = "submitted"
    for _ in range(2):
        report = nights.sync(assessment_statuses="approved")
        assert (report.exit_code, report.resources["assessments"]["deleted"]) == (0, 0)
        assert nights.is_truth("assessments")
    nights.estate.assessments[keys[0]]["status"] = "inprogress"
    assert nights.sync(assessment_statuses="approved").exit_code == 0
    assert nights.rows(f"select status from assessments where assessment_id = '{keys[0]}'") == [("inprogress",)]
    del nights.estate.assessments[keys[0]]
    assert nights.sync(assessment_statuses="approved").exit_code == 0
    assert nights.is_truth("assessments")


# --- how an API says that something is not found ------------------------------------------------------------------

_NOT_FOUND = {
    "404": (404, {}),
    "410": (410, {}),
    "400": (400, {"code": "PropertyAssetNotFound"}),
    "null": (200, None),
    "{}": (200, {}),
}


@pytest.mark.costly
@pytest.mark.parametrize("count", [1, len(_NOT_FOUND)])
def test_not_found_is_believed_of_one_id_only(nights: Nights, count: int) -> None:
    """Asked for several of which any is gone, the API says not found; the others among them are still there.

    It says so of each gone asset in another way.
    """
    keys = _assets(nights)
    nights.first_night()
    ways = dict(zip(keys[:count], _NOT_FOUND.values(), strict=False))
    for key in ways:
        del nights.estate.assets[key]
    _hide(nights, "assets", *keys[count : count + 3])

    def answer(path: str, query: Query) -> Answer | None:
        asked = query.get("id", keys[-1]).split(",") if path == ASSET else []
        return next((ways[key] for key in asked if key in ways), None)

    nights.estate.answer = answer
    report = nights.sync()
    assert (report.exit_code, report.resources["assets"]["deleted"]) == (0, count)
    assert nights.is_truth("assets")


def test_a_schedule_is_gone_however_its_absence_is_told(nights: Nights) -> None:
    keys = _schedules(nights)
    nights.first_night()
    ways: dict[str, Answer] = {"/".join(key): way for key, way in zip(keys, _NOT_FOUND.values(), strict=False)}
    bare = dict(zip(("property", "type"), keys[len(ways)], strict=True))
    ways["/".join(keys[len(ways)])] = (200, bare | {"status": None, "dueDate": None, "assignedUsers": []})
    for key in keys[: len(ways)]:
        del nights.estate.schedules[key]
    nights.estate.answer = lambda path, query: ways.get("/".join(path.split("/")[-2:]))
    report = nights.sync()
    assert (report.exit_code, report.resources["schedules"]["deleted"]) == (0, len(ways))
    assert nights.is_truth("schedules")


@pytest.mark.parametrize(
    "answer",
    daily([(500, {}), (403, {}), (400, {"code": "No"}), (200, []), (200, b"<p>"), (200, "gone")], 3),
)
def test_any_other_answer_deletes_no_schedule(nights: Nights, answer: Answer) -> None:
    keys = _schedules(nights)
    nights.first_night()
    lost = nights.estate.schedules.pop(keys[0])
    nights.estate.answer = lambda path, query: answer if path.endswith("/".join(keys[0])) else None
    assert nights.sync().exit_code == 3
    assert nights.known("schedules") == nights.estate.schedules | {keys[0]: lost}
    assert nights.held("schedules") == {"/".join(keys[0])}


def test_a_fault_in_place_of_a_schedule_is_repeated(nights: Nights) -> None:
    keys = _schedules(nights)
    nights.first_night()
    del nights.estate.schedules[keys[0]]
    faults = iter([(200, {"error": {"code": 500, "message": "database timeout"}})])
    nights.estate.answer = lambda path, query: next(faults, None) if path.endswith("/".join(keys[0])) else None
    report = nights.sync()
    assert (report.exit_code, report.resources["schedules"]["deleted"], next(faults, None)) == (0, 1, None)


def test_a_fault_in_place_of_each_schedule_is_not_repeated_for_all_of_them(nights: Nights) -> None:
    """Each costs half a minute of waiting, and a night may look up a thousand."""
    keys = _schedules(nights, 40)
    nights.first_night()
    gone = {"/".join(key) for key in keys[:20]}
    for key in keys[:20]:
        del nights.estate.schedules[key]
    fault = (200, {"error": {"code": 500, "message": "database timeout"}})
    nights.estate.answer = lambda path, query: fault if "/".join(path.split("/")[-2:]) in gone else None
    report = nights.sync(max_concurrency=1)
    assert (report.exit_code, nights.held("schedules")) == (3, gone)
    assert report.resources["schedules"]["retries"] == 8 * (QUICK.attempts - 1)


@pytest.mark.parametrize(
    "answer", daily([(500, {}), (403, {}), (400, {"code": "No"}), (200, []), (200, {"total": 1})], 2)
)
def test_any_other_answer_deletes_no_asset(nights: Nights, answer: Answer) -> None:
    keys = _assets(nights)
    nights.first_night()
    lost = nights.estate.assets.pop(keys[0])
    nights.estate.answer = lambda path, query: answer if "id" in query else None
    assert nights.sync().exit_code == 3
    assert nights.known("assets") == nights.estate.assets | {keys[0]: lost}
    assert nights.held("assets") == {keys[0]}


_ERRORS: list[tuple[str, str, Answer]] = [
    ("assets", "/properties/assets", (400, {"code": "No"})),
    ("assessments", "report.pdf", (500, {})),
    ("assessments", "report.pdf", (200, b"<!doctype html>")),
    ("schedules", "/k0", (500, {})),
    ("schedules", "/k0", (400, {"code": "No"})),
    ("schedules", "/k0", (200, b"<p>")),
]


@pytest.mark.costly
@pytest.mark.parametrize(("resource", "path", "answer"), daily(_ERRORS, 3, is_row=True))
def test_somebody_may_accept_deletes_where_the_api_answers_with_an_error_each_time(
    nights: Nights, resource: str, path: str, answer: Answer
) -> None:
    """Otherwise each night would hold them again, and end with exit code 3."""
    keys = _MADE[resource](nights)
    nights.first_night()
    del getattr(nights.estate, resource)[keys[0]]
    nights.estate.answer = lambda of, query: (
        answer if of.endswith(path) and (resource != "assets" or keys[0] in query.get("id", "")) else None
    )
    held = nights.sync()
    assert (held.exit_code, len(nights.held(resource))) == (3, 1)
    assert nights.sync(accept=held.run_id).exit_code == 0
    assert nights.is_truth(resource)


# --- look-ups that do not count -----------------------------------------------------------------------------------


@pytest.mark.costly
@pytest.mark.parametrize(
    ("resource", "count"),
    daily([("assets", 1), ("assets", 12), ("assessments", 1), ("assessments", 12)], 2, is_row=True),
)
def test_a_server_that_ignores_ids_deletes_nothing_and_is_told_of(nights: Nights, resource: str, count: int) -> None:
    made = _MADE[resource](nights)
    nights.sync()
    known = nights.known(resource)
    nights.estate.ignored = {"id", "assessment"}
    for key in made[:count]:
        del getattr(nights.estate, resource)[key]
    report = nights.sync()
    assert report.exit_code == 3
    assert "ignores the id" in report.left_behind[0]
    assert nights.known(resource) == known
    assert len(_looked_up(nights, resource)) <= 4


@pytest.mark.parametrize("resource", ["assets", "assessments", "schedules"])
def test_look_ups_that_find_nothing_at_all_delete_nothing_and_are_told_of(nights: Nights, resource: str) -> None:
    made = _MADE[resource](nights)
    nights.sync()
    known = nights.known(resource)
    _hide(nights, resource, *made[:2])
    lists = nights.estate.lists
    nights.estate.lists = (  # type: ignore[method-assign]  # what this test is about
        lambda path, query: [] if {"id", "assessment", "property"} & {*query} else lists(path, query)
    )
    nights.estate.answer = lambda path, query: (404, {}) if path.startswith(f"{PATHS['schedules']}/") else None
    report = nights.sync()
    assert report.exit_code == 3
    assert "not even known records" in report.left_behind[0]
    assert report.left_behind[0].count("GET ") == 1
    assert nights.known(resource) == known
    assert len(nights.held(resource)) == 2
    assert nights.sync(accept=report.run_id).exit_code == 0
    assert nights.known(resource).keys() == known.keys() - {*made[:2]}
    assert not nights.held(resource)


def _others(rows: list[Record]) -> Any:
    return {"total": len(rows) + 1, "assets": [*rows, {"id": "other", "type": "t0", "property": "p"}], "types": []}


_WRONG: dict[str, Callable[[list[Record]], Any]] = {
    "another record": _others,
    "a record twice": lambda rows: {"total": 2 * len(rows), "assets": [*rows, *rows], "types": []},
    "a total too large": lambda rows: {"total": len(rows) + 1, "assets": rows, "types": []},
    "a total too small": lambda rows: {"total": max(0, len(rows) - 1), "assets": rows, "types": []},
}


@pytest.mark.parametrize("wrong", daily(_WRONG, 2))
def test_a_look_up_that_does_not_add_up_deletes_nothing_that_is_there(nights: Nights, wrong: str) -> None:
    keys = _assets(nights)
    nights.first_night()
    _hide(nights, "assets", *keys[:3])
    nights.estate.answer = lambda path, query: (
        (200, _WRONG[wrong](nights.estate.lists(path, query))) if path == ASSET and "id" in query else None
    )
    assert nights.sync().exit_code == 3
    assert nights.known("assets").keys() == set(keys)
    assert nights.held("assets") == set(keys[:3])
    assert len(_looked_up(nights, "assets")) <= 8


@pytest.mark.parametrize("is_shown", [False, True])
def test_somebody_may_accept_deletes_where_each_total_is_one_too_high(nights: Nights, is_shown: bool) -> None:
    keys = _assets(nights)
    nights.first_night()
    gone = {*keys[:2]}
    if is_shown:  # only the lists omit them
        _hide(nights, "assets", *gone)
    else:
        for key in gone:
            del nights.estate.assets[key]
    nights.estate.answer = lambda path, query: (
        (200, _WRONG["a total too large"](nights.estate.lists(path, query)))
        if path == ASSET and "id" in query
        else None
    )
    held = nights.sync()
    assert (held.exit_code, nights.held("assets")) == (3, gone)
    assert nights.sync(accept=held.run_id).exit_code == (3 if is_shown else 0)
    assert nights.known("assets").keys() == {*keys} - (set() if is_shown else gone)


@pytest.mark.release
@pytest.mark.costly
@pytest.mark.parametrize("page", [7, 1000])
def test_look_ups_ask_a_page_of_ids_at_most_in_addresses_that_servers_take(nights: Nights, page: int) -> None:
    keys = _assets(nights, 300, 300)
    nights.first_night(page_limit=1000)
    for key in keys[:140]:
        del nights.estate.assets[key]
    assert nights.sync(page_limit=page, delete_limit=0.9).exit_code == 0
    assert nights.is_truth("assets")
    asked = _looked_up(nights, "assets")
    together, alone = [one for one in asked if len(one) > 1], [one for one in asked if len(one) == 1]
    assert (sum(map(len, together)), len(alone)) == (140, 51)  # one is listed, which shows that look-ups work
    assert max(map(len, asked)) <= page
    assert max(one.length for one in nights.estate.requests) < 4000
    assert len(together) <= max(2, 140 // page)


# --- held, until somebody accepts it ------------------------------------------------------------------------------


def _lose_two_thirds(nights: Nights) -> tuple[list[str], str]:
    """150 assets of which the server suddenly shows 50; returns those lost, and the run that held them."""
    keys = _assets(nights, 150, 50, 10)
    nights.first_night()
    for key in keys[50:]:
        del nights.estate.assets[key]
    report = nights.sync()
    assert report.exit_code == 3
    return keys[50:], report.run_id


def _status(nights: Nights, monkeypatch: pytest.MonkeyPatch) -> str:
    """What `propsync status` says."""
    for name, value in nights.environ().items():
        monkeypatch.setenv(name, value)
    return CliRunner().invoke(app, ["status"]).output


@pytest.mark.slow
def test_a_server_that_suddenly_lists_a_third_deletes_nothing_and_is_told_of(
    nights: Nights, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost, run_id = _lose_two_thirds(nights)
    assert len(nights.known("assets")) == 150
    assert nights.held("assets") == set(lost)
    assert nights.rows("select distinct run_id, resource from ops.held_deletes") == [(run_id, "assets")]
    told = _status(nights, monkeypatch)
    assert "Held: 100 of the assets" in told
    assert told.endswith(f"--accept-deletes {run_id}\n")
    lock = RunLock(nights.path / "state" / "run.lock")
    with pytest.raises(TokenRefused), lock.held("propsync nightly", 0):
        raise TokenRefused("GET /properties/assets", "the API answered 401")
    assert _status(nights, monkeypatch).endswith("Next: propsync doctor, then propsync sync\n")
    assert sum(map(len, _looked_up(nights, "assets"))) <= 153


@pytest.mark.slow
def test_what_was_held_is_judged_afresh_the_next_night(nights: Nights) -> None:
    lost, _ = _lose_two_thirds(nights)
    known = nights.known("assets")
    report = nights.sync()
    assert report.exit_code == 3
    assert nights.rows("select distinct run_id from ops.held_deletes") == [(report.run_id,)]
    nights.estate.assets |= {key: known[key] for key in lost[5:]}
    assert nights.sync().exit_code == 0
    assert nights.held("assets") == set()
    assert nights.is_truth("assets")


@pytest.mark.slow
def test_accepting_a_run_applies_those_of_its_list_that_are_still_gone(nights: Nights) -> None:
    lost, run_id = _lose_two_thirds(nights)
    known = nights.known("assets")
    kept = list(nights.estate.assets)
    nights.estate.assets[lost[0]] = known[lost[0]]
    del nights.estate.assets[kept[0]]
    report = nights.sync(accept=run_id)
    assert (report.exit_code, report.resources["assets"]["deleted"]) == (0, 100)
    assert nights.is_truth("assets")
    assert nights.held("assets") == set()
    assert nights.changes("assets", lost[0]) == ["insert"]


@pytest.mark.slow
def test_accepting_a_run_takes_no_other_record_that_is_missing(nights: Nights) -> None:
    _, run_id = _lose_two_thirds(nights)
    others = list(nights.estate.assets)[:30]
    for key in others:
        del nights.estate.assets[key]
    report = nights.sync(accept=run_id)
    assert (report.exit_code, report.resources["assets"]["deleted"]) == (3, 100)
    assert nights.known("assets").keys() == {*nights.estate.assets, *others}
    assert nights.held("assets") == set(others)


@pytest.mark.release
def test_a_run_can_be_accepted_after_another_held_the_same(nights: Nights) -> None:
    _, run_id = _lose_two_thirds(nights)
    assert nights.sync().exit_code == 3
    assert nights.sync(accept=run_id).exit_code == 0
    assert nights.is_truth("assets")


@pytest.mark.parametrize("run", ["20990101T000000000000Z", "nonsense", "../../x", "first"])
def test_accepting_a_run_that_held_nothing_does_nothing(nights: Nights, run: str) -> None:
    _assets(nights)
    nights.first_night()
    ((first,),) = before = nights.rows("select run_id from ops.runs")
    with pytest.raises(UsageError) as refused:
        nights.sync(accept=first if run == "first" else run)
    assert refused.value.exit_code == 2
    assert nights.rows("select run_id from ops.runs") == before
    assert nights.estate.requests == []


@pytest.mark.slow
@pytest.mark.costly
@pytest.mark.parametrize(("of", "count", "exit_code"), [("property", 25, 3), ("type", 25, 3), ("property", 20, 0)])
def test_everything_of_a_property_or_a_type_is_held_where_it_had_more_than_twenty(
    nights: Nights, of: str, count: int, exit_code: int
) -> None:
    _assets(nights, 60, 20, 3)
    homes = property_ids(count + 30)[30:]
    places = [("home", f"t{n % 3}") if of == "property" else (homes[n], "t9") for n in range(count)]
    keys = nights.estate.add_assets(places)
    nights.first_night()
    for key in keys:
        del nights.estate.assets[key]
    assert nights.sync(delete_limit=0.9).exit_code == exit_code
    assert nights.held("assets") == (set(keys) if exit_code else set())


@pytest.mark.parametrize("resource", ["assessments", "schedules"])
@pytest.mark.parametrize(("count", "exit_code"), [(21, 3), (20, 0)])
def test_everything_of_a_status_is_held_where_it_had_more_than_twenty(
    nights: Nights, resource: str, count: int, exit_code: int
) -> None:
    """A token that lost the right to see a status shows none of it in lists and look-ups, and no report."""
    _MADE[resource](nights, 60)
    add = nights.estate.add_assessments if resource == "assessments" else nights.estate.add_schedules
    lost = add([(home, "k1") for home in property_ids(count)], "inprogress")
    nights.first_night()
    for key in lost:
        del getattr(nights.estate, resource)[key]
    report = nights.sync(delete_limit=0.9)
    assert (report.exit_code, report.resources[resource]["deleted"]) == (exit_code, 0 if exit_code else count)


@pytest.mark.parametrize(("lists", "exit_code"), [("By", 3), ("For,By", 0)])
def test_everything_that_one_list_alone_shows_is_held(nights: Nights, lists: str, exit_code: int) -> None:
    """A token may lose the right to see what the organisation produced, in lists, look-ups and reports."""
    estate = nights.estate
    for key in _assessments(nights, 60):
        estate.performed[key] = "For"
    lost = estate.add_assessments((home, "k0") for home in property_ids(21))
    estate.performed |= dict.fromkeys(lost, lists)
    nights.first_night()
    for key in lost:
        del estate.assessments[key]
    assert nights.sync(delete_limit=0.9).exit_code == exit_code
    reasons = {reason for (reason,) in nights.rows("select reason from ops.held_deletes")}
    assert reasons == ({"this would delete all 21 records of performed By"} if exit_code else set())


@pytest.mark.parametrize("count", [15, 30])
@pytest.mark.parametrize("resource", list(_MADE))
def test_the_token_of_another_organisation_is_named(nights: Nights, resource: str, count: int) -> None:
    _MADE[resource](nights, count)
    nights.first_night()
    records = getattr(nights.estate, resource)
    ours = list(records.values())
    records.clear()
    for number, one in enumerate(ours):
        other = one | {"id": f"o{number}", "property": f"elsewhere {number}"}
        records[(other["property"], one["type"]) if resource == "schedules" else other["id"]] = other
    assert nights.sync(delete_limit=0.9).exit_code == 3
    ((reason, held),) = nights.rows("select reason, count(*) from ops.held_deletes group by all")
    assert ("PROPSYNC_TOKEN" in reason, held) == (True, count)


def test_a_list_that_shows_nothing_takes_no_record_that_the_other_still_shows(nights: Nights) -> None:
    """A token may lose the right to what the organisation produced: the rest of it was produced for it as well."""
    keys = _assessments(nights, 30)
    nights.first_night()
    nights.estate.performed = dict.fromkeys(keys, "For")
    report = nights.sync()
    assert (report.exit_code, report.resources["assessments"]["verdict"]) == (3, "incomplete")
    by = "select count(*) from assessments where performed_for and performed_by"
    assert nights.column(by) == [30]
    assert nights.sync(delete_limit=1).exit_code == 0  # somebody knows that the API is right
    assert nights.column(by) == [0]


@pytest.mark.parametrize("ignored", [("For", "By"), ("By",)])
def test_a_filter_that_the_server_ignores_from_one_night_on_puts_no_record_on_both_lists(
    nights: Nights, ignored: tuple[str, ...]
) -> None:
    keys = _assessments(nights, 60)
    nights.estate.performed = {key: ("For", "By")[n % 2] for n, key in enumerate(keys)}
    nights.first_night()
    both = "select count(*) from assessments where performed_for and performed_by"
    lists = nights.estate.lists
    nights.estate.lists = lambda path, query: lists(  # type: ignore[method-assign]  # what this test is about
        path, query | ({"performed": "For,By"} if query.get("performed") in ignored else {})
    )
    report = nights.sync()
    assert (report.exit_code, nights.column(both)) == (3, [0])
    assert "may ignore that filter" in report.left_behind[0]
    nights.estate.performed = dict.fromkeys(keys, "For,By")
    assert nights.sync(delete_limit=1).exit_code == 0  # somebody knows that the API is right
    assert nights.column(both) == [60]


def test_a_list_of_which_only_the_rest_is_left_ignores_no_filter(nights: Nights) -> None:
    keys = _assessments(nights, 60)
    nights.estate.performed = {key: ("For", "By")[n % 2] for n, key in enumerate(keys)}
    nights.first_night()
    for key in keys[::2]:
        del nights.estate.assessments[key]
    assert nights.sync(delete_limit=0.1).resources["assessments"]["verdict"] == "certified"


@pytest.mark.release
def test_all_but_one_of_a_property_may_go_below_the_limit(nights: Nights) -> None:
    _assets(nights, 60, 20, 3)
    keys = nights.estate.add_assets([("home", "t0")] * 25)
    nights.first_night()
    for key in keys[1:]:
        del nights.estate.assets[key]
    assert nights.sync(delete_limit=0.9).exit_code == 0
    assert nights.is_truth("assets")


@pytest.mark.slow
@pytest.mark.costly
@pytest.mark.parametrize("resource", PATHS)
def test_a_whole_resource_is_held_until_it_is_accepted(nights: Nights, resource: str) -> None:
    _MADE[resource](nights)
    nights.first_night()
    known = nights.known(resource)
    getattr(nights.estate, resource).clear()
    report = nights.sync(delete_limit=1)
    assert report.exit_code == 3
    assert nights.known(resource) == known
    assert nights.sync(accept=report.run_id).exit_code == 0
    assert nights.known(resource) == {}


@pytest.mark.slow
@pytest.mark.costly
@pytest.mark.parametrize(("lost", "limit", "exit_code"), [(20, 0.02, 0), (21, 0.02, 3), (21, 0.25, 0), (26, 0.25, 3)])
def test_twenty_may_always_go_and_more_up_to_the_limit(nights: Nights, lost: int, limit: float, exit_code: int) -> None:
    keys = _assets(nights, 100, 50, 4)
    nights.first_night()
    for key in keys[:lost]:
        del nights.estate.assets[key]
    assert nights.sync(delete_limit=limit).exit_code == exit_code
    assert len(nights.known("assets")) == (100 if exit_code else 100 - lost)


@pytest.mark.slow
def test_all_are_looked_up_where_a_sample_shows_that_some_are_there(nights: Nights) -> None:
    keys = _assets(nights, 150, 50, 10)
    nights.first_night()
    _hide(nights, "assets", *keys[:130])
    del nights.estate.assets[keys[0]]
    report = nights.sync()
    assert (report.exit_code, report.resources["assets"]["deleted"]) == (3, 0)
    assert sum(map(len, _looked_up(nights, "assets"))) <= 136
    del nights.estate.lists  # type: ignore[method-assign]  # lists show all again
    assert nights.sync().resources["assets"]["deleted"] == 1
    assert nights.is_truth("assets")


@pytest.mark.parametrize(("resource", "answers"), [("assets", 12), ("assessments", 14)])
def test_an_api_that_shows_nothing_for_a_while_deletes_nothing(nights: Nights, resource: str, answers: int) -> None:
    """Its lists are empty, and so are the first answers to look-ups."""
    _MADE[resource](nights, 30)
    nights.first_night()
    turns, lists = iter(range(answers)), nights.estate.lists

    def shown(path: str, query: Query) -> list[Record]:
        return [] if path == PATHS[resource] and next(turns, None) is not None else lists(path, query)

    nights.estate.lists = shown  # type: ignore[method-assign]  # what this test is about
    report = nights.sync([resource])
    assert (report.exit_code, report.resources[resource]["verdict"]) == (3, "incomplete")
    assert nights.is_truth(resource)


@pytest.mark.parametrize(("hidden", "verdict"), [(20, "certified"), (21, "incomplete")])
def test_lists_that_leave_out_many_records_that_look_ups_show_are_not_complete(
    nights: Nights, hidden: int, verdict: str
) -> None:
    """They may leave out new records too, which no look-up can find."""
    keys = _assets(nights, 150, 50, 10)
    nights.first_night()
    _hide(nights, "assets", *keys[:hidden])
    report = nights.sync()
    assert report.resources["assets"]["verdict"] == verdict
    assert report.exit_code == (0 if verdict == "certified" else 3)
    assert [("the lists leave out many" in line) for line in report.left_behind] == [True] * (hidden > 20)
    assert nights.is_truth("assets")


@pytest.mark.parametrize("resource", list(_MADE))
def test_lists_that_show_none_of_a_few_records_that_look_ups_show_are_not_complete(
    nights: Nights, resource: str
) -> None:
    keys = _MADE[resource](nights, 12)
    nights.first_night()
    _hide(nights, resource, *keys)
    exit_codes = [nights.sync(delete_limit=limit).exit_code for limit in (0.02, 0.02, 1, 0.02)]
    assert exit_codes == [3, 3, 0, 0]  # a service may also show deleted records so, for good
    assert nights.is_truth(resource)


@pytest.mark.slow
def test_records_that_lists_left_out_before_are_no_news(nights: Nights, caplog: pytest.LogCaptureFixture) -> None:
    """A service may show deleted records by their ids alone, for good: one day they are more than the limit."""
    keys = _assets(nights, 150, 50, 10)
    nights.first_night()
    for hidden in (15, 30):
        _hide(nights, "assets", *keys[:hidden])
        assert nights.sync(["assets"]).exit_code == 0
        assert f"assets: the lists leave out {hidden} of 150 records that look-ups show" in caplog.text
    _hide(nights, "assets", *keys[:60])
    exit_codes = [nights.sync(["assets"], delete_limit=limit).exit_code for limit in (0.02, 0.02, 1, 0.02)]
    assert exit_codes == [3, 3, 0, 0]
    assert nights.is_truth("assets")


@pytest.mark.parametrize(("hidden", "exit_code"), [(0, 0), (30, 3)])
def test_records_that_moved_out_of_the_part_of_a_backfill_are_not_left_out(
    nights: Nights, caplog: pytest.LogCaptureFixture, hidden: int, exit_code: int
) -> None:
    here, there = property_ids(2)
    keys = _assets(nights, 200, 2)
    nights.first_night()
    at_first = [key for key in keys if nights.estate.assets[key]["property"] == here]
    for key in at_first[:30]:
        nights.estate.assets[key]["property"] = there
    _hide(nights, "assets", *at_first[30 : 30 + hidden])
    assert nights.backfill(Scope(properties=(here,))).exit_code == exit_code
    assert ("the lists leave out" in caplog.text) == bool(hidden)
    assert nights.is_truth("assets")


@pytest.mark.slow
@pytest.mark.parametrize("is_empty", daily([True, False], 1))
def test_a_backfill_deletes_nothing_while_the_api_shows_nothing_at_all(nights: Nights, *, is_empty: bool) -> None:
    """So an API answers during maintenance, or behind a gateway that has lost its way."""
    homes = property_ids(4)
    keys = nights.estate.add_assets((homes[n % 4], "t0") for n in range(12))
    nights.first_night()
    nights.estate.answer = lambda path, query: (200, {"total": 0, "assets": []}) if is_empty else (404, {})
    report = nights.backfill(Scope(assets=tuple(keys[:5])))
    assert (report.exit_code, report.resources["assets"]["deleted"]) == (3, 0)
    assert nights.held("assets") == {*keys[:5]}
    nights.estate.answer = lambda path, query: None
    assert (nights.sync().exit_code, nights.held("assets"), nights.is_truth("assets")) == (0, set(), True)


@pytest.mark.parametrize(("status", "exit_code"), [("completed", 0), ("inprogress", 3)])
def test_records_in_a_status_that_no_list_asks_for_are_not_left_out(
    nights: Nights, status: str, exit_code: int
) -> None:
    keys = _schedules(nights, 60)
    nights.first_night()
    _hide(nights, "schedules", *keys[:40])
    for key in keys[:40]:
        nights.estate.schedules[key]["status"] = status
    assert nights.sync(schedule_statuses="notstarted,inprogress").exit_code == exit_code
    assert nights.is_truth("schedules")


# --- what deletes nothing -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_incomplete_read_deletes_nothing_and_leaves_what_was_held(nights: Nights) -> None:
    lost, _ = _lose_two_thirds(nights)
    nights.estate.ignored = {"property", "type"}
    nights.estate.is_random = True
    del nights.estate.assets[next(iter(nights.estate.assets))]
    report = nights.sync()
    assert (report.exit_code, report.resources["assets"]["verdict"]) == (3, "incomplete")
    assert len(nights.known("assets")) == 150
    assert nights.held("assets") == set(lost)


@pytest.mark.release
def test_types_that_go_stay_as_no_longer_listed(nights: Nights) -> None:
    _assets(nights)
    _assessments(nights)
    nights.first_night()
    nights.estate.types.remove("t0")
    nights.estate.kinds.remove("k1")
    assert nights.sync().exit_code == 0
    listed = (
        "select asset_type_id, is_listed from asset_types "
        "union all from (select assessment_type_id, is_listed from assessment_types) order by all"
    )
    assert nights.rows(listed) == [("k0", True), ("k1", False), ("t0", False), ("t1", True), ("t2", True)]
    assert nights.is_truth("assets")


@pytest.mark.slow
def test_after_a_crash_between_landing_and_merging_deletes_are_concluded_the_same(
    nights: Nights, tmp_path: Path
) -> None:
    """State and tables of the night before are put back: the next run merges what was landed, look-ups too."""
    assets, schedules = _assets(nights), _schedules(nights)
    nights.first_night()
    before = {name: shutil.copytree(nights.path / name, tmp_path / name) for name in ("state", "published")}
    del nights.estate.assets[assets[0]], nights.estate.schedules[schedules[0]]
    _hide(nights, "assets", assets[1])
    nights.estate.answer = lambda path, query: (
        (200, None) if query.get("id") == assets[0] or path.endswith("/".join(schedules[0])) else None
    )
    landed = nights.sync()
    for name, kept in before.items():
        shutil.rmtree(nights.path / name)
        shutil.copytree(kept, nights.path / name)
    nights.estate.answer = lambda path, query: None
    assert nights.sync().exit_code == 0
    assert nights.is_truth("assets")
    assert nights.is_truth("schedules")
    gone = nights.rows(f"select change, run_id from history.assets where asset_id = '{assets[0]}' order by valid_from")
    assert gone[-1] == ("delete", landed.run_id)


# --- filters that are cut -----------------------------------------------------------------------------------------


def _heed_first(nights: Nights, heeded: int, *names: str) -> None:
    """From now on the server heeds that many values of each of these parameters, and says nothing of it."""
    lists = nights.estate.lists

    def cut(path: str, query: Query) -> list[Record]:
        short = {name: ",".join(query[name].split(",")[:heeded]) for name in names if name in query}
        return lists(path, query | short)

    nights.estate.lists = cut  # type: ignore[method-assign]  # what these tests are about


@pytest.mark.release
@pytest.mark.costly
@pytest.mark.parametrize(
    ("resource", "heeded", "page"),
    daily(product(["assets", "assessments"], [1, 3, 10], [20, 1000]), 3, is_row=True),
)
def test_a_server_that_heeds_only_the_first_ids_deletes_nothing_that_is_there(
    nights: Nights, resource: str, heeded: int, page: int
) -> None:
    made = _MADE[resource](nights, 40, 40)
    nights.estate.performed = {key: ("For", "By")[n % 2] for n, key in enumerate(made)}
    nights.first_night(page_limit=page)
    hidden, gone = made[5:24], made[3:5]
    for key in gone:
        del getattr(nights.estate, resource)[key]
    _heed_first(nights, heeded, "id", "assessment")
    _hide(nights, resource, *hidden)
    report = nights.sync(page_limit=page, delete_limit=0.9)
    assert (report.exit_code, report.resources[resource]["deleted"]) == (0, 2)
    assert nights.is_truth(resource)


@pytest.mark.slow
def test_where_the_ids_that_are_heeded_are_gone_the_others_are_asked_for_alone(nights: Nights) -> None:
    keys = _assets(nights, 200, 100)
    nights.first_night()
    for key in keys[:10]:
        del nights.estate.assets[key]
    _heed_first(nights, 10, "id")
    _hide(nights, "assets", *keys[10:60])
    report = nights.sync(delete_limit=0.9, page_limit=1000)
    assert (report.exit_code, report.resources["assets"]["deleted"]) == (0, 10)
    assert nights.is_truth("assets")


@pytest.mark.costly
@pytest.mark.parametrize(("count", "alone"), daily([(1, 2), (50, 50), (51, 50), (2, 2), (120, 50)], 3, is_row=True))
def test_what_no_look_up_shows_is_asked_for_alone_or_fifty_of_it(nights: Nights, count: int, alone: int) -> None:
    keys = _assets(nights, 300, 300)
    nights.first_night(page_limit=1000)
    for key in keys[:count]:
        del nights.estate.assets[key]
    assert nights.sync(delete_limit=0.9, page_limit=1000).exit_code == 0
    assert nights.is_truth("assets")
    asked = [set(one) for one in _looked_up(nights, "assets")]
    assert [len(one) for one in asked if one <= {*keys[:count]}].count(1) == alone
    assert sum(one.isdisjoint(keys[:count]) for one in asked) == 1  # a listed record, which shows that look-ups work


@pytest.mark.release
@pytest.mark.costly
@pytest.mark.parametrize(
    ("resource", "status"),
    daily(product(["assessments", "schedules"], ["archived", "submitted", "approved"]), 2, is_row=True),
)
def test_a_server_that_heeds_only_the_first_status_is_asked_for_each(
    nights: Nights, resource: str, status: str
) -> None:
    """Also by look-ups: a record that leaves the lists for another status is found there."""
    statuses = ("inprogress", "submitted", "approved") if resource == "assessments" else ("notstarted", "inprogress")
    homes = property_ids(len(statuses) * 8)
    add = nights.estate.add_assessments if resource == "assessments" else nights.estate.add_schedules
    for n, one in enumerate(statuses):
        keys = add([(home, "k0") for home in homes[n * 8 : n * 8 + 8]], one)
    _heed_first(nights, 1, "status")
    settings = {f"{resource[:-1]}_statuses": ",".join(statuses)}
    assert nights.sync(**settings).exit_code == 0
    assert nights.is_truth(resource)
    moved, gone = keys[:2]
    getattr(nights.estate, resource)[moved]["status"] = status
    del getattr(nights.estate, resource)[gone]
    report = nights.sync(**settings)
    is_lost = resource == "assessments" and status == "archived"  # no list shows it, and its report is not there
    assert (report.exit_code, report.resources[resource]["deleted"]) == (0, 2 if is_lost else 1)
    assert nights.is_truth(resource) or is_lost


def test_a_status_that_no_record_has_costs_one_request(nights: Nights) -> None:
    _assessments(nights)
    assert nights.sync().exit_code == 0
    alone = [one for one in nights.estate.asked("assessments", limit="1") if len(one.words("status")) == 1]
    assert sorted(one.query["status"] for one in alone) == ["inprogress", "submitted"]


@pytest.mark.parametrize("resource", ["assets", "assessments"])
def test_an_id_whose_look_up_fails_each_time_holds_no_delete_but_its_own(nights: Nights, resource: str) -> None:
    keys = _MADE[resource](nights, 40)
    nights.first_night()
    for key in keys[:4]:
        del getattr(nights.estate, resource)[key]
    name = {"assets": "id", "assessments": "assessment"}[resource]
    nights.estate.answer = lambda _, query: (500, {}) if keys[1] in query.get(name, "").split(",") else None
    report = nights.sync()
    assert (report.exit_code, report.resources[resource]["deleted"]) == (3, 3)
    assert nights.held(resource) == {keys[1]}
    (why,) = nights.column("select distinct reason from ops.held_deletes")
    assert "its look-up failed" in why
    assert nights.sync(accept=report.run_id).exit_code == 0
    assert nights.is_truth(resource)


@pytest.mark.parametrize(
    ("ids", "told"),
    [("A{}", "the lists show the ids of known records in other letters"), ("b{}", "but others: check whose PROPSYNC_")],
)
def test_a_list_of_other_ids_is_held_and_told_of(small_nights: SmallHome, ids: str, told: str) -> None:
    home, api = small_nights, small_nights.server

    def by_id(path: str, query: dict[str, str]) -> tuple[int, Any] | None:
        if path != "/properties/assets" or "id" not in query:
            return None
        shown = [one for one in api.assets if one["id"] in query["id"].split(",")]
        return 200, {"total": len(shown), "assets": shown, "types": api.types}

    api.answer = by_id
    home.sync()
    api.assets = [asset(ids.format(number)) for number in range(6)]
    report = home.sync()
    assert report.exit_code == 3
    assert told in report.left_behind[0]
    assert home.rows("select resource, count(*) from ops.held_deletes group by all") == [("assets", 6)]
