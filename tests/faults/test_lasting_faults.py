"""Fault → expected exit code: what does not end takes its own resource with it and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from faults.conftest import Night
from variants import daily

from propsync.errors import TokenRefused

_PATHS = {
    "assets": "/properties/assets",
    "assessments": "/assessments",
    "schedules": "/assessments/schedules",
}
_RESOURCES = tuple(_PATHS)
_DOWN = {"kind": "status", "status": 500}
_ENDLESS: dict[str, dict[str, Any]] = {
    "403": {"kind": "status", "status": 403},
    "404": {"kind": "status", "status": 404},
    "400": {"kind": "status", "status": 400, "code": "PropertyNotFound"},
    "a wait beyond the budget": {"kind": "status", "status": 503, "retry_after": 9999},
    "a redirect": {"kind": "status", "status": 302},
    "a login page": {"kind": "wrong_content", "content": "html"},
    "half a body": {"kind": "cut_body"},
    "closed": {"kind": "close"},
}
_PAIRS = list(zip(list(_ENDLESS)[::2], list(_ENDLESS)[1::2], strict=True))


def _always(path: str, effect: dict[str, Any], **query: str) -> list[dict[str, Any]]:
    return [{"match": {"path": path, "query": query}, "effect": effect}]


def _check_these_are_behind(night: Night, behind: dict[str, dict[Any, Any]]) -> None:
    """A failed resource keeps yesterday's rows; the others have today's."""
    verdicts: dict[str, str] = dict(
        night.rows(
            "select resource, verdict from ops.run_resources semi join "
            "(select max(run_id) as run_id from ops.runs) using (run_id)"
        )
    )
    for resource in _RESOURCES:
        if resource in behind:
            assert night.known(resource) == behind[resource]
            assert behind[resource] != night.sandbox.world.truth(resource)
            assert verdicts[resource] == "failed"
        else:
            assert night.is_truth(resource)
            assert verdicts[resource] == "certified"
    assert night.rows("select status from ops.runs order by run_id")[-1] == ("attention",)


@pytest.mark.costly
@pytest.mark.parametrize("resource", _RESOURCES)
def test_an_endless_fault_exits_3_and_its_resource_alone_keeps_yesterdays_rows(night: Night, resource: str) -> None:
    before = night.known(resource)
    night.sandbox.set_faults(_always(_PATHS[resource], _DOWN))
    report = night.sync()
    assert report.exit_code == 3
    assert [line.split()[0] for line in report.left_behind] == [resource]
    told = report.resources[resource]
    assert 0 < told["retries"] < told["requests"]
    _check_these_are_behind(night, {resource: before})


@pytest.mark.slow
@pytest.mark.costly
@pytest.mark.parametrize("names", daily(_PAIRS, 2), ids=" and ".join)
def test_whatever_the_endless_faults_are_the_rest_is_published(night: Night, names: tuple[str, str]) -> None:
    before = {resource: night.known(resource) for resource in ("assessments", "schedules")}
    told = zip(before, names, strict=True)
    night.sandbox.set_faults([rule for resource, name in told for rule in _always(_PATHS[resource], _ENDLESS[name])])
    report = night.sync()
    assert report.exit_code == 3
    assert report.seconds < 30
    _check_these_are_behind(night, before)


@pytest.mark.release
def test_after_an_endless_fault_has_ended_the_next_run_is_whole_again(night: Night) -> None:
    night.sandbox.set_faults(_always(_PATHS["assets"], _DOWN))
    assert night.sync().exit_code == 3
    night.sandbox.set_faults([])
    assert night.sync().exit_code == 0
    assert night.is_truth("assets")


@pytest.mark.slow
@pytest.mark.costly
@pytest.mark.parametrize("types", daily(["/properties/assets/types", "/assessments/types"], 1))
def test_a_list_of_types_that_cannot_be_read_exits_3_and_the_records_are_published(night: Night, types: str) -> None:
    night.sandbox.set_faults(_always(types, _DOWN))
    assert night.sync().exit_code == 3
    assert [resource for resource in _RESOURCES if not night.is_truth(resource)] == []


@pytest.mark.release
def test_a_right_that_the_token_lacks_fails_that_endpoint_alone(fresh: Night) -> None:
    fresh.sandbox.callers.accept(fresh.sandbox.token, ["/assessments/schedules"])
    report = fresh.sync()
    assert report.exit_code == 3
    assert "Ask for access to this endpoint" in report.left_behind[0]
    assert fresh.is_truth("assets")
    assert fresh.is_truth("assessments")
    assert fresh.known("schedules") == {}


def test_a_token_that_is_refused_stops_the_run_and_nothing_is_published(night: Night) -> None:
    before = night.note()
    night.sandbox.set_faults(_always(".*", {"kind": "status", "status": 401}))
    with pytest.raises(TokenRefused) as refused:
        night.sync()
    assert refused.value.exit_code == 1
    assert night.note() == before
    assert night.sandbox.token not in str(refused.value)


def test_when_nothing_can_be_read_the_run_has_failed_and_nothing_is_published(night: Night) -> None:
    before = night.note()
    night.sandbox.set_faults(_always(".*", _DOWN))
    assert night.sync().exit_code == 1
    assert night.note() == before


@pytest.mark.slow
@pytest.mark.costly
@pytest.mark.parametrize("pages", daily(["[3-9]", "2"], 1))
def test_a_page_that_is_refused_costs_nothing_for_the_list_is_read_in_parts(night: Night, pages: str) -> None:
    night.sandbox.set_faults(_always(_PATHS["assets"], {"kind": "status", "status": 400}, page=pages))
    report = night.sync()
    assert (report.exit_code, report.resources["assets"]["verdict"]) == (0, "certified")
    assert night.is_truth("assets")
    assert _unseen(night, "assets") == []
    assert night.is_truth("schedules")


@pytest.mark.release
def test_a_page_that_is_refused_also_of_parts_exits_3_and_all_that_was_shown_is_published(night: Night) -> None:
    before = night.known("assets")
    refused = {"kind": "status", "status": 400}
    night.sandbox.set_faults(
        _always(_PATHS["assets"], refused, page="[3-9]")
        + _always(_PATHS["assets"], refused, property=".*")
        + _always(_PATHS["assets"], refused, type=".*")
    )
    report = night.sync()
    assert (report.exit_code, report.resources["assets"]["verdict"]) == (3, "incomplete")
    assert before.keys() <= night.known("assets").keys()
    assert _unseen(night, "assets") == []
    assert night.is_truth("schedules")


_RESTLESS: dict[str, dict[str, Any]] = {
    "one too many": {"kind": "total", "by": 1},
    "three too few": {"kind": "total", "by": -3},
    "a million too many": {"kind": "total", "by": 1_000_000},
    "nothing at all": {"kind": "total", "by": -1_000_000},
    "another at each request": {"kind": "total", "random": True},
    **{how: {"kind": "move_rows", "how": how, "rows": 2} for how in ("to_next", "shift", "duplicate", "drop")},
}
_TWO_OF_THEM = list(zip(list(_RESTLESS)[::2], [*list(_RESTLESS)[1::2], "one too many"], strict=True))


def _lie(night: Night, names: tuple[str, str], **query: str) -> dict[str, dict[str, Any]]:
    """Sets one fault on the assets and one on the assessments; what was published of both comes back."""
    told = {resource: _RESTLESS[name] for resource, name in zip(("assets", "assessments"), names, strict=True)}
    night.sandbox.set_faults(
        [rule for resource, one in told.items() for rule in _always(_PATHS[resource], one, **query)]
    )
    return {resource: night.known(resource) for resource in told}


@pytest.mark.release
@pytest.mark.costly
@pytest.mark.parametrize("names", daily(_TWO_OF_THEM, 2), ids=" and ".join)
def test_of_a_list_whose_parts_lie_and_move_too_nothing_that_was_seen_is_lost(
    night: Night, names: tuple[str, str]
) -> None:
    """Every answer is hit, look-ups too; what cannot be certified, or agreed upon without a doubt, exits 3."""
    before = _lie(night, names)
    report = night.sync()
    assert [resource for resource in before if not before[resource].keys() <= night.known(resource).keys()] == []
    assert [_unseen(night, resource) for resource in before] == [[], []]
    assert night.is_truth("schedules")
    is_true = all(night.is_truth(resource) for resource in before)
    assert is_true or report.exit_code == 3


@pytest.mark.slow
@pytest.mark.costly
@pytest.mark.parametrize("names", daily(_TWO_OF_THEM, 2), ids=" and ".join)
def test_a_list_that_lies_or_moves_only_as_a_whole_is_read_in_parts_or_agreed_upon(
    night: Night, names: tuple[str, str]
) -> None:
    """Only pages from the second on are hit."""
    before = _lie(night, names, page="[2-9]|[1-9][0-9]+")
    report = night.sync()
    assert (report.exit_code, report.left_behind) == (0, [])
    verdicts = {report.resources[resource]["verdict"] for resource in before}
    assert verdicts == {"certified"}
    assert [resource for resource in _RESOURCES if not night.is_truth(resource)] == []


def _unseen(night: Night, resource: str) -> list[Any]:
    """Keys of records that the sandbox showed in this run and that are not published as shown."""
    path, truth, published = _PATHS[resource], night.sandbox.world.truth(resource), night.known(resource)
    shown = {key for entry in night.sandbox.journal if entry.path == path and entry.delivered for key, _ in entry.shown}
    assert shown
    return [key for key in shown if published.get(key) != truth[key]]


@pytest.mark.slow
def test_rows_that_move_once_are_not_taken_for_a_complete_read(night: Night) -> None:
    effect = {"kind": "move_rows", "how": "shift", "rows": 1}
    night.sandbox.set_faults(
        [{"match": {"path": _PATHS["assets"], "query": {"page": "2"}}, "times": 1, "effect": effect}]
    )
    report = night.sync()
    assert (report.exit_code, report.resources["assets"]["verdict"]) == (0, "certified")
    attempts = night.rows(
        f"select attempt, rung, verdict from ops.sweeps where run_id = '{report.run_id}' and resource = 'assets'"
    )
    assert sorted(attempts) == [(1, 0, "incomplete"), (2, 1, "certified")]
    assert night.is_truth("assets")


@pytest.mark.slow
def test_a_server_that_goes_away_between_two_resources_exits_3_with_the_first_published(night: Night) -> None:
    before = {resource: night.known(resource) for resource in ("assessments", "schedules")}

    def call(name: str, step: Callable[[], None]) -> None:
        if name == "assessments":
            night.sandbox.stop()
        step()

    report = night.sync(call=call)
    assert report.exit_code == 3
    assert night.is_truth("assets")
    assert {resource: night.known(resource) for resource in before} == before


@pytest.mark.slow
def test_a_server_that_goes_away_inside_a_list_exits_3_and_the_list_keeps_yesterdays_rows(night: Night) -> None:
    before = night.known("assessments")
    night.sandbox.set_faults([{"match": {"path": "/assessments.*"}, "after": 4, "effect": {"kind": "reset"}}])
    assert night.sync().exit_code == 3
    assert night.is_truth("assets")
    assert night.known("assessments") == before


def test_a_server_that_was_never_there_fails_the_run(night: Night) -> None:
    before = night.note()
    night.sandbox.stop()
    report = night.sync()
    assert report.exit_code == 1
    assert night.note() == before
