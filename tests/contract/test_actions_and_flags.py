"""Actions over several bundles, and flags, as people read them in the marts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from contract.test_archive import zipped
from kit.archives import SMALL, Place, place

from propsync_sandbox.documents import Subject

pytestmark = pytest.mark.usefixtures("desk")

COLUMNS = ("Id", "Title", "Status", "Due date", "Cost", "Image", "Completed on")
TABLES = ("marts.actions", "marts.flags", "history.bundle_actions", "ops.value_issues")
Action = Mapping[str, str]


class Works:
    """Writes bundles whose actions a test sets; `letter` changes their bytes and nothing else."""

    def __init__(self) -> None:
        self.columns: tuple[str, ...] = COLUMNS
        self.actions: dict[str, list[Action]] = {}
        self.letter = "first"

    def __call__(self, about: Subject) -> bytes:
        rows = self.actions.get(str(about.record.key), [])
        lines = [",".join(self.columns), *(",".join(row.get(name, "") for name in self.columns) for row in rows)]
        return zipped({"actions.csv": "\r\n".join(lines).encode(), "letter.txt": self.letter.encode()})


@pytest.fixture
def works() -> Works:
    return Works()


@pytest.fixture
def made(synced_small: Path, tmp_path: Path, works: Works) -> Iterator[Place]:
    with place(tmp_path / "home", synced_small, {"bundle": works}, scale=SMALL) as made:
        yield made


def action(number: int, status: str, **cells: str) -> Action:
    named = {name.replace("_", " "): cell for name, cell in cells.items()}
    return {"Id": str(number), "Title": f"Door {number}", "Status": status} | named


def a_week_passes(made: Place) -> None:
    made.days_pass(7)
    made.in_state("update documents set fetched_at = fetched_at - to_days(7)")


def states(made: Place, key: str) -> list[tuple[Any, ...]]:
    return made.rows(
        "select action_id, state, is_open, is_current, closed_on from marts.actions where assessment_id = ? order by 1",
        key,
    )


@pytest.mark.release
def test_actions_close_over_bundles_that_propsync_asks_for_weekly(made: Place, works: Works) -> None:
    first, second, third, *_ = made.wanted()
    works.actions = {
        first: [action(1, "open", Cost="£9"), action(2, "open"), action(3, "open"), action(4, "closed")],
        second: [action(number, "open") for number in range(10)],
        third: [action(1, "closed"), action(2, "pondered")],
    }
    made.archive(kinds=["bundle"])
    made.asked()
    assert states(made, third) == [("1", "closed", False, True, None), ("2", "unknown", None, True, None)]
    issues = made.rows("select record_id, name, value, run_id from ops.value_issues where resource = 'bundle_actions'")
    assert [issue[:3] for issue in issues] == [(first, "cost", "£9")]

    a_week_passes(made)
    works.actions[first] = [action(1, "open", Cost="£9"), action(2, "closed", Completed_on="2026-01-05")]
    works.actions[second] = [action(number, "closed") for number in range(10)]
    assert made.archive(kinds=["bundle"]).counts["stored"] == 2
    assert set(made.asked()) == {(first, "bundle"), (second, "bundle")}
    today = made.rows("select max(started_at)::date from ops.runs")[0][0]
    assert states(made, first) == [
        ("1", "open", True, True, None),
        ("2", "closed", False, True, date(2026, 1, 5)),
        ("3", "unknown", None, False, None),
        ("4", "closed", False, False, None),
    ]
    summary = "select count(*), bool_and(closed_en_masse), min(closed_on), max(closed_on) from marts.actions"
    assert made.rows(f"{summary} where assessment_id = ?", second) == [(10, True, today, today)]
    assert made.rows("select run_id from ops.value_issues where resource = 'bundle_actions'") == [issues[0][3:]]

    _check_that_a_rebuild_and_another_reading_give_the_same(made)
    a_week_passes(made)
    made.asked()
    made.archive(kinds=["bundle"])
    assert set(made.asked()) == {(first, "bundle")}


def _check_that_a_rebuild_and_another_reading_give_the_same(made: Place) -> None:
    before = {table: made.rows(f"from {table} order by all") for table in TABLES}
    assert made.rebuild().exit_code == 0
    assert {table: made.rows(f"from {table} order by all") for table in TABLES} == before
    made.in_state("update documents set read_at = null; delete from history.bundle_actions")
    made.archive(kinds=["bundle"])
    assert {table: made.rows(f"from {table} order by all") for table in TABLES} == before


def test_people_name_the_columns_of_bundles_in_another_language(made: Place, works: Works) -> None:
    first, *_ = made.wanted()
    works.columns = ("Nr.", "Maßnahme", "Stand", "Fällig am", "Foto")
    works.actions = {first: [dict(zip(works.columns, ("7", "Tür", "Erledigt", "2026-01-31", "x.png"), strict=True))]}
    made.archive(kinds=["bundle"])
    read = "select action_id, title, state, due_date, has_evidence from marts.actions where assessment_id = ?"
    assert made.rows(read, first) == [("row", None, "unknown", None, None)]

    named = 'id = "Nr."\ntitle = "Maßnahme"\nstatus = "stand"\ndue = ["Fällig am", "Termin"]\nevidence = "Foto"\n'
    written = f'[desk]\naction_closed = "Erledigt"\n[desk.bundle_actions]\nlocation = "Ort"\n{named}'
    (made.path / "propsync.toml").write_text(written)
    report = made.sync()
    line = "[desk.bundle_actions] location: bundle_actions has no column Ort. Correct "
    assert (report.exit_code, [one.startswith(line) for one in report.left_behind]) == (3, [True])
    assert made.rows(read, first) == [("7", "Tür", "closed", date(2026, 1, 31), True)]
    due = "select value, source, evidence from ops.desk where setting = 'bundle_actions.due'"
    assert made.rows(due) == [("fallig_am", "configured", "propsync.toml says so")]
    wrong = "select source, evidence from ops.desk where setting = 'bundle_actions.location'"
    ((source, evidence),) = made.rows(wrong)
    assert source == "absent"
    assert evidence.startswith("propsync.toml says otherwise: [desk.bundle_actions] location")
    before = made.rows("from marts.actions order by all")
    made.rebuild()
    assert made.rows("from marts.actions order by all") == before


def test_a_sync_says_that_it_knows_no_state_of_any_action(made: Place, works: Works) -> None:
    """Each number of actions is unknown then, and nobody may look at ops.desk."""
    first, *_ = made.wanted()
    works.actions = {first: [action(number, "erledigt" if number else "offen") for number in range(8)]}
    made.archive(kinds=["bundle"])
    [line] = made.sync().notes
    assert line.startswith("check actions_have_known_states: ")
    words = '[desk]\naction_open = "offen"\naction_closed = "erledigt"\n'
    (made.path / "propsync.toml").write_text(words)
    assert made.sync().notes == []


@pytest.mark.release
def test_a_bundle_with_other_bytes_alone_keeps_no_second_copy_of_its_actions(made: Place, works: Works) -> None:
    first, *_ = made.wanted()
    works.actions = {first: [action(1, "open")]}
    made.archive(kinds=["bundle"])
    made.edit(first)
    made.sync()
    made.archive(kinds=["bundle"])
    assert made.rows("select count(*) from history.bundle_actions") == [(0,)]
    works.actions = {first: [action(1, "closed")]}
    made.edit(first)
    made.sync()
    made.archive(kinds=["bundle"])
    assert made.rows("select id, status from history.bundle_actions") == [("1", "open")]
    assert [row[:2] for row in states(made, first)] == [("1", "closed")]


@pytest.mark.release
def test_flags_are_what_their_history_says(made: Place) -> None:
    first, *_ = made.wanted()
    moment = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0)
    days = {days: (moment - timedelta(days=days)).isoformat() for days in (3, 10, 40)}
    opened = {"at": days[40], "status": "open"}
    flags = [
        {"label": "Door", "raisedAt": days[40], "priority": "High", "history": [opened]},
        {"label": "Stair", "raisedAt": days[40], "history": [{"at": days[10], "status": "closed"}, opened]},
        {"label": "Riser", "raisedAt": "soon", "history": [opened, {"at": days[3], "status": "pondered"}]},
    ]
    world = made.sandbox.world.assessments
    world.set_members(first, flags=flags)
    made.sync()
    query = (
        "select title, state, age_days, priority_rank from marts.flags where assessment_id = ? order by flag_position"
    )
    assert made.rows(query, first) == [
        ("Door", "open", 40, made.rows("select list_position(['critical', 'urgent', 'high'], 'high')")[0][0]),
        ("Stair", "closed", 30, None),
        ("Riser", "unknown", None, None),
    ]
    issues = "select name, value from ops.value_issues where resource = 'assessment_flags'"
    assert made.rows(issues) == [("raised_on", "soon")]
    world.set_members(first, flags=[flags[0] | {"history": [opened, {"at": days[3], "status": "closed"}]}])
    made.sync()
    assert made.rows(query, first) == [("Door", "closed", 37, 3)]
    assert made.rows(issues) == []
    before = made.rows("from marts.flags order by all")
    made.rebuild()
    assert made.rows("from marts.flags order by all") == before
