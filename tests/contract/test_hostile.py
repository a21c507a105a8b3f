"""Servers that answer oddly, from one night to the next: what is known stays right, and one trouble stays one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from kit.small_api import DOOR, LIFT, SmallHome, assessment, asset

from propsync.storage.seals import sealed


def test_a_record_nested_too_deep_is_set_aside_and_costs_no_other(small_nights: SmallHome):
    deep: Any = "bottom"
    for _ in range(200):
        deep = [deep]
    small_nights.server.assets.append(asset("deep", more=deep))
    assert small_nights.sync().exit_code == 0
    assert small_nights.rows("select count(*) from assets") == [(6,)]
    assert small_nights.rows("select reason from ops.rejected_records") == [("nested too deep to be read",)]
    assert small_nights.sync().exit_code == 0


def test_brackets_inside_texts_are_no_depth(small_nights: SmallHome):
    small_nights.server.assets.append(asset("art", note='[{"' * 200))
    assert small_nights.sync().resources["assets"]["inserted"] == 7


@pytest.mark.slow
def test_types_beside_the_assets_that_are_no_list_are_no_types(small_nights: SmallHome):
    small_nights.server.answer = lambda path, query: (
        (200, {"total": 6, "assets": small_nights.server.assets, "types": {}}) if path == "/properties/assets" else None
    )
    assert small_nights.sync().exit_code == 0
    assert small_nights.rows("select name, is_listed from asset_types") == [("Doors", True)]


def test_null_in_place_of_the_records_makes_no_records_of_what_is_beside_it(small_nights: SmallHome):
    api = small_nights.server
    places = [{"id": "p1", "name": "North", "type": "block"}]
    of_assessments = api.listed
    api.listed = lambda query: of_assessments(query) | {"properties": places}  # type: ignore[method-assign]
    assert small_nights.sync().exit_code == 0
    before = [small_nights.known(name) for name in ("assets", "assessments")]
    records = ("assets", "assessments")
    api.answer = lambda path, query: (
        (200, api.body(path, query) | dict.fromkeys(records)) if path.endswith(records) else None
    )
    report = small_nights.sync()
    assert report.exit_code == 3
    assert [small_nights.known(name) for name in records] == before


@pytest.mark.slow
def test_members_that_become_labels_leave_the_ids_to_those_beside_them(small_nights: SmallHome):
    assert small_nights.sync().exit_code == 0
    labels = {"property": "North", "propertyId": "p1", "type": "Doors", "typeId": "t1"}
    small_nights.server.assets = [one | labels for one in small_nights.server.assets]
    for _ in range(2):
        assert small_nights.sync().exit_code == 0
        assert small_nights.rows("select distinct property_id, asset_type_id from assets") == [("p1", "t1")]
    assert small_nights.rows("select count(*) from history.assets") == [(12,)]
    assert small_nights.rows("select count(*) from by_type.doors") == [(6,)]


@pytest.mark.release
def test_a_status_that_records_carry_no_more_is_told_by_their_lists(small_nights: SmallHome):
    assert small_nights.sync().exit_code == 0
    for one in small_nights.server.assessments:
        one["hidden"] = one.pop("status")
    small_nights.server.assessments[0]["hidden"] = "submitted"
    assert small_nights.sync().exit_code == 0
    assert small_nights.rows("select status, count(*) from assessments group by all order by all") == [
        ("approved", 3),
        ("submitted", 1),
    ]


@pytest.mark.slow
def test_an_id_that_turns_out_to_be_none_merges_no_records(small_nights: SmallHome):
    small_nights.server.assessments = [{"aaa": "x", "zzz": "n1", "status": "approved"}]
    assert small_nights.sync().exit_code == 0
    small_nights.server.assessments = [{"aaa": "x", "zzz": f"n{number}", "status": "approved"} for number in range(6)]
    report = small_nights.sync()
    assert report.exit_code == 3
    assert "Name the id in propsync.toml" in report.left_behind[0]
    assert small_nights.rows("select count(*) from history.assessments") == [(1,)]


@pytest.mark.slow
def test_a_list_that_takes_another_shape_between_two_attempts_ends_no_run(small_nights: SmallHome):
    asked = 0
    listed = small_nights.server.listed

    def unsteady(query: dict[str, str]) -> Any:
        nonlocal asked
        asked += 1
        page = listed(query)
        return {"total": page["total"] + asked % 3, "rows" if asked <= 6 else "items": page["assessments"]}

    small_nights.server.listed = unsteady  # type: ignore[method-assign]
    report = small_nights.sync()
    assert report.exit_code == 3
    assert [line for line in report.left_behind if line.startswith("assessments")]
    assert small_nights.rows("select count(*) from assets") == [(6,)]


def _approved(nights: SmallHome) -> list[dict[str, Any]]:
    return [one | {"status": "Approved"} for one in nights.server.assessments]


@pytest.mark.release
def test_a_status_that_is_shown_in_another_spelling_is_not_asked_for(small_nights: SmallHome):
    def strict(path: str, query: dict[str, str]) -> tuple[int, Any] | None:
        if path == "/assessments" and set(query["status"].split(",")) - {"inprogress", "submitted", "approved"}:
            return 400, {"code": "StatusInvalid"}
        return None

    small_nights.server.answer = strict
    small_nights.server.listed = (
        lambda query: {  # type: ignore[method-assign]  # it shows what it takes in small letters
            "total": 4 if "For" in query["performed"] else 0,
            "assessments": [one | {"status": "Approved"} for one in small_nights.server.assessments][
                : int(query["limit"])
            ]
            if "For" in query["performed"]
            else [],
        }
    )
    assert small_nights.sync().exit_code == 0
    assert small_nights.sync().exit_code == 0


@pytest.mark.release
def test_a_status_that_the_api_shows_and_refuses_is_not_insisted_on(small_nights: SmallHome):
    assert small_nights.sync().exit_code == 0
    small_nights.server.assessments.append(assessment("odd", status="approved"))
    odd = small_nights.server.listed

    def shows_archived(query: dict[str, str]) -> Any:
        page = odd(query)
        page["assessments"] = [
            one | ({"status": "archived"} if one["id"] == "odd" else {}) for one in page["assessments"]
        ]
        return page

    small_nights.server.listed = shows_archived  # type: ignore[method-assign]  # what this test is about
    assert small_nights.sync().exit_code == 0
    small_nights.server.answer = lambda path, query: (
        (400, {"code": "StatusInvalid"}) if "archived" in query.get("status", "") else None
    )
    assert small_nights.sync().exit_code == 0
    assert small_nights.rows("select count(*) from assessments") == [(5,)]


@pytest.mark.slow
def test_a_table_is_named_for_its_type_once_that_is_known(small_nights: SmallHome):
    small_nights.server.answer = lambda path, query: (
        (503, {})
        if path == "/properties/assets/types"
        else ((200, {"total": 6, "assets": small_nights.server.assets}) if path == "/properties/assets" else None)
    )
    assert small_nights.sync().exit_code == 3
    small_nights.server.answer = lambda path, query: None
    assert small_nights.sync().exit_code == 0
    by_type = "select table_name from duckdb_tables() where schema_name = 'by_type'"
    assert small_nights.rows(by_type) == [("doors",)]
    assert small_nights.rows("select count(name) from by_type.doors") == [(6,)]


@pytest.mark.release
def test_a_landed_snapshot_whose_pages_are_lost_stops_no_run(small_nights: SmallHome):
    assert small_nights.sync().exit_code == 0
    small_nights.state.unlink()
    shutil.rmtree(small_nights.path / "published")  # it would have the history that no page tells any more
    for page in ((small_nights.path / "landing") / "pages").rglob("*"):
        if page.is_file():
            page.unlink()
    assert small_nights.sync().exit_code == 0
    assert small_nights.rows("select count(*) from assets") == [(6,)]


def test_runs_that_only_landing_shows_are_in_the_journal_once_merged(small_nights: SmallHome, tmp_path: Path):
    """Somebody restored the tables of the first night, and landing has the second."""
    assert small_nights.sync().exit_code == 0
    before = {name: shutil.copytree(small_nights.path / name, tmp_path / name) for name in ("state", "published")}
    small_nights.server.assets[0]["property"] = "p2"
    second = small_nights.sync()
    for name, kept in before.items():
        shutil.rmtree(small_nights.path / name)
        shutil.copytree(kept, small_nights.path / name)
    assert small_nights.sync().exit_code == 0
    unknown = "select run_id from history.assets where run_id not in (select run_id from ops.runs)"
    assert small_nights.rows(unknown) == []
    of_second = small_nights.rows("select flow, status from ops.runs where run_id = ?", second.run_id)
    assert of_second == [("nightly", "ok")]


@pytest.mark.slow
def test_a_list_of_types_that_says_nothing_unlists_none(small_nights: SmallHome):
    assert small_nights.sync().exit_code == 0
    small_nights.server.answer = lambda path, query: (
        (200, {"total": 0, "message": "maintenance"}) if path == "/properties/assets/types" else None
    )
    assert small_nights.sync().exit_code == 3
    assert small_nights.rows("select is_listed from asset_types") == [(True,)]


def test_a_bare_list_that_repeats_its_last_page_for_ever_ends(small_nights: SmallHome):
    def for_ever(path: str, query: dict[str, str]) -> tuple[int, Any] | None:
        if path != "/properties/assets":
            return None
        return 200, small_nights.server.assets[:3] if query["page"] == "1" else small_nights.server.assets[3:]

    small_nights.server.answer = for_ever
    report = small_nights.sync()
    assert report.exit_code == 3
    assert small_nights.rows("select count(*) from assets") == [(6,)]


@pytest.mark.release
def test_a_clock_set_back_after_the_state_was_lost_tears_no_history(small_nights: SmallHome):
    first = small_nights.sync()
    small_nights.state.unlink()
    shutil.rmtree(small_nights.path / "published")
    later = (small_nights.path / "landing") / "assets" / "29991231T000000000000Z"
    ((small_nights.path / "landing") / "assets" / first.run_id).rename(later)
    manifest = json.loads((later / "manifest.json").read_text())
    manifest |= {"run_id": later.name, "run_time": "2999-12-31T00:00:00.000000+00:00"}
    del manifest["seal"]
    (later / "manifest.json").write_bytes(sealed(json.dumps(manifest, indent=1).encode()))
    small_nights.server.assets[0]["property"] = "p2"
    report = small_nights.sync()
    assert report.exit_code == 0
    assert report.run_id > later.name
    assert small_nights.rows("select count(*) from history.assets where valid_to is null") == [(6,)]


@pytest.mark.release
def test_a_note_of_another_shape_is_no_note(small_nights: SmallHome):
    assert small_nights.sync().exit_code == 0
    path = small_nights.path / "published" / "_published.json"
    for note in ("[]", '{"files": null}', "nonsense"):
        path.chmod(0o644)
        path.write_text(note)
        assert small_nights.sync().exit_code == 0
        assert json.loads(path.read_text())["files"], note


def test_a_text_in_a_number_field_is_told(small_nights: SmallHome):
    small_nights.server.types = [DOOR, LIFT]
    results = [{"type": "text", "field": "f2", "value": "7 persons"}]
    small_nights.server.assets.append({"id": "l", "property": "p1", "type": "t2", "fields": results})
    assert small_nights.sync().exit_code == 0
    assert small_nights.rows("select name, value from ops.value_issues") == [("Load", "7 persons")]


@pytest.mark.release
def test_what_was_renamed_is_told_with_its_old_name(small_nights: SmallHome):
    small_nights.sync()
    renamed = {**DOOR, "fields": [{"id": "f1", "type": "text", "label": "Designation"}]}
    small_nights.server.types = [renamed, LIFT]
    small_nights.sync()
    query = "select change, before, after from ops.schema_changes where change like 'label%' or change like '%new'"
    assert sorted(small_nights.rows(query), key=str) == [
        ("asset type new", None, "Lifts"),
        ("field new", None, "Load"),
        ("label renamed", "Name", "Designation"),
    ]
    assert small_nights.rows("select column_name, label from asset_type_fields where field_id = 'f1'") == [
        ("name", "Designation")
    ]


@pytest.mark.costly
@pytest.mark.parametrize("odd", [{"id": ""}, {"id": None}, {}, {"id": "f1"}], ids=["empty", "null", "absent", "twice"])
def test_one_definition_without_an_id_of_its_own_costs_no_other_its_label(small_nights: SmallHome, odd: dict[str, Any]):
    values = "select field_id, label, value_text from asset_field_values order by asset_id"
    small_nights.server.types = [DOOR, LIFT]
    assert small_nights.sync().exit_code == 0
    before = small_nights.rows(values)
    assert {label for _, label, _ in before} == {"Name"}
    small_nights.server.types = [DOOR | {"fields": [*DOOR["fields"], {"type": "text", "label": "Odd"} | odd]}, LIFT]
    assert small_nights.sync().exit_code == 0
    assert small_nights.rows(values) == before
    assert small_nights.column("select column_name from (describe by_type.doors)") == [
        "asset_id",
        "property_id",
        "name",
    ]
    assert small_nights.column("select offending from ops.checks where check_name = 'definitions_have_ids'") == [1]
