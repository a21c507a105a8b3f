"""Marts rest on the lists and choices of people: a good list counts, and a mistake costs no other table."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kit.archives import SMALL, Place, place
from kit.small_api import SmallHome

from propsync.runbooks.doctor.examine import examine

pytestmark = pytest.mark.usefixtures("desk")

ISSUES = "select list, line, record_id from ops.reference_issues where is_mistake order by all"
CHOICES = ("ops.desk", "ops.roles", "main.requirements", "marts.compliance")


@pytest.fixture
def home(tmp_path: Path, synced_small: Path) -> Iterator[Place]:
    with place(tmp_path / "home", synced_small, scale=SMALL) as made:
        yield made


def give(home: Place, requirements: str, desk: str = "") -> Any:
    ids = sorted(home.sandbox.world.properties.ids())
    rows = "".join(f"{name},Block {number},{number + 10}.5 m,{number}\n" for number, name in enumerate(ids))
    (home.path / "p.csv").write_text(f"property_id,name,height_m,homes\n{rows}", encoding="utf-8")
    (home.path / "r.csv").write_text(f"assessment_type_id,property_id,condition,every_months\n{requirements}")
    lists = '[reference]\nproperties = "p.csv"\nrequirements = "r.csv"\n'
    (home.path / "propsync.toml").write_text(lists + desk, encoding="utf-8")
    return home.sync()


def required(home: Place) -> list[tuple[Any, ...]]:
    return home.rows("select property_id, assessment_type_id, every_months from marts.compliance order by all")


@pytest.mark.release
def test_a_list_decides_and_a_mistake_in_it_leaves_the_last_good_one(home: Place) -> None:
    ids = sorted(home.sandbox.world.properties.ids())
    fire, gas, water, *_ = home.column("select assessment_type_id from assessment_types order by 1")
    good = f"{fire},,height_m >= 12,36\n{gas},{ids[0]},,12\n{water},,homes < 0,\n"
    assert give(home, good).exit_code == 0
    expected = sorted([(one, fire, 36) for one in ids[2:]] + [(ids[0], gas, 12)])
    assert required(home) == expected
    gaps = "select record_id, issue from ops.reference_issues where issue like 'no property fits%'"
    assert home.rows(gaps) == [(water, "no property fits the condition homes < 0")]

    report = give(home, f"{fire}9,,,\n{gas},nowhere,,\n{gas},,tall,\n{gas},,colour = red,\n{gas},,,soon\n")
    assert report.exit_code == 3
    (line,) = report.left_behind
    assert line.startswith(f"the list requirements stays as it was: {home.path / 'r.csv'} line 2: ")
    assert line.endswith("and 4 more in ops.reference_issues. Correct the list; the next sync reads it")
    found = [("requirements", 2, f"{fire}9"), ("requirements", 3, "nowhere")]
    assert home.rows(ISSUES) == [*found, *(("requirements", number, gas) for number in (4, 5, 6))]
    assert required(home) == expected

    before = {table: home.rows(f"from {table} order by all") for table in CHOICES}
    assert home.rebuild().exit_code == 3
    assert {table: home.rows(f"from {table} order by all") for table in CHOICES} == before

    assert give(home, f"{gas},{ids[1]},,6\n").exit_code == 0
    assert required(home) == [(ids[1], gas, 6)]


@pytest.mark.slow
def test_a_list_that_propsync_toml_names_no_more_goes(
    small_nights: SmallHome, caplog: pytest.LogCaptureFixture
) -> None:
    small_nights.path.mkdir()
    (small_nights.path / "u.csv").write_text("user_id,name\nu1,Ann\n")
    (small_nights.path / "propsync.toml").write_text('[reference]\nusers = "u.csv"\n')
    small_nights.sync()
    assert small_nights.rows("from users") == [("u1", "Ann")]
    (small_nights.path / "propsync.toml").unlink()
    copy = shutil.copytree(small_nights.path, small_nights.path.parent / "restored")
    restored = SmallHome(copy, "", small_nights.server).rebuild()
    hiding = SmallHome(
        shutil.copytree(small_nights.path, copy.with_name("hiding")),
        str(small_nights.usual["base_url"]),
        small_nights.server,
    )
    (hiding.path / "propsync.toml").write_text('[privacy]\nhide = ["assets.note"]\n')
    said = {one.what: one.seen for one in examine(small_nights.settings())}
    assert "the next sync removes its table" in said["list users"]
    report = small_nights.sync()
    assert report.exit_code == restored.exit_code == 0
    words = "the list users: propsync.toml does not name it any more, so its table is gone and no mart rests on it"
    assert [[words in line for line in one.notes] for one in (report, restored)] == [[True], [True]]
    caplog.clear()
    hiding.sync()
    assert [words in line for line in caplog.messages].count(True) == 1
    tables = "select schema_name, table_name from duckdb_tables() where not internal order by all"
    after = small_nights.rows(tables)
    assert ("main", "users") not in after
    assert list(small_nights.path.rglob("users.parquet")) == []
    assert small_nights.rebuild().notes == []
    assert small_nights.rows(tables) == after


@pytest.mark.release
def test_an_entry_that_the_data_contradicts_costs_exit_3_and_nothing_else(home: Place) -> None:
    wrong = '[desk]\nassessment_date = "finishedOn"\ndue_soon_days = 45\n[desk.roles]\nserial = "No such label"\n'
    home.sandbox.night()
    (home.path / "propsync.toml").write_text(wrong)
    report = home.sync()
    assert (report.exit_code, len(report.left_behind)) == (3, 2)
    assert report.left_behind[0].startswith("[desk] assessment_date: no assessment has the member finishedOn; ")
    assert report.left_behind[1].startswith("[desk.roles] serial: no asset type has a field with a label like ")
    assert home.is_truth("assessments")
    chosen = {setting: (value, source) for setting, value, source, _ in home.rows("from ops.desk")}
    assert chosen["assessment_date"] == ("performedDate", "found")
    assert chosen["due_soon_days"] == ("45", "configured")
    unfit = "select setting from ops.desk where starts_with(evidence, 'propsync.toml says otherwise: ') order by all"
    assert home.column(unfit) == ["assessment_date", "roles.serial"]
    sources = home.column("select distinct source from ops.roles where role = 'serial'")
    assert sources == ["found"]

    marks = "select table_name, changed_run_id from ops.tables where table_schema = 'ops' order by all"
    before = home.rows(marks)
    home.sync()
    assert home.rows(marks) == before, "choices that stay mark no table"
    home.rebuild()
    assert {setting: (value, source) for setting, value, source, _ in home.rows("from ops.desk")} == chosen


@pytest.mark.release
def test_a_member_that_people_name_dates_assessments_and_unread_dates_are_reported(home: Place) -> None:
    key = home.column("select assessment_id from assessments where status = 'approved' order by 1")[0]
    home.sandbox.world.assessments.set_members(key, performedDate="31/03/2026")
    (home.path / "propsync.toml").write_text('[desk]\nassessment_date = "performedDate"\n')
    assert home.sync().exit_code == 0
    issues = "select record_id, name, value from ops.value_issues where issue = 'is not a date that propsync can read'"
    assert home.rows(issues) == [(key, "performedDate", "31/03/2026")]
    before = home.rows("from ops.value_issues order by all")
    home.rebuild()
    assert home.rows("from ops.value_issues order by all") == before
    (home.path / "propsync.toml").write_text("")
    home.sandbox.world.assessments.set_members(key, performedDate="2026-03-31")
    home.sync()
    assert home.rows(issues) == []
