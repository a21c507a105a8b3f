"""The run log tells of nothing hidden, also in unused space, and tells all of it again when the line goes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from kit.dialects import Dialect
from kit.shared import Shared
from kit.world import Flag, World, small_world
from kit.world_server import WorldServer
from privacy.private import WORD, PrivateHome, found_in, served

from propsync.runbooks import Report

pytestmark = pytest.mark.slow
CHANGES = "select resource, change, name, before, after, run_id from ops.schema_changes order by all"
ISSUES = "select resource, record_id, name, issue, value, run_id from ops.value_issues order by all"
TYPE = "Assessment type 1"
TOLD = "zqx rang about damp in the back bedroom, and she asks for nobody to call before ten"


def _world() -> World:
    """Days of flags that are none, members that name a person, and members that one type alone has."""
    world = small_world(assets=8, assessments=24, schedules=8)
    of_type = next(one.id for one in world.assessment_types if one.name == TYPE)
    for number, one in enumerate(world.assessments):
        one.extra = {"kin": {"zqxson": {"relation": "son"}}, "lead": {"name": "Somebody"}}
        one.flags = [Flag("Overdue", "2025-03-03T10:00:00Z", [("2025-04-01T09:00:00Z", "open")])]
        if one.type == of_type:
            one.extra["dementia"] = {"name": "Ward 3"}
            one.flags.append(Flag("Overdue", f"{TOLD} {number}", []))
    return world


@pytest.fixture(scope="session")
def flagged_night(shared: Shared) -> Path:
    """A home that hides nothing, after one night; to be copied, not used."""

    def make(folder: Path) -> None:
        assert _night(PrivateHome(folder / "home"), 0).exit_code == 0

    return shared.folder("flagged night", make) / "home"


@pytest.fixture
def home(flagged_night: Path, tmp_path: Path) -> PrivateHome:
    return PrivateHome(flagged_night).copied(tmp_path / "home")


def _night(home: PrivateHome, night: int, change: Callable[[World], Any] = lambda _: None) -> Report:
    world = _world()
    change(world)
    with WorldServer(Dialect(world)) as server:
        return home.on_night(night, **served(server))


def _hidden(home: PrivateHome, *lines: str) -> None:
    home.hide(*lines)
    assert _night(home, 1).exit_code == 0


def _columns(home: PrivateHome, table: str) -> set[str]:
    return {name for (name,) in home.rows(f"select column_name from ops.columns where table_name = '{table}'")}


@pytest.mark.costly
@pytest.mark.parametrize(
    "line", ["assessments.flags.raisedAt", "assessments.flags", f"type:{TYPE}"], ids=["member", "flags", "type"]
)
def test_a_day_of_a_flag_that_does_not_fit_leaves_no_byte(home: PrivateHome, line: str) -> None:
    assert home.rows("select count(*) > 0 from ops.value_issues where resource = 'assessment_flags'") == [(True,)]
    _hidden(home, line, "assessments.kin")
    assert home.rows("select count(*) from ops.value_issues where resource = 'assessment_flags'") == [(0,)]
    assert found_in(home.path / "published") == []
    assert WORD not in home.state.read_bytes()


def test_issues_of_documents_go_with_a_hidden_type_and_others_stay(home: PrivateHome) -> None:
    of_type = "select assessment_type_id from assessment_types where name = '{}'"
    with duckdb.connect(home.state) as state:
        state.execute(
            "insert into ops.value_issues select 'documents', assessment_id, 'bundle_actions.further', 'no room', "
            f"if(assessment_type_id = ({of_type.format(TYPE)}), 'zqx column', 'shown'), run_id "
            "from assessments, (select max(run_id) as run_id from ops.runs)"
        )
    _hidden(home, f"type:{TYPE}", "assessments.kin")
    found = home.rows("select distinct value from ops.value_issues where resource = 'documents'")
    assert found == [("shown",)]
    assert WORD not in home.state.read_bytes()


@pytest.mark.costly
@pytest.mark.parametrize(
    "lines", [("assessments.kin", "assessments.flags.label"), ("assessments.flags", "assessments.kin.zqxson")]
)
def test_changes_of_schema_name_no_column_of_a_hidden_member(home: PrivateHome, lines: tuple[str, ...]) -> None:
    named = "select count(*) from ops.schema_changes where name = 'kin_zqxson_relation' or name = 'label'"
    assert home.rows(named) == [(2,)]
    _hidden(home, *lines)
    assert home.rows(named) == [(0,)]
    home.hide(*lines, "assessments.lead")
    _night(home, 2)
    assert home.rows(named) == [(0,)]
    assert home.rebuild().status == "ok"
    assert home.rows(named) == [(0,)]


def test_a_column_of_a_hidden_type_alone_goes_although_others_end_alike(home: PrivateHome) -> None:
    assert _columns(home, "assessments") >= {"dementia_name", "lead_name"}
    _hidden(home, f"type:{TYPE}")
    assert _columns(home, "assessments") >= {"kin_zqxson_relation", "lead_name"}
    assert "dementia_name" not in _columns(home, "assessments")
    assert home.rows("select count(*) from ops.schema_changes where name = 'dementia_name'") == [(0,)]


@pytest.mark.costly
@pytest.mark.parametrize(
    ("line", "table", "gone"),
    [
        ("assessments.flags", "assessment_flags", {"label", "raised_at"}),
        ("assessments.flags", "assessment_flag_history", {"at", "state"}),
        ("assessments.flags.history", "assessment_flag_history", {"at", "state"}),
    ],
)
def test_columns_of_hidden_flags_go(home: PrivateHome, line: str, table: str, gone: set[str]) -> None:
    assert _columns(home, table) >= gone
    _hidden(home, line)
    assert _columns(home, table) & gone == set()


@pytest.mark.costly
@pytest.mark.parametrize(
    "lines",
    [("assessments.flags.raisedAt", "assessments.kin"), ("assessments.flags",), (f"type:{TYPE}",)],
    ids=["members", "flags", "type"],
)
def test_the_run_log_comes_back_as_if_nothing_had_been_hidden(
    home: PrivateHome, tmp_path: Path, lines: tuple[str, ...]
) -> None:
    never = home.copied(tmp_path / "never")
    _hidden(home, *lines)
    home.hide(*lines, "schedules.customReference")
    _night(home, 2)
    home.hide()
    _night(home, 3)
    for night in (1, 2, 3):
        _night(never, night)
    assert home.rows(CHANGES) == never.rows(CHANGES)
    assert home.rows(ISSUES) == never.rows(ISSUES)
