"""Backfill: a part of the API read again, in chunks, and nothing concluded beyond it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from kit.kept import KeptHomes
from kit.sandbox_home import SandboxHome
from typer.testing import CliRunner

from propsync.cli.commands import app
from propsync.errors import Busy, UsageError
from propsync.resources import BUILT_IN
from propsync.runbooks import Report, Scope
from propsync.runs import RunLock
from propsync.storage.seals import sealed, unsealed
from propsync_sandbox import Sandbox

NOTHING_FOUND = "propsync knows no property nonsense; check that you gave ids, spelt as in the API"


@pytest.fixture
def estate(tmp_path: Path, kept: KeptHomes) -> Iterator[SandboxHome]:
    """A sandbox and a home that was synced from it."""
    with Sandbox(scale=90, seed=5) as sandbox:
        made = SandboxHome(sandbox, tmp_path / "home", page_limit=40, lock_wait=0)
        kept.copied("before a backfill", made.path, lambda _: made.sync())
        assert made.rows("select status from ops.runs") == [("ok",)]
        yield made


def busiest(estate: SandboxHome, count: int = 2) -> list[str]:
    """The properties with the most assets."""
    return estate.column("select property_id from assets group by 1 order by count(*) desc, 1 limit ?", count)


def changes(estate: SandboxHome, report: Report, resource: str) -> dict[str, int]:
    """Versions that a backfill opened, by what opened them."""
    found = estate.rows(f"select change, count(*) from history.{resource} where run_id >= ? group by 1", report.run_id)
    return dict(found)


def _noting(names: list[str]) -> Any:
    """Takes each step, and notes its name."""

    def call(name: str, step: Any) -> Any:
        names.append(name)
        return step()

    return call


@pytest.mark.slow
def test_what_was_asked_for_is_merged_and_nothing_else_is_concluded(estate: SandboxHome):
    here, there = busiest(estate)
    inside = estate.column("select asset_id from assets where property_id = ? order by 1", here)
    outside = estate.column("select asset_id from assets where property_id = ? order by 1", there)
    for asset in (inside[0], outside[0]):
        estate.sandbox.world.assets.delete(asset)
    for asset in (inside[1], outside[1]):
        estate.sandbox.world.assets.scribble(asset)
    report = estate.backfill(Scope(properties=(here,)))
    assert report.exit_code == 0
    assert changes(estate, report, "assets") == {"delete": 1, "update": 1}
    shown = set(estate.column("select asset_id from assets"))
    assert inside[0] not in shown
    assert outside[0] in shown
    assert estate.sync().resources["assets"]["deleted"] == 1


@pytest.mark.slow
def test_an_asset_that_moved_away_is_found_where_it_is(estate: SandboxHome):
    here, there = busiest(estate)
    moved = estate.column("select asset_id from assets where property_id = ? order by 1", here)[0]
    estate.sandbox.world.assets.move(moved, there)
    assert estate.backfill(Scope(properties=(here,))).resources["assets"]["deleted"] == 0
    assert estate.column("select property_id from assets where asset_id = ?", moved) == [there]


@pytest.mark.slow
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
def test_each_filter_reads_what_it_is_about(estate: SandboxHome, of: str, query: str, resources: set[str]):
    ids = tuple(dict.fromkeys(estate.column(query)))
    report = estate.backfill(Scope(**{of: ids}))
    assert report.exit_code == 0
    assert {name for name in report.resources if not name.endswith("_types")} == resources
    for resource in resources:
        assert report.resources[resource]["verdict"] == "certified"
        assert report.resources[resource]["unchanged"] == report.resources[resource]["fetched"]
    if of in ("assets", "assessments"):
        assert report.resources[of]["fetched"] == len(ids)


@pytest.mark.release
def test_many_ids_are_chunks_that_are_runs_of_their_own(estate: SandboxHome):
    known = busiest(estate, 20)
    unknown = [f"no-such-property-{number:05d}" for number in range(300)]
    report = estate.backfill(Scope(properties=(*unknown, *known)))
    assert report.exit_code == 0
    runs = estate.rows("select status from ops.runs where flow = 'backfill'")
    assert len(runs) >= 2
    assert set(runs) == {("ok",)}
    expected = estate.rows("select count(*) from assets where list_contains(?, property_id)", known)[0][0]
    assert report.resources["assets"]["fetched"] == expected


@pytest.mark.release
def test_an_id_that_the_api_does_not_know_costs_the_others_nothing(estate: SandboxHome):
    """Several of which one is not found say nothing; one alone that is not found has nothing."""
    here = busiest(estate, 3)
    unknown = {"path": "/properties/assets", "query": {"property": ".*nowhere.*"}}
    estate.sandbox.set_faults([{"match": unknown, "effect": {"kind": "status", "status": 404}}])
    gone = estate.column("select asset_id from assets where property_id = ? order by 1", here[0])[0]
    estate.sandbox.world.assets.delete(gone)
    report = estate.backfill(Scope(properties=(here[0], "nowhere", *here[1:])))
    assert (report.exit_code, report.left_behind) == (0, [])
    expected = estate.rows("select count(*) from assets where list_contains(?, property_id)", here)[0][0]
    assert (report.resources["assets"]["fetched"], report.resources["assets"]["deleted"]) == (expected, 1)
    schedules = estate.rows("select count(*) from schedules where list_contains(?, property_id)", here)[0][0]
    assert report.resources["schedules"]["fetched"] == schedules


def test_ids_that_nobody_knows_are_told_and_are_no_failure(estate: SandboxHome, caplog: pytest.LogCaptureFixture):
    report = estate.backfill(Scope(properties=(*busiest(estate), "nonsense")))
    assert (report.exit_code, report.left_behind) == (0, [])
    assert report.to_json()["notes"] == [NOTHING_FOUND]
    assert NOTHING_FOUND in [one.getMessage() for one in caplog.records if one.levelname == "WARNING"]


@pytest.mark.slow
def test_an_id_whose_record_is_gone_is_no_mistyped_one(estate: SandboxHome):
    (gone,) = estate.column("select asset_id from assets limit 1")
    estate.sandbox.world.assets.delete(gone)
    report = estate.backfill(Scope(assets=(gone,)))
    assert (report.resources["assets"]["deleted"], report.notes) == (1, [])


def test_a_part_that_could_not_be_read_says_nothing_of_how_ids_are_spelt(estate: SandboxHome):
    broken = {"path": "/properties/assets", "query": {"property": ".*"}}
    estate.sandbox.set_faults([{"match": broken, "effect": {"kind": "status", "status": 400}}])
    report = estate.backfill(Scope(properties=("nonsense",)))
    assert (report.exit_code, report.notes) == (3, [])


class Died(BaseException):
    """A kill, as the code around it sees it."""


def _died_in_third_chunk(estate: SandboxHome) -> Scope:
    """A backfill that a kill ends after two chunks; returns its scope."""
    scope = Scope(properties=tuple(f"no-such-property-{number:05d}" for number in range(160)))
    steps = []

    def call(name: str, step: Any) -> None:
        steps.append(name)
        if steps.count("publish") == 2 and name == "assets":
            raise Died
        step()

    with pytest.raises(Died):
        estate.backfill(scope, call=call)
    return scope


@pytest.mark.slow
def test_one_that_was_interrupted_goes_on_where_it_stopped(estate: SandboxHome):
    scope = _died_in_third_chunk(estate)
    done = len(scope.chunks(BUILT_IN)) - 2
    again: list[str] = []
    estate.backfill(scope, call=_noting(again))
    assert again.count("publish") == done
    fresh: list[str] = []
    estate.backfill(scope, call=_noting(fresh))
    assert fresh.count("publish") == len(scope.chunks(BUILT_IN))


def test_one_that_was_interrupted_tells_what_its_first_chunks_left_behind(estate: SandboxHome):
    scope = Scope(properties=tuple(f"no-such-property-{number:05d}" for number in range(80)))
    broken = {"path": "/properties/assets", "query": {"property": ".*"}}
    estate.sandbox.set_faults([{"match": broken, "effect": {"kind": "status", "status": 400}}])
    noted = estate.path / "state" / "backfill"

    def call(name: str, step: Any) -> None:
        if name == "assets" and noted.exists():
            raise Died
        step()

    with pytest.raises(Died):
        estate.backfill(scope, call=call)
    estate.sandbox.set_faults([])
    report = estate.backfill(scope)
    assert report.resources["assets"]["verdict"] == "failed"
    assert (report.exit_code, len(report.left_behind)) == (3, 1)
    assert report.resources["schedules"]["sweeps"] == len(scope.chunks(BUILT_IN))


@pytest.mark.parametrize(("is_mended", "exit_code"), [(True, 0), (False, 3)])
def test_a_note_that_cannot_be_written_hides_nothing_of_what_is_published(
    is_mended: bool, exit_code: int, estate: SandboxHome
):
    """Exit code 1 would say that nothing is published."""
    scope = Scope(properties=tuple(f"no-such-property-{number:05d}" for number in range(80)))
    in_the_way = estate.path / "state" / "backfill"
    in_the_way.write_text("")
    steps: list[str] = []

    def call(name: str, step: Any) -> None:
        steps.append(name)
        if is_mended and steps.count("publish") == len(scope.chunks(BUILT_IN)):
            in_the_way.unlink()
        step()

    report = estate.backfill(scope, call=call)
    assert steps.count("publish") == len(scope.chunks(BUILT_IN)) > 1
    assert (report.exit_code, report.published) == (exit_code, str(estate.path / "published"))
    assert [str(in_the_way) in line for line in report.left_behind] == [True] * (not is_mended)


@pytest.mark.parametrize("status", [500, 401])
def test_one_that_fails_later_tells_that_its_first_chunks_are_published(estate: SandboxHome, status: int):
    """Exit code 1 would say that nothing is published."""
    scope = Scope(properties=tuple(f"no-such-property-{number:05d}" for number in range(80)))
    chunks = len(scope.chunks(BUILT_IN))
    fault = {"match": {"path": "/.*"}, "effect": {"kind": "status", "status": status}}
    steps: list[str] = []

    def call(name: str, step: Any) -> None:
        steps.append(name)
        step()
        if name == "publish":
            estate.sandbox.set_faults([fault])

    report = estate.backfill(scope, call=call)
    assert steps.count("publish") == 1 < chunks
    assert (report.exit_code, report.published) == (3, str(estate.path / "published"))
    assert f"answered {status}" in " ".join(report.left_behind)
    rest = f"nothing is read from chunk 2 of {chunks} on"
    assert report.left_behind[-1] == f"{rest}. The same command continues there"
    estate.sandbox.set_faults([])
    again: list[str] = []
    assert estate.backfill(scope, call=_noting(again)).exit_code == 0
    assert again.count("publish") == chunks - 1


@pytest.mark.slow
def test_one_that_was_interrupted_starts_again_if_the_settings_ask_for_more(estate: SandboxHome):
    """The chunks before the change did not read the status that the settings name now."""
    scope = _died_in_third_chunk(estate)
    again: list[str] = []
    estate.backfill(scope, call=_noting(again), schedule_statuses="notstarted,inprogress,overdue")
    assert again.count("publish") == len(scope.chunks(BUILT_IN))


@pytest.mark.slow
@pytest.mark.parametrize("days_ago", [2, pytest.param(-400, id="by a clock that was ahead")])
def test_one_that_was_interrupted_days_ago_starts_from_its_first_chunk(estate: SandboxHome, days_ago: int):
    scope = Scope(properties=tuple(f"no-such-property-{number:05d}" for number in range(160)))

    def call(name: str, step: Any) -> None:
        if name == "assets" and (noted := list((estate.path / "state" / "backfill").glob("*.json"))):
            note = json.loads(unsealed(noted[0].read_bytes()))
            then = datetime.now(UTC) - timedelta(days=days_ago)
            aged = json.dumps(note | {"at": then.isoformat()})  # its file has the time of now
            noted[0].write_bytes(sealed(aged.encode()))
            raise Died
        step()

    with pytest.raises(Died):
        estate.backfill(scope, call=call)
    again: list[str] = []
    estate.backfill(scope, call=_noting(again))
    assert again.count("publish") == len(scope.chunks(BUILT_IN))


@pytest.mark.slow
def test_one_whose_note_the_disk_has_altered_starts_from_its_first_chunk(estate: SandboxHome):
    scope = _died_in_third_chunk(estate)
    (note,) = (estate.path / "state" / "backfill").glob("*.json")
    altered = note.read_bytes().replace(b'"done":2', b'"done":3')
    assert altered != note.read_bytes()
    note.write_bytes(altered)
    again: list[str] = []
    estate.backfill(scope, call=_noting(again))
    assert again.count("publish") == len(scope.chunks(BUILT_IN))


def test_it_waits_for_the_lock_and_says_who_has_it(estate: SandboxHome):
    with RunLock(estate.path / "state" / "run.lock").held("propsync nightly", 0), pytest.raises(Busy):
        estate.backfill(Scope(assets=("a",)))


@pytest.mark.release
def test_what_a_nightly_run_held_elsewhere_stays_held(estate: SandboxHome):
    assets = estate.column("select asset_id from assets order by property_id, asset_id")
    for asset in assets[:40]:
        estate.sandbox.world.assets.delete(asset)
    night = estate.sync()
    assert (night.exit_code, night.resources["assets"]["held"]) == (3, 40)
    back = assets[0]
    estate.sandbox.world.assets.bring_back(back)
    here = estate.column("select property_id from assets where asset_id = ?", back)
    held_here = estate.column(
        "select record_id from ops.held_deletes join assets on asset_id = record_id where property_id = ?", here[0]
    )
    report = estate.backfill(Scope(properties=tuple(here)))
    still = set(estate.column("select record_id from ops.held_deletes"))
    assert back not in still
    assert still >= set(assets[:40]) - set(held_here)
    gone = report.resources["assets"]["deleted"] + report.resources["assets"]["held"]
    assert gone == len(held_here) - 1


@pytest.mark.slow
def test_backfills_delete_nothing_that_a_night_held(estate: SandboxHome):
    """The count of their deletes begins again with each night, so they would delete 20 a day."""
    assets = estate.column("select asset_id from assets order by property_id, asset_id")
    for asset in assets[:40]:
        estate.sandbox.world.assets.delete(asset)
    night = estate.sync()
    assert (night.exit_code, night.resources["assets"]["held"]) == (3, 40)
    reasons = estate.rows("select distinct reason from ops.held_deletes")
    estate.sandbox.world.assets.delete(assets[40])
    report = estate.backfill(Scope(assets=tuple(assets[30:41])))
    counts = report.resources["assets"]
    assert (report.exit_code, counts["deleted"], counts["held"]) == (3, 1, 10)
    assert estate.column("select count(*) from ops.held_deletes") == [40]
    assert estate.rows("select distinct reason from ops.held_deletes") == reasons
    estate.rebuild()
    assert set(estate.known("assets")) == {*assets} - {assets[40]}
    accepted = estate.sync(accept=night.run_id)
    assert (accepted.exit_code, accepted.resources["assets"]["deleted"]) == (0, 40)
    assert estate.is_truth("assets")


def test_deletes_of_several_backfills_count_together(estate: SandboxHome):
    spread = "row_number() over (partition by property_id order by asset_id)"
    assets = estate.column(f"select asset_id from assets order by {spread}, 1 limit 40")
    for asset in assets:
        estate.sandbox.world.assets.delete(asset)
    first, second = (estate.backfill(Scope(assets=tuple(part))) for part in (assets[:20], assets[20:]))
    assert (first.exit_code, first.resources["assets"]["deleted"]) == (0, 20)
    assert (second.exit_code, second.resources["assets"]["held"]) == (3, 20)
    total = len(estate.known("assets"))
    assert set(estate.column("select reason from ops.held_deletes")) == {
        f"this would delete 20 of {total}, after 20 since the last night, more than PROPSYNC_DELETE_LIMIT allows"
    }
    accepted = estate.sync(accept=second.run_id)
    assert (accepted.exit_code, estate.is_truth("assets")) == (0, True)


@pytest.mark.parametrize("arguments", [[], ["--property", ""], ["--asset", "a,,b"]])
def test_nothing_to_read_is_wrong_usage(arguments: list[str], estate: SandboxHome, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PROPSYNC_HOME", str(estate.path))
    result = CliRunner().invoke(app, ["backfill", *arguments])
    assert isinstance(result.exception, UsageError)


def test_an_option_takes_several_ids_one_after_the_other(estate: SandboxHome, monkeypatch: pytest.MonkeyPatch):
    for name, value in estate.environ().items():
        monkeypatch.setenv(name, value)
    ids = estate.column("select asset_id from assets limit 3")
    result = CliRunner().invoke(app, ["backfill", "--asset", *ids[:2], "--asset", ids[2], "--json"])
    assert result.exit_code == 0
    assert '"fetched": 3' in result.stdout
