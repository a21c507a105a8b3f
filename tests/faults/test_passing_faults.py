"""Fault → expected exit code: what ends within the retry budget leaves no trace in the tables."""

from __future__ import annotations

from typing import Any

import pytest
from faults.conftest import Night
from variants import daily

Effect = dict[str, Any]
_EVERYWHERE: list[dict[str, Any]] = [
    {"path": "/properties/assets/types"},
    {"path": "/properties/assets", "query": {"page": "1"}},
    {"path": "/properties/assets", "query": {"page": "4"}},
    {"path": "/assessments/types"},
    {"path": "/assessments", "query": {"performed": "For,By"}},
    {"path": "/assessments", "query": {"performed": "For", "page": "1"}},
    {"path": "/assessments", "query": {"performed": "By", "page": "2"}},
    {"path": "/assessments/schedules", "query": {"page": "1"}},
    {"path": "/assessments/schedules", "query": {"page": "2"}},
]
"""Every endpoint that a sync asks, first pages and others."""

PASSING: dict[str, Effect] = {
    **{str(status): {"kind": "status", "status": status} for status in (408, 425, 429, 500, 502, 503, 504)},
    "503 as text": {"kind": "status", "status": 503, "body": "upstream connect error"},
    "body cut short": {"kind": "cut_body", "fraction": 0.7},
    "body cut before it begins": {"kind": "cut_body", "fraction": 0},
    "chunked body cut short": {"kind": "cut_chunked"},
    "reset before an answer": {"kind": "reset", "where": "before"},
    "reset inside the body": {"kind": "reset", "where": "body"},
    "closed without a word": {"kind": "close"},
    "silence, then closed": {"kind": "stall", "seconds": 0.02},
    "late": {"kind": "delay", "seconds": 0.02},
    "slow": {"kind": "slow_body", "seconds": 0.05},
    **{
        f"{content} instead": {"kind": "wrong_content", "content": content}
        for content in ("html", "empty", "truncated_json", "string", "object", "array", "null", "content_type")
    },
}


# one attempt after another fails in another way, and the fourth, the last that the tests' policy allows, is good
_IN_A_ROW = [tuple(PASSING)[place : place + 3] for place in range(0, len(PASSING), 3)]


def _everywhere(names: tuple[str, ...]) -> list[dict[str, Any]]:
    return [{"match": match, "times": 1, "effect": PASSING[name]} for match in _EVERYWHERE for name in names]


def _tables_are_true(night: Night) -> bool:
    return all(night.is_truth(resource) for resource in ("assets", "assessments", "schedules"))


@pytest.mark.costly
@pytest.mark.parametrize("names", daily(_IN_A_ROW, 3), ids=", ".join)
def test_faults_that_pass_exit_0_and_the_tables_are_the_truth(night: Night, names: tuple[str, ...]) -> None:
    night.sandbox.set_faults(_everywhere(names))
    report = night.sync()
    assert (report.exit_code, report.left_behind) == (0, [])
    assert _tables_are_true(night)


@pytest.mark.slow
def test_faults_that_pass_mislead_no_first_run_about_shapes(fresh: Night) -> None:
    fresh.sandbox.set_faults(_everywhere(("array instead", "object instead", "null instead")))
    report = fresh.sync()
    assert (report.exit_code, report.left_behind) == (0, [])
    assert _tables_are_true(fresh)


@pytest.mark.release
@pytest.mark.costly
@pytest.mark.parametrize("asked", [0, "http-date"])
def test_a_wait_that_the_api_asks_for_is_kept(night: Night, asked: float | str) -> None:
    effect = {"kind": "status", "status": 429, "retry_after": asked}
    night.sandbox.set_faults([{"match": {"path": "/properties/assets"}, "times": 1, "effect": effect}])
    report = night.sync()
    assert (report.exit_code, report.resources["assets"]["retries"]) == (0, 1)
    assert report.seconds >= 1
    assert _tables_are_true(night)


@pytest.mark.slow
def test_the_retries_are_counted_with_the_resource(night: Night) -> None:
    effect = {"kind": "status", "status": 500}
    night.sandbox.set_faults([{"match": {"path": "/assessments/schedules"}, "times": 3, "effect": effect}])
    report = night.sync()
    assert report.exit_code == 0
    assert {name: told["retries"] for name, told in report.resources.items() if told["retries"]} == {"schedules": 3}
