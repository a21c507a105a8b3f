"""Other places where something hidden could show: logs, Delta tables, plans, withheld tables, the doctor."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from kit.dialects import Dialect
from kit.world_server import WorldServer
from privacy.private import FIRST, LINES, NIGHTS, WORD, PrivateHome, found_in, live, private_world, quiet_night, served

from propsync.runbooks.doctor.privacy import examine_labels, examine_lines, personal
from propsync.runbooks.push.plans import Wanted, make_plan, make_template
from propsync.storage import LocalStorage
from propsync.warehouse import Warehouse
from propsync.webhook.inbox import Inbox, Post
from propsync.webhook.rows import take_in

FAILS = "-- severity: fail\nselect asset_id from assets\n"


@pytest.mark.release
def test_no_log_line_has_anything_hidden(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    home = PrivateHome(tmp_path / "home")
    home.hide(*LINES)
    with caplog.at_level(logging.DEBUG, logger="propsync"):
        live(home)
    assert len(caplog.records) > 10
    assert WORD.decode() not in caplog.text


@pytest.mark.release
def test_older_versions_of_delta_tables_go_when_a_line_is_added(open_home: PrivateHome) -> None:
    quiet_night(open_home, 3, delta="main,history,by_type,marts")
    assert any("delta" in str(path) for path in open_home.path.rglob("*.parquet"))
    open_home.hide(*LINES)
    assert quiet_night(open_home, 4, delta="main,history,by_type,marts").exit_code == 0
    assert list((open_home.path / "published" / "delta").rglob("*.parquet")) != []
    assert found_in(open_home.path / "published") == []


@pytest.mark.release
def test_a_withheld_table_does_not_keep_rows_from_before_it_was_hidden(open_home: PrivateHome) -> None:
    (open_home.path / "checks").mkdir()
    (open_home.path / "checks" / "broken.sql").write_text(FAILS)
    open_home.hide(*LINES)
    assert quiet_night(open_home, 3).exit_code == 3
    assert found_in(open_home.path / "published") == []
    (open_home.path / "checks" / "broken.sql").unlink()
    quiet_night(open_home, 4)
    assert open_home.rows("select count(*) > 20 from assets") == [(True,)]
    assert found_in(open_home.path / "published") == []


@pytest.mark.release
def test_a_plan_and_a_template_leave_hidden_fields_out(hidden_home: PrivateHome, tmp_path: Path) -> None:
    settings = hidden_home.settings()
    [(doors,)] = hidden_home.rows("select name from asset_types where table_name like '%door%' limit 1")
    path, rows, _ = make_template(settings, "assets", doors, [], tmp_path / "doors.csv")
    assert rows > 0
    written = path.read_bytes()
    assert b"Remarks" in written
    assert WORD not in written
    assert b"Comments" not in written
    sql = "select property_id, assessment_type_id, 'new' as \"Description\" from schedules limit 1"
    plan, _ = make_plan(settings, Wanted("schedules", sql=sql))
    assert plan.entries == []
    assert any("[privacy] hides it" in one.reason for one in plan.refused) or any(
        "[privacy]" in note for note in plan.notes
    )
    deleting = "select property_id, assessment_type_id, 'yes' as delete from schedules limit 1"
    plan, _ = make_plan(settings, Wanted("schedules", sql=deleting))
    assert plan.entries == []
    assert "[privacy] hides Description" in plan.refused[0].reason


@pytest.mark.release
def test_the_doctor_names_labels_that_look_personal_until_they_are_hidden(
    open_home: PrivateHome, hidden_home: PrivateHome
) -> None:
    assert personal(["Resident notes", "Vulnerability", "Date of birth", "E-mail", "Fire rating", "Healthy"]) == [
        "Date of birth",
        "E-mail",
        "Resident notes",
        "Vulnerability",
    ]
    hidden_home.hide(*LINES, "assets.fields[f-later]")
    world = private_world()
    for change in NIGHTS:
        change(world)
    next(one for one in world.asset_types[0].fields if one.id == "f-later").label = "Resident remarks"
    with WorldServer(Dialect(world)) as server:
        for home in (open_home, hidden_home):
            home.on_night(3, **served(server))
    [of_open] = examine_labels(open_home.settings())
    [of_hidden] = examine_labels(hidden_home.settings())
    assert "Resident remarks" in of_open.seen
    assert "assessments.occupant.name" in of_open.seen
    assert "assessments.occupant.name" not in of_hidden.seen
    assert "Resident remarks" not in of_hidden.seen


@pytest.mark.slow
def test_the_doctor_names_lines_that_hide_nothing_or_that_a_run_would_refuse(
    open_home: PrivateHome, hidden_home: PrivateHome
) -> None:
    def found(home: PrivateHome) -> list[str]:
        findings = list(examine_lines(home.settings()))
        assert not any(one.is_well for one in findings)
        return [f"{one.seen}. {one.next_step}" for one in findings]

    assert found(open_home) == found(hidden_home) == []
    for home in (open_home, hidden_home):
        home.hide(*LINES, "assets.fields[remark]", "type:doors of nobody", "schedules.assignedUsers", "assets.ocupant")
        of_field, of_type, of_member = found(home)
        assert "assets.fields[remark]" in of_field
        assert "the nearest is Remarks" in of_field
        assert "type:doors of nobody" in of_type
        assert "assets.ocupant" in of_member
        assert "Correct the line" in of_member
    open_home.hide("users.name")
    [refused] = found(open_home)
    assert "there is no resource users. Name one of asset_types" in refused
    assert "take the column out of its file" in refused
    open_home.hide("asset_types.fields.label")
    [of_labels] = found(open_home)
    assert "columns have their names from the labels of fields" in of_labels
    of_a_new_list = '[resources.properties]\npath = "/properties"\nkey = "id"\n[privacy]\nhide = ["properties.name"]\n'
    (open_home.path / "propsync.toml").write_text(of_a_new_list)
    assert found(open_home) == [], "no run has read it yet"


def test_a_post_of_unknown_form_is_counted_without_its_payload(tmp_path: Path) -> None:
    storage = LocalStorage(tmp_path)
    with Warehouse(tmp_path / "state.duckdb", memory_limit="500MB", folder=tmp_path) as warehouse:
        Inbox(storage).add([Post(FIRST, b'[{"who": "zqx"}]')])
        take_in(warehouse, storage, FIRST, with_payloads=False)
        assert warehouse.rows("select state, payload from ops.hints") == [("unknown", None)]
