"""A plan is sent exactly, once, and the tables show it before the next night."""

from __future__ import annotations

from pathlib import Path

import pytest
from kit.command_line import CommandLine
from kit.home import moved
from kit.push_home import PushHome

from propsync.errors import DiskFull, HomeUnusable, PlanUnfinished
from propsync.push.plan import CREATE, DELETE, UPDATE, save_plan
from propsync.runbooks import Step
from propsync.runs import RunLock


def test_edits_are_sent_verified_published_and_recorded(home: PushHome) -> None:
    (first, _, kind), (second, _, other) = home.assets(2)
    text, number = home.field(kind, "text"), home.field(other, "text")
    plan = home.plan(home.update(first, {text: "new text"}), home.update(second, {number: "b"}))
    report = home.apply(plan)
    assert (report.exit_code, report.left_behind) == (0, [])
    assert report.counts() == {"skipped": 0, "failed": 0, "verified": 2}
    assert home.effects == {("update", first): 1, ("update", second): 1}
    assert home.values(first)[text] == "new text"
    assert home.is_truth("assets")
    assert home.writes("record_id, field, state, new_value") == [
        (first, text, "verified", '"new text"'),
        (second, number, "verified", '"b"'),
    ]
    ((flow, status),) = home.rows("select flow, status from ops.runs where run_id = ?", report.run_id)
    assert (flow, status) == ("push", "ok")
    assert home.rows("select change from history.assets where asset_id = ? order by valid_from", first) == [
        ("insert",),
        ("update",),
    ]


def test_a_run_that_is_at_work_after_the_writes_is_not_called_nothing_done(home: PushHome) -> None:
    asset_id, _, kind = home.assets(1)[0]
    plan = home.plan(home.update(asset_id, {home.field(kind, "text"): "new"}))
    lock = RunLock(home.path / "state" / "run.lock")
    with (
        lock.held("propsync nightly", 0),
        pytest.raises(PlanUnfinished, match="tried to write 1 record, and could not read back") as stopped,
    ):
        home.apply(plan, lock_wait=0)
    assert stopped.value.exit_code == 1
    assert list(home.effects.values()) == [1]
    assert home.apply(plan).exit_code == 0
    assert list(home.effects.values()) == [1]


def test_an_error_after_the_writes_says_that_they_are_sent(home: PushHome, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(name: str, step: Step) -> None:
        if name == "read back":
            raise DiskFull("landing", "the disk is full")
        step()

    asset_id, _, kind = home.assets(1)[0]
    plan = home.plan(home.update(asset_id, {home.field(kind, "text"): "new"}))
    with monkeypatch.context() as patched:
        patched.setattr(home, "call", full)
        with pytest.raises(PlanUnfinished) as stopped:
            home.apply(plan)
    assert "propsync has tried to write 1 record, and could not read back" in str(stopped.value)
    assert "landing: the disk is full. Free some space" in str(stopped.value)
    assert home.apply(plan).exit_code == 0
    assert list(home.effects.values()) == [1]


def test_an_error_after_the_writes_does_not_hide_why_they_stopped(
    home: PushHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(name: str, step: Step) -> None:
        if name == "read back":
            raise DiskFull("landing", "the disk is full")
        step()

    fields = [(asset_id, home.field(kind, "text")) for asset_id, _, kind in home.assets(2)]
    plan = home.plan(*(home.update(asset_id, {name: "new"}) for asset_id, name in fields))
    refused = {"kind": "status", "status": 401}
    home.sandbox.set_faults([{"match": {"method": "PATCH"}, "after": 1, "times": None, "effect": refused}])
    monkeypatch.setattr(home, "call", full)
    with pytest.raises(
        PlanUnfinished, match=r"token .*\. propsync has tried to write 2 records, .*the disk is full\. Free some space"
    ):
        home.apply(plan, max_concurrency=1)


def test_nothing_is_sent_if_no_run_could_record_it(home: PushHome) -> None:
    """The lock may be another user's. A folder in its place stops root too."""
    asset_id, _, kind = home.assets(1)[0]
    plan = home.plan(home.update(asset_id, {home.field(kind, "text"): "new"}))
    lock = home.path / "state" / "run.lock"
    lock.unlink(missing_ok=True)
    lock.mkdir()
    with pytest.raises(HomeUnusable, match=r"run\.lock"):
        home.apply(plan)
    assert not home.effects


@pytest.mark.slow
def test_schedules_are_created_updated_and_deleted(home: PushHome) -> None:
    changed, deleted = home.schedules(2)
    taken = set(home.schedules(10_000))
    free = next((place, kind) for place, _ in taken for _, kind in taken if (place, kind) not in taken)
    plan = home.plan(
        home.schedule(UPDATE, changed, {"description": "Mind the dog"}),
        home.schedule(CREATE, free, {"dueDate": "2027-01-31", "assignedUsers": ["u1"]}),
        home.schedule(DELETE, deleted, {}),
        resource="schedules",
    )
    report = home.apply(plan)
    assert (report.exit_code, report.left_behind) == (0, [])
    assert home.effects == {("update", changed): 1, ("create", free): 1, ("delete", deleted): 1}
    assert home.is_truth("schedules")
    assert home.members(changed)["description"] == "Mind the dog"
    assert home.members(free) == {
        "dueDate": "2027-01-31",
        "description": None,
        "customReference": None,
        "assignedUsers": ["u1"],
    }
    bodies = [entry.write.values for entry in home.sandbox.journal.writes() if entry.write and entry.method == "PUT"]
    assert all(set(body or ()) == {"dueDate", "description", "customReference", "assignedUsers"} for body in bodies)
    assert moved(home.sync(["assets", "schedules"])) == {}


def test_assets_are_created_with_every_value(home: PushHome) -> None:
    _, place, kind = home.assets(1)[0]
    text = home.field(kind, "text")
    plan = home.plan(home.create(place, kind, {text: "one"}), home.create(place, kind, {text: "one"}))
    report = home.apply(plan)
    assert (report.exit_code, report.left_behind) == (0, [])
    created = [key for action, key in home.effects if action == "create"]
    assert len(created) == 2
    assert [home.values(key) for key in created] == [{text: "one"}] * 2
    assert home.is_truth("assets")
    assert sorted(row[0] for row in home.writes()) == sorted(created)


def test_a_plan_that_was_applied_says_so_and_sends_nothing(home: PushHome) -> None:
    asset_id, _, kind = home.assets(1)[0]
    plan = home.plan(home.update(asset_id, {home.field(kind, "text"): "new"}))
    first = home.apply(plan)
    requests = home.requests
    again = home.apply(plan)
    assert (again.is_repeat, again.run_id, again.exit_code) == (True, first.run_id, 0)
    assert again.counts() == {"skipped": 0, "failed": 0, "verified": 1}
    assert home.requests == requests


def test_the_last_line_of_an_apply_is_the_way_back(home: PushHome, tmp_path: Path) -> None:
    asset_id, _, kind = home.assets(1)[0]
    save_plan(home.plan(home.update(asset_id, {home.field(kind, "text"): "new"})), tmp_path / "doors.plan")
    line = CommandLine(tmp_path, home.environ())
    for _ in ("sent", "a repeat"):
        last = line("push", "apply", "doors.plan").stdout.splitlines()[-1]
        assert last.startswith("Next: propsync push undo ")
        assert line("push", *last.split()[3:5]).returncode == 0


@pytest.mark.slow
def test_the_last_line_names_no_undo_that_could_take_nothing_back(home: PushHome, tmp_path: Path) -> None:
    _, place, kind = home.assets(1)[0]
    save_plan(home.plan(home.create(place, kind, {home.field(kind, "text"): "new"})), tmp_path / "doors.plan")
    line = CommandLine(tmp_path, home.environ())
    done = line("push", "apply", "doors.plan")
    last = "The API cannot delete assets, so no undo takes these back. Next: propsync status"
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, last)


@pytest.mark.slow
def test_the_last_line_points_to_what_is_left_first(home: PushHome, tmp_path: Path) -> None:
    (changed, _, kind), (gone, _, other) = home.assets(2)
    plan = home.plan(
        home.update(changed, {home.field(kind, "text"): "new"}, 2),
        home.update(gone, {home.field(other, "text"): "new"}, 3),
    )
    save_plan(plan, tmp_path / "doors.plan")
    home.sandbox.world.assets.delete(gone)
    line = CommandLine(tmp_path, home.environ())
    done = line("push", "apply", "doors.plan")
    assert done.returncode == 3
    *_, left, last = done.stdout.splitlines()
    assert gone in left
    assert last == f"Each line above says what to do. To take the writes back: propsync push undo {plan.plan_id}"
