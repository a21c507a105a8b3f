"""Marts follow all that they are made of: a quiet night passes over them only if none of it changed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from kit.deaths import Killed
from kit.small_api import SmallHome, assessment, asset

from propsync.desk import Marts, inputs
from propsync.errors import MergeFailed, TokenRefused
from propsync.runbooks import Scope
from propsync.runbooks import desk as runbook

pytestmark = pytest.mark.usefixtures("desk")

NIGHT = datetime(2026, 3, 1, 2, 30, tzinfo=UTC)
INPUTS = "select mart, inputs, error from ops.marts order by all"


@pytest.fixture
def upgraded(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Later a test may set another version of propsync."""
    yield monkeypatch
    monkeypatch.undo()
    inputs.made_by.cache_clear()


def _fails(*_: Any) -> bool:
    raise MergeFailed("a mart", "planted")


def test_another_time_zone_moves_every_day_that_dates_an_assessment(small_nights: SmallHome) -> None:
    home, night = small_nights, datetime(2026, 5, 1, 12, tzinfo=UTC)
    home.server.assessments = [assessment("s1", performedDate="2026-03-31T23:30:00Z")]
    days = "select quarter, last_approved_on::varchar from marts.assessor_quarters, marts.compliance"
    assert home.sync(now=night).exit_code == 0
    assert home.rows(days) == [("2026 Q2", "2026-04-01")]
    assert home.sync(now=night, time_zone="America/St_Johns").exit_code == 0
    assert home.rows(days) == [("2026 Q1", "2026-03-31")]


@pytest.mark.release
def test_an_upgrade_makes_every_row_again(small_nights: SmallHome, upgraded: pytest.MonkeyPatch) -> None:
    home = small_nights
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Marts, "_replace", _fails)
        assert home.sync(now=NIGHT).exit_code == 3
    home.in_state("update marts.asset_register set serial = 'by older SQL'")
    home.in_state("update marts.changes set change = 'by older SQL'")
    assert home.sync(now=NIGHT).exit_code == 0
    assert home.column("select count(error) from ops.marts") == [0], "a quiet night builds those that failed"
    assert home.column("select distinct serial from marts.asset_register") == ["by older SQL"], "nothing is newer"
    upgraded.setattr(inputs, "__version__", "99.0.0")
    inputs.made_by.cache_clear()
    assert home.sync(now=NIGHT).exit_code == 0
    assert home.column("select distinct serial from marts.asset_register") == [None]
    assert home.column("select distinct change from marts.changes") == ["new"]


@pytest.mark.release
def test_settings_of_a_killed_run_leave_no_mart_behind(small_nights: SmallHome) -> None:
    home = small_nights
    home.sync(now=NIGHT)
    before = home.rows(INPUTS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runbook, "note_misfits", _dies)
        with pytest.raises(Killed):
            home.sync(now=NIGHT, time_zone="Europe/Paris")
    home.sync(now=NIGHT)
    assert home.rows(INPUTS) == before


def _dies(*_: Any) -> None:
    raise Killed("after the marts")


@pytest.mark.release
def test_a_list_and_a_shape_change_marts_alone(small_nights: SmallHome) -> None:
    """The API shows the same as the night before; only people's own files differ."""
    home = small_nights
    listed, settings = home.path.parent / "properties.csv", home.path / "propsync.toml"
    home.path.mkdir()
    listed.write_text("property_id,name\np1,Elm House\n")
    settings.write_text(f'[reference]\nproperties = "{listed}"\n')
    for number, link in enumerate("ab"):
        home.server.assessments[0] = assessment("s0", flags=[{"type": "x", "link": link}])
        assert home.sync(now=NIGHT.replace(day=1 + number)).exit_code == 0
    flags = "select field from marts.changes where record_id = 's0' and change = 'changed'"
    names = "select distinct property_name from marts.asset_register"
    assert (home.column(flags), home.column(names)) == (["flags"], ["Elm House"])
    listed.write_text("property_id,name\np1,Elm Court\n")
    with settings.open("a") as more:
        more.write('[shapes]\nvolatile = ["flags[].link"]\n')
    assert home.sync(now=NIGHT.replace(day=2)).exit_code == 0
    assert (home.column(flags), home.column(names)) == ([None], ["Elm Court"])


@pytest.mark.slow
def test_a_rebuild_after_a_night_that_read_nothing_keeps_the_day_of_the_marts(small_nights: SmallHome) -> None:
    """Otherwise schedules would fall overdue that no run has looked at."""
    home, days = small_nights, "select max(day)::varchar from marts.compliance_days"
    home.sync(now=NIGHT)
    before = home.rows(days)
    home.server.answer = lambda _, __: (401, {"message": "no"})
    with pytest.raises(TokenRefused):
        home.sync(now=NIGHT.replace(day=5))
    assert home.rebuild().exit_code == 0
    assert home.rows(days) == before


@pytest.mark.slow
def test_a_kill_between_the_rows_of_a_mart_and_its_note_leaves_no_file_behind(small_nights: SmallHome) -> None:
    home = small_nights
    home.sync(now=NIGHT)
    home.server.assessments[0] = assessment("s0", status="submitted")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Marts, "_note", _dies)
        with pytest.raises(Killed):
            home.sync(now=NIGHT.replace(day=2))
    assert home.sync(now=NIGHT.replace(day=2)).exit_code == 0
    folder = home.published.parent / "parquet" / "marts"
    for mart in ("compliance", "properties", "asset_register"):
        rows = "select count(*), sum(hash(one)) from {} as one"
        assert home.rows(rows.format(f"'{folder}/{mart}.parquet'")) == home.rows(rows.format(f"marts.{mart}")), mart


@pytest.mark.slow
def test_what_the_first_complete_read_finds_after_a_backfill_is_not_new(small_nights: SmallHome) -> None:
    home, api = small_nights, small_nights.server
    first_load = "select count(*) filter (is_first_load), count(*) from marts.changes where resource = 'assets'"
    only = {"total": 1, "assets": api.assets[:1], "types": api.types}
    api.answer = lambda path, query: (200, only) if "id" in query else None
    assert home.backfill(Scope(assets=("a0",))).exit_code == 0
    assert home.rows(first_load) == [(1, 1)]
    assert home.sync().exit_code == 0
    assert home.rows(first_load) == [(6, 6)]
    api.assets.append(asset("later"))
    assert home.sync().exit_code == 0
    assert home.rows(first_load) == [(6, 7)]


@pytest.mark.parametrize(
    ("member", "person", "told"),
    [
        ("completedBy", "Ann Jones", ("Ann Jones", "Ann Jones")),
        ("carriedOutBy", "u17", ("u17", None)),
        ("assessedBy", {"id": "u17", "name": "Ann Jones"}, ("u17", "Ann Jones")),
        ("completedAt", "Ann Jones", (None, None)),
    ],
)
def test_whoever_completed_an_assessment_is_its_assessor(
    small_nights: SmallHome, member: str, person: object, told: tuple[str | None, str | None]
) -> None:
    small_nights.server.assessments = [assessment(f"s{at}", **{member: person}) for at in range(4)]
    assert small_nights.sync().exit_code == 0
    assert small_nights.rows("select assessor, assessor_name from marts.assessor_quarters") == [told]
