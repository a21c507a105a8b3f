"""propsync knows a night with the same answers by their bytes, and reads any other night as usual."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from kit.estate import PATHS, property_ids
from kit.nights import Nights
from kit.server import Answer, Query
from variants import daily, some

from propsync.errors import MergeFailed
from propsync.merge import Merger
from propsync.resources import Resource
from propsync.runbooks import Report
from propsync.sweep.replay import Replay

ASSETS = PATHS["assets"]


@pytest.fixture
def settled(nights: Nights) -> Nights:
    """Assets on five pages, assessments and schedules, read once: what is volatile is known."""
    homes = property_ids(10)
    nights.estate.add_assets((homes[n % 10], f"t{n % 3}") for n in range(95))
    nights.estate.add_assessments((home, "k0") for home in homes)
    nights.estate.add_schedules((home, "k0") for home in homes)
    assert nights.sync().exit_code == 0
    return nights


def manifest(nights: Nights, report: Report, resource: str) -> dict[str, Any]:
    path = nights.path / "landing" / resource / report.run_id / "manifest.json"
    told: dict[str, Any] = json.loads(path.read_bytes())
    return told


def repeats(nights: Nights, report: Report) -> set[str]:
    """The resources of which a run says that nothing differed."""
    return {name for name in report.resources if manifest(nights, report, name)["repeats"]}


def pages_asked(nights: Nights) -> Counter[str]:
    return Counter(one.query["page"] for one in nights.estate.asked("assets"))


@pytest.mark.release
def test_the_same_answers_once_more_are_a_repeat_of_every_resource(settled: Nights) -> None:
    before = settled.rows(
        "select * exclude (run_id, requests, retries, bytes) from ops.run_resources order by resource"
    )
    report = settled.sync()
    assert (report.exit_code, repeats(settled, report)) == (0, set(report.resources))
    assert pages_asked(settled) == {"1": 2, "2": 1, "3": 1, "4": 1, "5": 1}
    for row in before:
        name, fetched = row[0], row[3]
        assert report.resources[name]["fetched"] == report.resources[name]["unchanged"] == fetched
    assert {rung for name in PATHS for rung in settled.rungs(report, name)} == {0}
    assert all(settled.is_truth(name) for name in PATHS)


@pytest.mark.slow
def test_a_third_night_repeats_the_second(settled: Nights) -> None:
    second = settled.sync()
    third = settled.sync()
    assert manifest(settled, third, "assets")["repeats"] == second.run_id


@pytest.mark.release
@pytest.mark.costly
@pytest.mark.parametrize("place", daily([0, 50, 94], 2))
@pytest.mark.parametrize("concurrency", some([4, 1], 1))
def test_what_came_before_an_answer_differed_is_not_asked_for_again(
    settled: Nights, place: int, concurrency: int
) -> None:
    key = list(settled.estate.assets)[place]
    settled.estate.assets[key] = settled.estate.assets[key] | {"property": property_ids(10)[9], "note": "moved"}
    report = settled.sync(max_concurrency=concurrency)
    assert (report.exit_code, report.resources["assets"]["updated"]) == (0, 1)
    assert pages_asked(settled) == {"1": 2, "2": 1, "3": 1, "4": 1, "5": 1}
    assert repeats(settled, report) == set(report.resources) - {"assets"}
    assert settled.is_truth("assets")


def test_a_record_that_is_gone_is_found_missing(settled: Nights) -> None:
    gone = settled.estate.assets.popitem()[0]
    report = settled.sync()
    assert (report.exit_code, report.resources["assets"]["deleted"]) == (0, 1)
    assert settled.changes("assets", gone) == ["insert", "delete"]


@pytest.mark.slow
def test_a_night_after_a_look_up_is_read_as_usual(settled: Nights) -> None:
    settled.estate.assets.popitem()
    settled.sync()
    # the same pages as last night, but the look-up of last night is no page
    report = settled.sync()
    assert "assets" not in repeats(settled, report)
    assert "assets" in repeats(settled, settled.sync())


@pytest.mark.release
def test_a_list_of_types_that_changed_alone_is_merged(settled: Nights) -> None:
    types = "/properties/assets/types"
    lists = settled.estate._body

    def renamed(path: str, query: Query) -> Answer | None:
        if path != types:
            return None
        body = lists(path, query)
        body["type"][0]["name"] = "Renamed"
        return 200, body

    settled.estate.answer = renamed
    report = settled.sync()
    assert repeats(settled, report) == set(report.resources) - {"asset_types"}
    assert settled.rows("select count(*) from asset_types where name = 'Renamed'") == [(1,)]


@pytest.mark.release
def test_something_else_in_place_of_a_page_is_asked_for_again(settled: Nights) -> None:
    wrong = [b'{"message": "try later"}', b"<html>", b'{"total": 95']

    def answer(path: str, query: Query) -> Answer | None:
        return (200, wrong.pop()) if wrong and path == ASSETS and query.get("page") == "3" else None

    settled.estate.answer = answer
    report = settled.sync(max_concurrency=1)
    assert (report.exit_code, wrong) == (0, [])
    assert settled.is_truth("assets")
    assert report.resources["assets"]["unchanged"] == 95


@pytest.mark.release
def test_other_settings_ask_otherwise(settled: Nights) -> None:
    report = settled.sync(page_limit=30)
    assert repeats(settled, report) == set()
    assert settled.is_truth("assets")
    narrower = settled.sync(page_limit=30, schedule_statuses="notstarted")
    assert "schedules" not in repeats(settled, narrower)


@pytest.mark.release
def test_a_rejected_record_is_told_of_every_night(settled: Nights) -> None:
    settled.estate.assets["odd"] = {"no": "key"}
    for _ in range(2):
        report = settled.sync()
        assert report.resources["assets"]["rejected"] == 1
        assert "assets" not in repeats(settled, report)


@pytest.mark.release
def test_a_list_without_a_total_may_have_grown_by_a_page(nights: Nights) -> None:
    """Its pages are the same, and the next one, which was empty, is not."""

    def bare(path: str, query: Query) -> Answer | None:
        if path != ASSETS:
            return None
        start, limit = (int(query["page"]) - 1) * int(query["limit"]), int(query["limit"])
        return 200, nights.estate.lists(path, query)[start : start + limit]

    nights.estate.answer = bare
    nights.estate.add_assets((home, "t0") for home in property_ids(40))
    for _ in range(2):
        assert nights.sync().exit_code == 0
    nights.estate.add_assets([(property_ids(1)[0], "t0")])
    report = nights.sync()
    assert (report.exit_code, report.resources["assets"]["inserted"]) == (0, 1)
    assert nights.is_truth("assets")


def test_a_list_as_long_as_a_page_of_the_server_may_have_grown_by_one(nights: Nights) -> None:
    """Each total counts its page, and the page after the last is not found: page 1 alone shows nothing new."""
    nights.estate.most = 50
    nights.estate.add_assets((home, "t0") for home in property_ids(50))

    def answer(path: str, query: Query) -> Answer | None:
        """Not found for a page without records."""
        start = (int(query.get("page", "1")) - 1) * 50
        return (404, {}) if path == ASSETS and 0 < start >= len(nights.estate.assets) else None

    nights.estate.answer = answer
    nights.estate.total = lambda path, query, true: min(50, true - (int(query.get("page", "1")) - 1) * 50)
    for _ in range(2):
        assert nights.sync(page_limit=1000).exit_code == 0
    nights.estate.add_assets([("elsewhere", "t0")])
    nights.sync(page_limit=1000)
    assert nights.is_truth("assets")


@pytest.mark.release
def test_what_could_not_be_merged_is_no_ground_for_a_repeat(settled: Nights, monkeypatch: pytest.MonkeyPatch) -> None:
    key = next(iter(settled.estate.assets))
    settled.estate.assets[key] = settled.estate.assets[key] | {"note": "new"}
    with monkeypatch.context() as patched:
        patched.setattr(Merger, "merge", _fails)
        assert settled.sync().exit_code == 3
    report = settled.sync()
    assert (report.exit_code, report.resources["assets"]["updated"]) == (0, 1)
    assert settled.is_truth("assets")


def _fails(_merger: Merger, resource: Resource, *_rest: object, **_options: object) -> None:
    raise MergeFailed(resource.name, "the test says so")


# --- what was asked for ahead belongs to the first attempt --------------------------------------------------------


def _change_before(nights: Nights, request: int, path: str, do: Any) -> None:
    """Does something before the n-th request for a list."""
    turns = iter(range(1, 10_000))

    def before(asked: str, _query: Query) -> None:
        if asked == path and next(turns) == request:
            do()

    nights.estate.before = before


@pytest.mark.release
def test_a_newer_copy_that_was_asked_for_ahead_is_not_lost(nights: Nights) -> None:
    """The first night reads page 1 twice; so does the second, and the second reading of it differs."""
    (key,) = nights.estate.add_assets([("p", "t0")])
    assert nights.sync().exit_code == 0
    _change_before(nights, 2, ASSETS, lambda: nights.estate.assets[key].update(note="newer"))
    report = nights.sync(max_concurrency=1)
    assert report.exit_code == 0
    assert nights.is_truth("assets")


@pytest.mark.parametrize("is_planted", [False, True])
def test_the_copy_asked_for_last_is_kept_and_a_bug_that_forgets_it_is_caught(
    nights: Nights, monkeypatch: pytest.MonkeyPatch, *, is_planted: bool
) -> None:
    """The first night reads page 1 twice, and page 2. The second needs page 1 alone, but has asked for all ahead."""
    key, *_ = nights.estate.add_assets([("p", "t0")] * 7)
    assert nights.sync().exit_code == 0
    _change_before(nights, 3, ASSETS, lambda: nights.estate.assets[key].update(note="newer"))
    if is_planted:
        monkeypatch.setattr(Replay, "left_over", lambda _: [])
    assert nights.sync(max_concurrency=1).exit_code == 0
    assert nights.is_truth("assets") is not is_planted


@pytest.mark.slow
def test_a_second_attempt_is_given_no_answer_of_the_first(settled: Nights) -> None:
    """Page 1 is asked for ahead, another page, and page 1 again: then a record goes that only the first two show."""
    keys = list(settled.estate.assets)

    def move() -> None:
        settled.estate.add_assets([("elsewhere", "t0")])
        del settled.estate.assets[keys[0]]

    _change_before(settled, 6, ASSETS, move)
    report = settled.sync(max_concurrency=1)
    assert report.exit_code == 0
    attempts = max(attempt for attempt, *_ in settled.attempts(report, "assets"))
    told = manifest(settled, report, "assets")
    pages = [one for one in told["landed"] if one["role"] == "page"]
    assert attempts > 1
    assert len(pages) == 5
    assert len({one["asked_at"] for one in pages}) == 5
    assert settled.is_truth("assets")
