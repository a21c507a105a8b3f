"""Every check objects to what breaks its rule; what is published then stays, night after night, until it is mended."""

from __future__ import annotations

import errno
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from kit.dialects import Dialect
from kit.home import Home
from kit.kept import KeptHomes
from kit.sandbox_home import SandboxHome
from kit.small_api import SmallHome, assessment, asset
from kit.unlisted import unlisted
from kit.world import World, small_world
from kit.world_home import WorldHome
from kit.world_server import WorldServer
from variants import daily

from propsync.cli.status.command import print_status
from propsync.errors import CheckFailed
from propsync.runbooks.doctor.lists import examine_lists
from propsync.warehouse import TABLES, Warehouse, quoted, run_checks
from propsync.warehouse.checks import check_files
from propsync.warehouse.declared_tables import MARTS
from propsync_sandbox import Sandbox

LATER, RUN = "99990101T000000000000Z", "20260101T000000000000Z"
_ONE = "{table} where {key} = (select max({key}) from {table})"


_COMPARED = "-- severity: warn\n-- direction: both\n-- share: 0.1\n-- floor: 1\n"


def _of(table: str, key: str) -> str:
    return _ONE.format(table=table, key=key)


# what breaks a rule in the state database, as a fault of ours or another program would
BREAKS = {
    f"{name}_history_is_seamless": f"update history.{name} set valid_to = valid_from + interval 1 second where {key} = "
    f"(select max({key}) from history.{name})"
    for name, key in (("assets", "asset_id"), ("assessments", "assessment_id"), ("schedules", "property_id"))
} | {
    "assets_match_history": f"delete from {_of('main.assets', 'asset_id')}",
    "assessments_match_history": f"delete from {_of('main.assessments', 'assessment_id')}",
    "schedules_match_history": f"delete from {_of('main.schedules', 'property_id')}",
    "values_belong_to_assets": "update main.asset_field_values set property_id = 'elsewhere' where asset_id = "
    "(select max(asset_id) from main.asset_field_values)",
}


def _type_of_nowhere(world: World) -> None:
    world.odd["assets"] = [{"id": "lost", "property": "p", "type": "nowhere", "fields": []}]


def _no_options(world: World) -> None:
    defined = [{"id": "o", "type": "option", "label": "Grade"}]
    world.odd["asset_types"] = [{"id": "t", "name": "Gates", "nameSingular": "Gate", "fields": defined}]


def _choices_by_position(world: World) -> None:
    options = [{"id": f"grade{number}", "label": f"Grade {number}"} for number in range(2)]
    defined = [{"id": "o", "type": "option", "label": "Grade", "options": options}]
    world.odd["asset_types"] = [{"id": "t", "name": "Gates", "nameSingular": "Gate", "fields": defined}]
    world.odd["assets"] = [
        {"id": f"g{n}", "property": "p", "type": "t", "fields": [{"type": "option", "field": "o", "value": [n % 2]}]}
        for n in range(8)
    ]


def _no_id(world: World) -> None:
    defined = [{"id": "o", "type": "text", "label": "Grade"}, {"type": "text", "label": "Nameless"}]
    world.odd["asset_types"] = [{"id": "t", "name": "Gates", "nameSingular": "Gate", "fields": defined}]


def _other_letters(world: World) -> None:
    one = world.assessments[0]
    one.property = one.property.swapcase()
    for other in world.assessments[1:]:
        other.property = one.property


def _types_by_name(world: World) -> None:
    names = {one.id: one.name for one in world.assessment_types}
    for one in world.assessments:
        one.type = names[one.type]


def _other_words(world: World) -> None:
    """The API may ask for `approved` and call it otherwise in its records."""
    for one in world.assessments:
        one.extra["status"] = "Signed off"


# what the API may send, which is worth a word and no more
WARNS: dict[str, Callable[[World], None]] = {
    "assets_have_listed_types": _type_of_nowhere,
    "choices_are_offered": _choices_by_position,
    "assessments_have_known_statuses": _other_words,
    "assessments_have_listed_types": _types_by_name,
    "definitions_have_ids": _no_id,
    "option_fields_have_options": _no_options,
    "properties_are_spelt_alike": _other_letters,
}
FILES = dict(check_files())
KEYED = [table for name, table in TABLES.items() if table.key and name not in MARTS]
"""The desk itself keeps the keys of marts."""


def test_every_check_has_a_case_here() -> None:
    severe = {name for name, sql in FILES.items() if "-- severity: fail" in sql}
    assert severe == set(BREAKS)
    compared = {name for name, sql in FILES.items() if "-- direction:" in sql}
    assert set(FILES) - severe - compared == {
        *WARNS,
        "actions_have_known_states",
        "complete_reads",
        "properties_are_listed",
    }


def _one_night(home: Path) -> None:
    with WorldServer(Dialect(_world())) as server:
        assert WorldHome(home, server).sync().exit_code == 0


def _world() -> World:
    return small_world(assets=24, assessments=9, schedules=6)


@pytest.fixture
def night(kept: KeptHomes, tmp_path: Path) -> Iterator[WorldHome]:
    """A copy of that home before a night on which one record of each resource changed: the smallest of each."""
    kept.copied("checked", tmp_path / "home", _one_night)
    world = _world()
    changed: list[Any] = [
        min(world.assets, key=lambda one: one.id),
        min(world.assessments, key=lambda one: one.id),
        min(world.schedules, key=lambda one: one.property),
    ]
    for one in changed:
        one.extra["note"] = "changed"
    with WorldServer(Dialect(world)) as server:
        yield WorldHome(tmp_path / "home", server)


def _rows(home: WorldHome, resource: str) -> list[tuple[Any, ...]]:
    """Its rows without the column that the night adds."""
    return home.rows(f"select columns(lambda name: name <> 'note') from main.{resource} order by all")


@pytest.mark.slow
@pytest.mark.costly
@pytest.mark.parametrize("name", daily(BREAKS, 2))
def test_what_breaks_a_rule_is_not_published_tonight_nor_tomorrow_and_the_rest_is(night: WorldHome, name: str) -> None:
    """What each check objects to is in tests/sql/checks/."""
    withheld = "assets" if name == "values_belong_to_assets" else name.partition("_")[0]
    before = _rows(night, withheld)
    files = _parquet(night, withheld)
    night.in_state(BREAKS[name])
    for _ in range(2):
        report = night.sync()
        assert report.exit_code == 3
        assert all(line.startswith(f"{withheld} keep their earlier rows: ") for line in report.left_behind)
        assert re.search(rf"^[a-z]+ keep [a-z' ]+: check {name}: .*rows?, such as", "\n".join(report.left_behind), re.M)
        assert _rows(night, withheld) == before
        assert _parquet(night, withheld) == files
        for other in {"assets", "assessments", "schedules"} - {withheld}:
            assert night.rows(f"select count(*) from {other} where note = 'changed'") == [(1,)]
    told = f"select severity, offending > 0 from ops.checks where check_name = '{name}'"
    assert night.rows(told) == [("fail", True)]


def _parquet(home: WorldHome, resource: str) -> list[bytes]:
    return [_file(home, folder, resource).read_bytes() for folder in ("parquet", "flat")]


def _file(home: WorldHome, folder: str, resource: str) -> Path:
    return home.path / "published" / folder / "main" / f"{resource}.parquet"


@pytest.mark.slow
def test_a_damaged_file_of_what_stays_is_written_again_as_it_was(night: WorldHome) -> None:
    parquet, flat = (_file(night, folder, "assets") for folder in ("parquet", "flat"))
    before, flat_before = _rows(night, "assets"), _rows_of(f"from '{flat}' order by all")
    night.in_state(BREAKS["values_belong_to_assets"])
    parquet.unlink()
    flat.unlink()
    night.sync()
    query = "select columns(lambda name: name <> 'note') from '{}' order by all"
    assert _rows_of(query.format(parquet)) == before
    assert _rows_of(query.format(flat)) == flat_before


def _rows_of(query: str) -> list[tuple[Any, ...]]:
    """In a connection that has read no earlier file of the same name."""
    with duckdb.connect() as connection:
        return connection.execute(query).fetchall()


def test_without_anything_published_nothing_is_published(night: WorldHome) -> None:
    night.in_state(BREAKS["values_belong_to_assets"])
    shutil.rmtree(night.path / "published")
    with pytest.raises(CheckFailed, match=r"check values_belong_to_assets: .*rows break it, such as"):
        night.sync()
    assert not night.published.exists()


@pytest.mark.release
def test_what_is_mended_is_published_by_the_next_run(night: WorldHome) -> None:
    night.in_state(BREAKS["values_belong_to_assets"])
    night.sync()
    night.in_state(
        "update main.asset_field_values as recorded set property_id = owner.property_id from main.assets as owner "
        "where owner.asset_id = recorded.asset_id",
    )
    assert night.sync().exit_code == 0
    assert night.rows("select count(*) from assets where note = 'changed'") == [(1,)]


def _own_check(home: Home, name: str, sql: str) -> None:
    folder = home.path / "checks"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.sql").write_text(sql)


@pytest.mark.slow
def test_checks_of_people_s_own_hold_up_what_they_read(night: WorldHome) -> None:
    _own_check(night, "no_notes", "-- severity: fail\nselect asset_id from main.assets where note = 'changed'\n")
    _own_check(night, "few_assets", "-- severity: warn\nselect count(*) from main.assets having count(*) > 3")
    _own_check(night, "misspelt", "-- severity: warn\nselect asset from main.assets")
    _own_check(night, "no_severity", "select 1 from main.assets")
    report = night.sync()
    assert report.exit_code == 3
    assert night.rows("select count(*) from main.schedules where note = 'changed'") == [(1,)]
    assert "note" not in night.column("select column_name from (describe main.assets)") or night.rows(
        "select count(*) from main.assets where note = 'changed'"
    ) == [(0,)]
    withheld, *unusable = report.left_behind
    assert withheld.startswith("assets keep their earlier rows: check no_notes: 1 row")
    assert ["misspelt.sql" in line or "no_severity.sql" in line for line in unusable] == [True, True]
    found = night.rows(
        "select check_name, offending, reads from ops.checks where check_name in ('few_assets', 'no_notes')"
    )
    assert sorted(found) == [("few_assets", 1, "main.assets"), ("no_notes", 1, "main.assets")]


@pytest.mark.slow
@pytest.mark.usefixtures("desk")
def test_own_checks_of_marts_and_of_nothing_are_told_and_hold_nothing_back(night: WorldHome) -> None:
    night.sync()
    _own_check(night, "registered", "-- severity: fail\nselect asset_id from marts.asset_register")
    _own_check(night, "one", "-- severity: fail\nselect 1 as x")
    for _ in range(2):  # the second night is quiet, and a check that somebody has edited runs all the same
        report = night.sync()
        assert (report.exit_code, report.published is not None) == (3, True)
        assert [line.partition(":")[0] for line in report.left_behind] == ["check one", "check registered"]
        assert all("publishes everything" in line for line in report.left_behind)
        _own_check(night, "one", "-- severity: fail\nselect 2 as x")
    assert "2" in night.column("select example from ops.checks where check_name = 'one'")[0]
    assert night.rebuild().left_behind == report.left_behind


def test_own_checks_are_as_people_save_them_and_replace_none_of_ours(night: WorldHome) -> None:
    names = ["marked", "ended", "remarked"]
    _own_check(night, "marked", "\ufeff-- severity: warn\nselect 1 as x")
    _own_check(night, "ended", "-- severity: warn\nselect 1 as x;\n")
    _own_check(night, "remarked", "-- severity: warn\nselect 1 as x -- one")
    _own_check(night, "row_counts", f"{_COMPARED}select 'a' as subject, 5 as value, null as total")
    _own_check(night, "writes", "-- severity: warn\ndelete from main.assets")
    report = night.sync()
    assert report.exit_code == 3
    clash, write = report.left_behind
    assert "row_counts.sql: propsync has a check of that name itself" in clash
    assert "writes.sql: it is not one SELECT" in write
    assert night.rows("select check_name, example from ops.checks where offending is null") == [("writes", write)]
    found = night.column("select check_name from ops.checks where offending > 0 order by all")
    assert found == sorted(names)
    assert night.column("select subject from ops.check_values where check_name = 'row_counts' and subject = 'a'") == []


@pytest.mark.slow
def test_an_own_check_is_forgotten_once_its_file_is_gone(night: WorldHome) -> None:
    """So people accept a change: without its earlier values a check has nothing to compare with."""
    counted = _COMPARED.replace("warn", "fail") + "select 'a' as subject, {} as value, null as total"
    of_own = "select check_name, offending from ops.checks where check_name in ('counted', 'found') order by all"
    _own_check(night, "found", "-- severity: warn\nselect 1 as x")
    _own_check(night, "counted", counted.format(9))
    assert night.sync().exit_code == 0
    assert night.rows(of_own) == [("counted", 0), ("found", 1)]
    (night.path / "checks" / "found.sql").unlink()
    _own_check(night, "counted", counted.format(5))
    assert night.sync().exit_code == 3
    assert night.rows(of_own) == [("counted", 1)]
    (night.path / "checks" / "counted.sql").unlink()
    assert night.sync().exit_code == 0
    assert night.rows(of_own) == []
    _own_check(night, "counted", counted.format(5))
    assert night.sync().exit_code == 0


@pytest.mark.slow
def test_own_checks_that_nobody_can_list_are_not_forgotten(night: WorldHome) -> None:
    """Their earlier values would go, and the next comparison would find nothing to compare with."""
    counted = _COMPARED.replace("warn", "fail") + "select 'a' as subject, {} as value, null as total"
    _own_check(night, "counted", counted.format(9))
    assert night.sync().exit_code == 0
    _own_check(night, "counted", counted.format(5))
    with pytest.MonkeyPatch.context() as patch:
        unlisted(patch, night.path / "checks", errno.EACCES)
        report = night.sync()
    assert (report.exit_code, report.published is not None) == (3, True)
    (line,) = report.left_behind
    why = "cannot be listed: Permission denied, so no check of your own has run"
    assert line.startswith(f"{night.path}/checks: {why}. Give it to the user who runs propsync")
    assert night.sync().exit_code == 3
    assert night.rows("select offending from ops.checks where check_name = 'counted'") == [(1,)]


def test_an_own_check_that_never_ends_or_reads_what_is_gone_costs_no_other(
    night: WorldHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("propsync.warehouse.check_run._MOST_SECONDS", 2)
    _own_check(night, "endless", "-- severity: warn\nselect count(*) from range(1000000000000) having count(*) > 0")
    _own_check(night, "gone", "-- severity: warn\nfrom read_csv('/nowhere/gone.csv')")
    _own_check(night, "other", "-- severity: warn\nselect 1 as x")
    report = night.sync()
    assert (report.exit_code, report.published is not None) == (3, True)
    endless, gone = report.left_behind
    assert "endless.sql: it took longer than 2 seconds" in endless
    assert "gone.sql: IO Error: No files found" in gone
    assert night.rows("select offending from ops.checks where check_name = 'other'") == [(1,)]


def test_a_list_without_a_complete_read_is_worth_a_word(night: WorldHome) -> None:
    night.in_state("update ops.run_resources set verdict = 'incomplete' where resource = 'assets'")
    assert night.sync(["schedules"]).exit_code == 0
    assert night.rows("select offending from ops.checks where check_name = 'complete_reads'") == [(1,)]


@pytest.mark.slow
def test_checks_compare_with_the_last_run(night: WorldHome, caplog: pytest.LogCaptureFixture) -> None:
    sql = "-- severity: warn\n-- direction: down\n-- share: 0.1\n-- floor: 3\n"
    _own_check(
        night, "assets_stay", f"{sql}select 'assets' as subject, count(*) as value, null as total from main.assets"
    )
    assert night.sync().exit_code == 0
    night.server.world.assets[3:9] = []
    night.sync(accept=None)
    assert "check assets_stay: 1 row, such as assets from 24 to 18" in caplog.text


@pytest.mark.slow
def test_a_run_of_documents_leaves_what_moved_as_the_sync_found_it(tmp_path: Path) -> None:
    """It follows the sync of the same night, and would compare with the values of a minute ago."""
    newest = "-- severity: warn\n-- direction: up\n-- share: 0\n-- floor: 0.001\n"
    newest += "select 'newest' as subject, epoch(max(changed_at)) as value, null as total from {}"
    with Sandbox(scale=40, seed=5) as sandbox:
        home = SandboxHome(sandbox, tmp_path / "home")
        home.has_desk = True
        home.path.mkdir()
        _own_check(home, "newest", newest.format("main.assets"))
        _own_check(home, "registered", newest.format("marts.asset_register"))
        _own_check(home, "misspelt", "-- severity: warn\nselect asset from main.assets")
        for _ in range(2):
            report = home.night()
            sandbox.night()
    last = "(select max(run_id) from ops.runs where flow = 'nightly')"
    found = f"select check_name, offending, run_id = {last} from ops.checks where offending > 0 and "
    assert home.rows(f"{found} check_name in ('newest', 'registered') order by all") == [
        ("newest", 1, True),
        ("registered", 1, True),
    ]
    assert home.rows(f"select count(*) > 0 from ops.runs where flow = 'archive' and run_id > {last}") == [(True,)]
    (line,) = report.left_behind
    assert "misspelt.sql" in line, "once, although both runs came upon it"


@pytest.mark.slow
def test_a_renamed_field_and_a_new_one_have_lost_no_values(small_nights: SmallHome) -> None:
    found = "select offending, example from ops.checks where check_name = 'empty_values'"
    api = small_nights.server

    def night(values: dict[str, str | None], **labels: str) -> Any:
        fields = [{"id": key, "type": "text", "label": label} for key, label in labels.items()]
        results = [{"type": "text", "field": key, "value": values.get(key)} for key in labels]
        api.types = [{"id": "t1", "name": "Doors", "fields": fields}]
        api.assets = [asset(f"a{number}", fields=results) for number in range(30)]
        assert small_nights.sync().exit_code == 0
        return small_nights.rows(found)

    assert night({"f2": "x"}, f1="Remarks", f2="Name") == [(0, None)]
    assert night({"f2": "x"}, f1="Notes", f2="Name", f3="Colour") == [(0, None)]
    assert night({}, f1="Notes", f2="Names", f3="Colour") == [(1, "by_type.doors.name from 0 to 30")]


@pytest.mark.slow
@pytest.mark.parametrize("results", [[], [{"type": "text", "field": "f1", "value": " "}]], ids=["gone", "blank"])
def test_values_that_go_blank_and_results_that_go_are_lost_values(small_nights: SmallHome, results: Any) -> None:
    api = small_nights.server
    api.assets = [asset(f"a{number}") for number in range(30)]
    assert small_nights.sync().exit_code == 0
    api.assets = [asset(f"a{number}", fields=results) for number in range(30)]
    assert small_nights.sync().exit_code == 0
    found = "select offending, example from ops.checks where check_name = 'empty_values'"
    assert small_nights.rows(found) == [(1, "by_type.doors.name from 0 to 30")]


def test_what_a_check_warns_of_is_in_the_report_and_in_the_status(
    small_nights: SmallHome, capsys: pytest.CaptureFixture[str]
) -> None:
    """A timetable keeps the log of a night that exits 0 from everybody."""
    api = small_nights.server
    api.assets = [asset(f"a{number}") for number in range(30)]
    assert small_nights.sync().notes == []
    api.assets = [asset(f"a{number}", fields=[]) for number in range(30)]
    report = small_nights.sync()
    found = "check empty_values: 1 row, such as by_type.doors.name from 0 to 30"
    assert (report.exit_code, report.left_behind) == (0, [])
    assert f'{found}. Look at them: propsync query "from ops.checks"' in report.notes
    capsys.readouterr()
    assert print_status(small_nights.settings(), None, as_json=False) == 0
    assert f'{found.capitalize()} (propsync query "from ops.checks")' in capsys.readouterr().out.splitlines()


def test_a_check_that_reads_a_mart_warns_in_the_report_too(small_nights: SmallHome) -> None:
    small_nights.sync()
    small_nights.has_desk = True
    _own_check(small_nights, "counted", "-- severity: warn\nselect count(*) as counted from marts.schedule_status")
    assert [line.partition(":")[0] for line in small_nights.sync().notes] == ["check counted"]


def test_a_list_of_properties_that_fits_no_record_is_worth_a_word(small_nights: SmallHome) -> None:
    """Its rows count as properties that nobody ever assessed, and the records have no homes."""
    small_nights.has_desk = True
    small_nights.path.mkdir()
    listed = small_nights.path / "properties.csv"
    listed.write_text("property_id\n1\n2\n3\n4\n5\n")
    (small_nights.path / "propsync.toml").write_text('[reference]\nproperties = "properties.csv"\n')
    report = small_nights.sync()
    assert report.exit_code == 0
    assert [line.partition(":")[0] for line in report.notes] == ["check properties_are_listed"]
    [known] = small_nights.column("select distinct property_id from main.assets")
    rows, fit = examine_lists(small_nights.settings())
    assert (rows.is_well, fit.is_well) == (True, False)
    assert fit.seen == f"the API has none of its ids, such as 1; it has {known}"
    listed.write_text(f"property_id\n1\n2\n3\n4\n{known}\n")
    assert [one.is_well for one in examine_lists(small_nights.settings())] == [True]
    assert small_nights.sync().notes == []


def test_a_long_example_is_one_short_line_for_people(
    small_nights: SmallHome, capsys: pytest.CaptureFixture[str]
) -> None:
    """A check with whole records put ten thousand characters of them into each report, in several lines."""
    small_nights.server.assets = [asset("a1", note="one\ntwo " + "z" * 5000)]
    small_nights.sync()
    _own_check(small_nights, "notes", "-- severity: warn\nselect asset_id, payload->>'note' as note from main.assets")
    [line] = small_nights.sync().notes
    assert "one two zzz" in line
    assert len(line) < 300
    capsys.readouterr()
    print_status(small_nights.settings(), None, as_json=False)
    [shown] = [one for one in capsys.readouterr().out.splitlines() if "zzz" in one]
    assert shown.startswith("Check notes: 1 row, such as {'asset_id': a1, 'note': one two zzz")
    assert len(small_nights.column("select example from ops.checks where check_name = 'notes'")[0]) > 5000


@pytest.mark.slow
def test_approvals_that_lose_their_dates_are_reported(small_nights: SmallHome) -> None:
    small_nights.has_desk = True
    for dates in ({"performedDate": "2026-01-10"}, {}):
        places = [assessment(f"s{number}", property=f"p{number}", **dates) for number in range(12)]
        small_nights.server.assessments = places
        small_nights.sync()
    found = "select offending, example from ops.checks where check_name = 'approval_dates'"
    assert small_nights.rows(found) == [(1, "approvals of assessment type k1 with a date of their own from 12 to 0")]


def test_a_value_of_nothing_is_compared_with_nothing(night: WorldHome) -> None:
    query = "-- severity: warn\n-- direction: up\n-- share: 0.1\n-- floor: 1\n"
    query += "select unnest([null, 'assets']) as subject, 1 as value, null as total"
    _own_check(night, "nameless", query)
    assert night.sync().exit_code == 0
    assert night.rows("select subject from ops.check_values where check_name = 'nameless'") == [("assets",)]


def test_two_values_of_one_subject_are_a_mistake(night: WorldHome) -> None:
    _own_check(night, "doubled", f"{_COMPARED}select 'a' as subject, unnest([1, 2]) as value, null as total")
    for _ in range(2):
        report = night.sync()
        assert report.exit_code == 3
        assert "doubled.sql: several rows have the subject a" in report.left_behind[0]
    assert night.rows("select check_name from ops.check_values where check_name = 'doubled'") == []


@pytest.mark.costly
@pytest.mark.parametrize("name", WARNS)
def test_what_is_worth_a_word_is_published_and_told(
    night: WorldHome, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    WARNS[name](night.server.world)
    assert night.sync().exit_code == 0
    assert [line for line in caplog.messages if line.startswith(f"check {name}: 1 row, such as")]
    told = f"select severity, offending, example is not null from ops.checks where check_name = '{name}'"
    assert night.rows(told) == [("warn", 1, True)]


@pytest.fixture(scope="session")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warehouse]:
    folder = tmp_path_factory.mktemp("warehouse")
    with Warehouse(folder / "state.duckdb", memory_limit="300MB", folder=folder) as warehouse:
        yield warehouse


_VALUES = {
    "VARCHAR": "'x'",
    "INTEGER": "1",
    "BIGINT": "1",
    "TIMESTAMPTZ": "timestamptz '2026-01-01 00:00:00+00'",
    "DATE": "date '2026-01-01'",
}


def test_runs_between_two_syncs_leave_what_moved_to_the_sync(warehouse: Warehouse) -> None:
    told = "select offending, run_id from ops.checks where check_name = 'new_options'"
    night, hint, next_night = (f"20260101T00000{number}000000Z" for number in range(3))

    def changed(run_id: str, options: int) -> None:
        rows = [("t", "f", f"o{number}", "Label", True) for number in range(options)]
        warehouse.execute("delete from main.asset_field_options")
        warehouse.execute("delete from ops.tables")
        warehouse.add("main.asset_field_options", rows)
        warehouse.add("ops.tables", [("main", "asset_field_options", None, run_id, options)])

    try:
        changed(night, 1)
        run_checks(warehouse, night)
        changed(hint, 2)
        run_checks(warehouse, hint, since=night, is_in_between=True)
        assert warehouse.rows(told) == [(0, night)]
        run_checks(warehouse, next_night, since=hint)
        assert warehouse.rows(told) == [(1, next_night)], "although this night changed nothing itself"
    finally:
        for name in ("main.asset_field_options", "ops.tables", "ops.checks", "ops.check_values"):
            warehouse.execute(f"delete from {name}")


@pytest.mark.parametrize("table", KEYED, ids=lambda table: table.full_name)
def test_a_key_that_comes_twice_fails_the_run(warehouse: Warehouse, table: Any) -> None:
    columns = ", ".join(map(quoted, table.key))
    given = _VALUES | {"check_name": "'assets_match_history'"}  # propsync forgets checks that do not exist
    values = ", ".join(given.get(name) or given[table.columns[name][0]] for name in table.key)
    warehouse.add("ops.tables", [(table.schema, table.name, None, LATER, 2)])
    try:
        assert not run_checks(warehouse, RUN).broken
        for _ in range(2):
            warehouse.execute(f"insert into {table.full_name} ({columns}) values ({values})")
        assert run_checks(warehouse, RUN).broken
        told = f"select severity, offending from ops.checks where check_name = '{table.full_name}_key_is_unique'"
        assert warehouse.rows(told) == [("fail", 1)]
    finally:
        for name in {table.full_name, "ops.tables", "ops.checks"}:
            warehouse.execute(f"delete from {name}")
