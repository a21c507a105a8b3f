"""A renamed assessment type: measures of earlier days stay as they were known, and the rename is on record."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from kit.small_api import SmallHome, assessment, asset

pytestmark = pytest.mark.usefixtures("desk")

EVENING = datetime(2026, 3, 31, 20, tzinfo=UTC)
NEXT_NIGHT = datetime(2026, 4, 1, 1, tzinfo=UTC)
RENAMED = datetime(2026, 4, 5, 1, tzinfo=UTC)
YEAR_END = "select * from marts.measures where day = date '2026-03-31' and measure like 'BS%' order by all"
OF_YEAR_END = "select assessment_types, denominator from marts.measures where day = '2026-03-31' and measure = 'BS01'"
SERIES = (
    "select measure, day, title, assessment_types, numerator, basis from marts.measures where is_known order by all"
)


@pytest.fixture
def home(small_nights: SmallHome) -> SmallHome:
    """Two nights around the end of a fiscal year, with homes; k2 is a check that no measure takes by its name."""
    home = small_nights
    listed = home.path.parent / "properties.csv"
    home.path.mkdir()
    listed.write_text("property_id,name,homes\np1,Elm House,12\n")
    (home.path / "propsync.toml").write_text(f'[reference]\nproperties = "{listed}"\n')
    home.server.assessment_types = [{"id": "k1", "name": "Fire risk"}, {"id": "k2", "name": "Boiler MOT"}]
    home.server.assessments.append(assessment("b", type="k2"))
    for now in (EVENING, NEXT_NIGHT):
        assert home.sync(now=now).exit_code == 0
    return home


def _measured(home: SmallHome) -> list[tuple[Any, ...]]:
    query = "select measure, assessment_types, denominator from marts.measures where day = date '{}' and measure in {}"
    return [
        row for day in ("2026-03-31", "2026-04-05") for row in sorted(home.rows(query.format(day, "('BS01', 'BS02')")))
    ]


@pytest.mark.release
def test_a_renamed_type_leaves_the_measures_of_earlier_days(home: SmallHome) -> None:
    before = home.rows(YEAR_END)
    home.server.assessment_types = [{"id": "k1", "name": "Block safety"}, {"id": "k2", "name": "Gas safety check"}]
    assert home.sync(now=RENAMED).exit_code == 0
    assert home.rows(YEAR_END) == before
    assert _measured(home) == [
        ("BS01", None, None),
        ("BS02", "Fire risk", 12),
        ("BS01", "Gas safety check", 12),
        ("BS02", None, None),
    ]
    for sql, *numbers in home.rows(
        "select sql, numerator, denominator, unknown from marts.measures where is_known and sql is not null"
    ):
        assert home.rows(sql) == [tuple(numbers)], sql
    series = home.rows(SERIES)
    home.rebuild()
    assert home.rows(YEAR_END) == before
    assert home.rows(SERIES) == series


@pytest.mark.release
def test_a_series_of_one_type_keeps_its_key_and_has_one_title(home: SmallHome) -> None:
    home.server.assessment_types[0] = {"id": "k1", "name": "Block safety"}
    home.sync(now=RENAMED)
    of_type = "select day::varchar, title, assessment_types from marts.measures where measure = 'homes in date: k1'"
    assert home.rows(f"{of_type} and is_known order by all") == [
        ("2026-03-31", "Block safety in date", "Fire risk"),
        ("2026-04-05", "Block safety in date", "Block safety"),
    ]
    names = "select distinct assessment_type from marts.compliance_days where is_known and assessment_type_id = 'k1'"
    assert home.column(names) == ["Block safety"]
    for form in ("parquet", "flat"):
        file = home.published.parent / form / "marts" / "compliance_then.parquet"
        then = f"select distinct assessment_type from '{file}' where assessment_type_id = 'k1'"
        assert home.column(then) == ["Block safety"]


@pytest.mark.release
def test_a_type_that_settings_name_still_counts_once_it_is_renamed(home: SmallHome) -> None:
    with (home.path / "propsync.toml").open("a", encoding="utf-8") as settings:
        settings.write('[desk.measures]\nBS01 = ["Boiler MOT"]\n')
    assert home.sync(now=NEXT_NIGHT).exit_code == 0
    before = home.rows(YEAR_END)
    home.server.assessment_types[1] = {"id": "k2", "name": "Heating check"}
    report = home.sync(now=RENAMED)
    assert (report.exit_code, len(report.left_behind)) == (3, 1)
    assert "one that had it before still counts" in report.left_behind[0]
    assert home.rows(YEAR_END) == before
    today = "select assessment_types from marts.measures where measure = 'BS01' and day = date '2026-04-05'"
    assert home.column(today) == ["Heating check"]


@pytest.mark.slow
def test_a_name_in_settings_that_another_type_has_now_is_reported_until_it_is_an_id(home: SmallHome) -> None:
    settings = home.path / "propsync.toml"
    before = settings.read_text(encoding="utf-8")
    settings.write_text(f'{before}[desk.measures]\nBS01 = ["Boiler MOT"]\n', encoding="utf-8")
    assert home.sync(now=NEXT_NIGHT).exit_code == 0
    numbers = home.rows(OF_YEAR_END)
    assert numbers == [("Boiler MOT", 12)]
    home.server.assessment_types[:2] = [{"id": "k1", "name": "Boiler MOT"}, {"id": "k2", "name": "Fire risk"}]
    report = home.sync(now=RENAMED)
    assert report.exit_code == 3
    (line,) = report.left_behind
    assert line.startswith("[desk.measures] BS01: the assessment type k1 has the name Boiler MOT, which k2 had before.")
    assert "Write the id of the type that counts" in line
    settings.write_text(f'{before}[desk.measures]\nBS01 = ["k2"]\n', encoding="utf-8")
    assert home.sync(now=RENAMED + timedelta(days=1)).exit_code == 0
    assert home.rows(OF_YEAR_END) == numbers


@pytest.mark.slow
def test_a_type_that_came_went_or_has_another_name_is_on_record(small_nights: SmallHome) -> None:
    home = small_nights
    home.sync()
    home.server.assessment_types = [{"id": "k1", "name": "Block safety"}, {"id": "k2", "name": "Lifts"}]
    assert home.sync().exit_code == 0
    home.server.assessment_types = [{"id": "k1", "name": "Block safety"}]
    home.sync()
    home.sync()
    home.server.assessment_types.append({"id": "k2", "name": "Lifts"})
    home.sync()
    query = "select change, name, before, after from ops.schema_changes where change like 'assessment type %'"
    told = [
        ("assessment type listed again", "k2", "Lifts", "Lifts"),
        ("assessment type listed no more", "k2", "Lifts", "Lifts"),
        ("assessment type new", "k2", None, "Lifts"),
        ("assessment type renamed", "k1", "Fire risk", "Block safety"),
    ]
    assert sorted(home.rows(query)) == told
    home.rebuild()
    assert sorted(home.rows(query)) == told


@pytest.mark.slow
def test_a_table_keeps_its_name_through_a_night_without_names_of_types(small_nights: SmallHome) -> None:
    api = small_nights.server
    named = api.types
    api.types = [{name: value for name, value in one.items() if name != "name"} for one in named]
    assert small_nights.sync().exit_code == 0
    of_files = "select table_name from duckdb_tables() where schema_name = 'by_type'"
    tables = f"select table_name from asset_types union all {of_files}"
    assert small_nights.column(tables) == ["t1", "t1"]
    for types in (named, api.types, named):
        api.types = types
        assert small_nights.sync().exit_code == 0
        assert small_nights.column(tables) == ["doors", "doors"]
        small_nights.rebuild()
        assert small_nights.column(tables) == ["doors", "doors"]


@pytest.mark.slow
def test_types_whose_ids_are_null_for_a_night_get_no_names_for_keys(small_nights: SmallHome) -> None:
    api = small_nights.server
    api.assessment_types = with_ids = [{"id": "k1", "name": "Fire risk"}, {"id": "k2", "name": "Gas safety"}]
    assert small_nights.sync().exit_code == 0
    query = "select assessment_type_id, name, is_listed from assessment_types order by all"
    before = small_nights.rows(query)
    api.assessment_types = [one | {"id": None} for one in with_ids]
    report = small_nights.sync()
    assert (report.exit_code, small_nights.rows(query)) == (3, before)
    assert any("[shapes.assessment_types] id" in line for line in report.left_behind)
    api.assessment_types = with_ids
    assert (small_nights.sync().exit_code, small_nights.rows(query)) == (0, before)
    api.assessment_types = [{"uid": one["id"], "name": one["name"]} for one in with_ids]
    assert (small_nights.sync().exit_code, small_nights.rows(query)) == (0, before)


@pytest.mark.slow
def test_names_that_were_taken_for_ids_of_types_go_as_the_docs_say(small_nights: SmallHome) -> None:
    """Types came without ids on the first night, and propsync keeps to the id that it found."""
    api = small_nights.server
    with_ids = [{"id": "k1", "name": "Fire risk"}, {"id": "k2", "name": "Gas safety"}]
    api.assessment_types = [{"name": one["name"]} for one in with_ids]
    query = "select assessment_type_id, name, is_listed from assessment_types order by all"
    assert small_nights.sync().exit_code == 0
    api.assessment_types = with_ids
    assert small_nights.sync().exit_code == 0
    assert small_nights.rows(query) == [("Fire risk", None, True), ("Gas safety", None, True)]
    (small_nights.path / "propsync.toml").write_text('[shapes.assessment_types]\nid = "id"\n')
    assert small_nights.sync().exit_code == 0
    assert {("k1", "Fire risk", True), ("Fire risk", "Fire risk", False)} <= set(small_nights.rows(query))
    small_nights.rebuild()
    assert small_nights.rows(query) == [("k1", "Fire risk", True), ("k2", "Gas safety", True)]


@pytest.mark.slow
@pytest.mark.costly
@pytest.mark.parametrize("without", [{"id": None}, {"uid": "t1"}])
def test_asset_types_that_lost_their_ids_stay_listed(small_nights: SmallHome, without: dict[str, Any]) -> None:
    api = small_nights.server
    assert small_nights.sync().exit_code == 0
    (door,) = with_ids = api.types
    api.types = [{name: value for name, value in door.items() if name != "id"} | without]
    report = small_nights.sync()
    assert (report.exit_code, small_nights.rows("select asset_type_id, is_listed from asset_types")) == (
        3,
        [("t1", True)],
    )
    assert any("no record has the documented member 'id'" in line for line in report.left_behind)
    api.types = with_ids
    assert small_nights.sync().exit_code == 0


@pytest.mark.slow
def test_a_night_whose_few_assets_are_all_odd_rejects_these_alone(small_nights: SmallHome) -> None:
    small_nights.server.assets = [asset("a1"), asset("a2")]
    assert small_nights.sync().exit_code == 0
    small_nights.server.assets = [asset("a1") | {"type": None}, asset("a2") | {"type": None}]
    report = small_nights.sync()
    assert not any("no record has the documented member" in line for line in report.left_behind)
    assert small_nights.column("select asset_id from assets order by all") == ["a1", "a2"]
