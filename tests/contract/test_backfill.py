"""Backfill: a part of the API read again, in chunks, and nothing concluded beyond it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest
from typer.testing import CliRunner

from propsync.cli.main import app
from propsync.errors import Busy, UsageError
from propsync.runbooks import Report, Scope, backfill, nightly
from propsync.runs import RunLock
from propsync.settings import Settings, load_settings
from propsync_sandbox import Sandbox

NOTHING_FOUND = "No record was found for what was asked: are the ids spelt as the API has them?"


@dataclass
class Estate:
    """A sandbox and a home that was synced from it."""

    sandbox: Sandbox
    settings: Settings

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """A query on what is published."""
        path = self.settings.published / "warehouse.duckdb"
        with duckdb.connect(path, read_only=True) as published:
            return published.execute(query, list(values)).fetchall()

    def keys(self, query: str, *values: Any) -> list[str]:
        """The first column of a query."""
        return [row[0] for row in self.rows(query, *values)]


@pytest.fixture
def estate(tmp_path: Path) -> Iterator[Estate]:
    with Sandbox(scale=90, seed=5) as sandbox:
        environ = {
            "PROPSYNC_BASE_URL": sandbox.base_url,
            "PROPSYNC_TOKEN": sandbox.token,
            "PROPSYNC_HOME": str(tmp_path / "home"),
            "PROPSYNC_PAGE_LIMIT": "40",
            "PROPSYNC_LOCK_WAIT": "0",
        }
        made = Estate(sandbox, load_settings(environ=environ))
        assert nightly(made.settings).exit_code == 0
        yield made


def busiest(estate: Estate, count: int = 2) -> list[str]:
    """The properties with the most assets."""
    return estate.keys("select property_id from assets group by 1 order by count(*) desc, 1 limit ?", count)


def changes(estate: Estate, report: Report, resource: str) -> dict[str, int]:
    """Versions that a backfill opened, by what opened them."""
    found = estate.rows(f"select change, count(*) from history.{resource} where run_id >= ? group by 1", report.run_id)
    return dict(found)


def _noting(names: list[str]) -> Any:
    """Takes each step, and notes its name."""

    def call(name: str, step: Any) -> Any:
        names.append(name)
        return step()

    return call


def test_what_was_asked_for_is_merged_and_nothing_else_is_concluded(estate: Estate):
    here, there = busiest(estate)
    inside = estate.keys("select asset_id from assets where property_id = ? order by 1", here)
    outside = estate.keys("select asset_id from assets where property_id = ? order by 1", there)
    for asset in (inside[0], outside[0]):
        estate.sandbox.world.assets.delete(asset)
    for asset in (inside[1], outside[1]):
        estate.sandbox.world.assets.scribble(asset)
    report = backfill(estate.settings, Scope(properties=(here,)))
    assert report.exit_code == 0
    assert changes(estate, report, "assets") == {"delete": 1, "update": 1}
    shown = set(estate.keys("select asset_id from assets"))
    assert inside[0] not in shown
    assert outside[0] in shown
    assert nightly(estate.settings).resources["assets"]["deleted"] == 1


def test_an_asset_that_moved_away_is_found_where_it_is(estate: Estate):
    here, there = busiest(estate)
    moved = estate.keys("select asset_id from assets where property_id = ? order by 1", here)[0]
    estate.sandbox.world.assets.move(moved, there)
    assert backfill(estate.settings, Scope(properties=(here,))).resources["assets"]["deleted"] == 0
    assert estate.keys("select property_id from assets where asset_id = ?", moved) == [there]


@pytest.mark.parametrize(
    ("of", "query", "resources"),
    [
        ("properties", "select property_id from assets limit 3", {"assets", "assessments", "schedules"}),
        ("asset_types", "select distinct asset_type_id from assets limit 2", {"assets"}),
        ("assessment_types", "select assessment_type_id from assessments limit 1", {"assessments", "schedules"}),
        ("assets", "select asset_id from assets limit 60", {"assets"}),
        ("assessments", "select assessment_id from assessments limit 3", {"assessments"}),
    ],
)
def test_each_filter_reads_what_it_is_about(estate: Estate, of: str, query: str, resources: set[str]):
    ids = tuple(dict.fromkeys(estate.keys(query)))
    report = backfill(estate.settings, Scope(**{of: ids}))
    assert report.exit_code == 0
    assert {name for name in report.resources if not name.endswith("_types")} == resources
    for resource in resources:
        assert report.resources[resource]["verdict"] == "certified"
        assert report.resources[resource]["unchanged"] == report.resources[resource]["fetched"]
    if of in ("assets", "assessments"):
        assert report.resources[of]["fetched"] == len(ids)


def test_many_ids_are_chunks_that_are_runs_of_their_own(estate: Estate):
    known = busiest(estate, 20)
    unknown = [f"no-such-property-{number:05d}" for number in range(300)]
    report = backfill(estate.settings, Scope(properties=(*unknown, *known)))
    assert report.exit_code == 0
    runs = estate.rows("select status from ops.runs where flow = 'backfill'")
    assert len(runs) >= 2
    assert set(runs) == {("ok",)}
    expected = estate.rows("select count(*) from assets where list_contains(?, property_id)", known)[0][0]
    assert report.resources["assets"]["fetched"] == expected


def test_an_id_that_the_api_does_not_know_costs_the_others_nothing(estate: Estate):
    """Several of which one is not found say nothing; one alone that is not found has nothing."""
    here = busiest(estate, 3)
    unknown = {"path": "/properties/assets", "query": {"property": ".*nowhere.*"}}
    estate.sandbox.set_faults([{"match": unknown, "effect": {"kind": "status", "status": 404}}])
    gone = estate.keys("select asset_id from assets where property_id = ? order by 1", here[0])[0]
    estate.sandbox.world.assets.delete(gone)
    report = backfill(estate.settings, Scope(properties=(here[0], "nowhere", *here[1:])))
    assert (report.exit_code, report.left_behind) == (0, [])
    expected = estate.rows("select count(*) from assets where list_contains(?, property_id)", here)[0][0]
    assert (report.resources["assets"]["fetched"], report.resources["assets"]["deleted"]) == (expected, 1)
    schedules = estate.rows("select count(*) from schedules where list_contains(?, property_id)", here)[0][0]
    assert report.resources["schedules"]["fetched"] == schedules


def test_ids_that_nobody_knows_are_told_and_are_no_failure(estate: Estate, caplog: pytest.LogCaptureFixture):
    report = backfill(estate.settings, Scope(properties=("nonsense",)))
    assert (report.exit_code, report.left_behind) == (0, [])
    assert report.to_json()["notes"] == [NOTHING_FOUND]
    assert NOTHING_FOUND in [one.getMessage() for one in caplog.records if one.levelname == "WARNING"]


def test_an_id_whose_record_is_gone_is_no_mistyped_one(estate: Estate):
    (gone,) = estate.keys("select asset_id from assets limit 1")
    estate.sandbox.world.assets.delete(gone)
    report = backfill(estate.settings, Scope(assets=(gone,)))
    assert (report.resources["assets"]["deleted"], report.notes) == (1, [])


def test_a_part_that_could_not_be_read_says_nothing_of_how_ids_are_spelt(estate: Estate):
    broken = {"path": "/properties/assets", "query": {"property": ".*"}}
    estate.sandbox.set_faults([{"match": broken, "effect": {"kind": "status", "status": 400}}])
    report = backfill(estate.settings, Scope(properties=("nonsense",)))
    assert (report.exit_code, report.notes) == (3, [])


class Died(BaseException):
    """What a kill is to the code around it."""


def test_one_that_was_interrupted_goes_on_where_it_stopped(estate: Estate):
    scope = Scope(properties=tuple(f"no-such-property-{number:05d}" for number in range(400)))
    steps = []

    def call(name: str, step: Any) -> None:
        steps.append(name)
        if steps.count("publish") == 2 and name == "assets":
            raise Died
        step()

    with pytest.raises(Died):
        backfill(estate.settings, scope, call=call)
    done = len(scope.chunks()) - 2
    again: list[str] = []
    backfill(estate.settings, scope, call=_noting(again))
    assert again.count("publish") == done
    fresh: list[str] = []
    backfill(estate.settings, scope, call=_noting(fresh))
    assert fresh.count("publish") == len(scope.chunks())


def test_it_waits_for_the_lock_and_says_who_has_it(estate: Estate):
    with RunLock(estate.settings.state / "run.lock").held("propsync nightly", 0), pytest.raises(Busy):
        backfill(estate.settings, Scope(assets=("a",)))


def test_what_a_nightly_run_held_elsewhere_stays_held(estate: Estate):
    assets = estate.keys("select asset_id from assets order by property_id, asset_id")
    for asset in assets[:40]:
        estate.sandbox.world.assets.delete(asset)
    night = nightly(estate.settings)
    assert (night.exit_code, night.resources["assets"]["held"]) == (3, 40)
    back = assets[0]
    estate.sandbox.world.assets.bring_back(back)
    here = estate.keys("select property_id from assets where asset_id = ?", back)
    held_here = estate.keys(
        "select record_id from ops.held_deletes join assets on asset_id = record_id where property_id = ?", here[0]
    )
    report = backfill(estate.settings, Scope(properties=tuple(here)))
    still = set(estate.keys("select record_id from ops.held_deletes"))
    assert back not in still
    assert still >= set(assets[:40]) - set(held_here)
    gone = report.resources["assets"]["deleted"] + report.resources["assets"]["held"]
    assert gone == len(held_here) - 1


@pytest.mark.parametrize("arguments", [[], ["--property", ""], ["--asset", "a,,b"]])
def test_nothing_to_read_is_wrong_usage(arguments: list[str], estate: Estate, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PROPSYNC_HOME", str(estate.settings.home))
    result = CliRunner().invoke(app, ["backfill", *arguments])
    assert isinstance(result.exception, UsageError)


def test_an_option_takes_several_ids_one_after_the_other(estate: Estate, monkeypatch: pytest.MonkeyPatch):
    for name, value in (
        ("PROPSYNC_BASE_URL", estate.sandbox.base_url),
        ("PROPSYNC_TOKEN", estate.sandbox.token),
        ("PROPSYNC_HOME", str(estate.settings.home)),
    ):
        monkeypatch.setenv(name, value)
    ids = estate.keys("select asset_id from assets limit 3")
    result = CliRunner().invoke(app, ["backfill", "--asset", *ids[:2], "--asset", ids[2], "--json"])
    assert result.exit_code == 0
    assert '"fetched": 3' in result.stdout
