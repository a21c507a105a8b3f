"""Writes are kept by the sync of the same night, a rebuild and a lost state; tables and ops.writes stay equal."""

from __future__ import annotations

import shutil

import pytest
from kit.comparing import assert_same, difference
from kit.deaths import dying
from kit.home import moved
from kit.push_home import PushHome

from propsync.errors import Busy, StateUnusable, TokenRefused, UsageError
from propsync.push.journals.journal import journal_key
from propsync.push.plan import DELETE, UPDATE, Plan
from propsync.runbooks.push.undo import undo, unfinished
from propsync.runs import RunLock


def some_writes(home: PushHome) -> Plan:
    """Writes of each kind; returns the plan of assets."""
    (asset_id, place, kind), (gone, _, other) = home.assets(2)
    text = home.field(kind, "text")
    home.sandbox.world.assets.delete(gone)
    assets = home.plan(
        home.update(asset_id, {text: "new"}),
        home.update(gone, {home.field(other, "text"): "new"}),
        home.create(place, kind, {text: "made"}),
    )
    assert home.apply(assets).exit_code == 3
    changed, deleted = home.schedules(2)
    edit, removal = home.schedule(UPDATE, changed, {"description": "new"}), home.schedule(DELETE, deleted, {})
    assert home.apply(home.plan(edit, removal, resource="schedules")).exit_code == 0
    return assets


@pytest.mark.release
def test_the_sync_of_the_same_night_and_a_rebuild_change_nothing(home: PushHome) -> None:
    plan = some_writes(home)
    writes = home.copy_of_published("pushed")
    assert moved(home.sync(["assets", "schedules"])) == {}
    before = home.copy_of_published()
    assert difference(writes, before, "ops.writes", "main.assets", "main.schedules") != {}  # one asset is gone
    assert home.rebuild().exit_code == 0
    assert_same(before, home.published)
    assert difference(before, home.published, "ops.writes") == {}
    assert difference(writes, home.published, "ops.writes") == {}
    requests = home.requests
    assert home.apply(plan).is_repeat
    assert home.requests == requests


@pytest.mark.slow
def test_writes_outlive_a_lost_state(home: PushHome) -> None:
    plan = some_writes(home)
    before = home.copy_of_published()
    shutil.rmtree(home.path / "state")
    with pytest.raises(StateUnusable, match="rebuild"):
        home.sync()
    assert home.rebuild().exit_code == 0
    assert_same(before, home.published)
    assert difference(before, home.published, "ops.writes") == {}
    assert home.apply(plan).is_repeat
    assert home.effects.total() == 4


@pytest.mark.slow
@pytest.mark.parametrize("has_twin", [False, True])
def test_a_plan_whose_journal_is_lost_goes_on_from_what_is_recorded(home: PushHome, *, has_twin: bool) -> None:
    (asset_id, place, kind), (other, other_place, other_kind) = home.assets(2)
    text, other_text = home.field(kind, "text"), home.field(other_kind, "text")
    edits = home.update(asset_id, {text: "new"}), home.update(other, {other_text: "new"})
    last = home.create(other_place, other_kind, {other_text: "two"})
    plan = home.plan(home.create(place, kind, {text: "one"}), *edits, last)
    home.sandbox.set_faults([{"match": {"method": "PATCH"}, "after": 1, "effect": {"kind": "status", "status": 401}}])
    with pytest.raises(TokenRefused):
        home.apply(plan, max_concurrency=1)
    recorded = "record_id, file_row, field, state, run_id, written_at"
    verified = home.writes(recorded)
    assert [row[3] for row in verified] == ["verified"] * 2
    home.sandbox.set_faults([])
    shutil.rmtree(home.path / "state" / "push")
    twin = home.sandbox.world.assets.add(place, kind, {text: "one"}) if has_twin else None
    report = home.apply(plan)
    if twin:
        assert (report.exit_code, report.counts()["verified"], twin in report.lines[0]) == (3, 3, True)
        return
    assert (report.exit_code, report.is_repeat, report.counts()["verified"]) == (0, False, 4)
    assert set(verified) <= set(home.writes(recorded))
    assert sorted(home.effects.values()) == [1] * 4
    assert len(undo(home.settings(), plan.plan_id).entries) == 2
    assert home.apply(plan).is_repeat


@pytest.mark.release
def test_writes_outlive_the_loss_of_a_run_that_somebody_accepts(home: PushHome) -> None:
    some_writes(home)
    before = home.copy_of_published()
    run = home.column("select max(run_id) from ops.runs")[0]
    shutil.rmtree(home.path / "landing" / "schedules" / run)
    assert home.rebuild(accept_loss=[run]).exit_code == 3
    assert difference(before, home.published, "ops.writes") == {}


@pytest.mark.slow
def test_a_night_records_what_a_killed_apply_wrote(home: PushHome) -> None:
    asset_id, _, kind = home.assets(1)[0]
    text = home.field(kind, "text")
    plan = home.plan(home.update(asset_id, {text: "new"}))
    with dying(3):  # right after the answer is in the journal
        home.apply(plan)
    assert [one.plan_id for one in unfinished(home.settings())] == [plan.plan_id]
    report = home.sync(["assets"])
    assert home.writes("run_id, record_id, state") == [(report.run_id, asset_id, "applied")]
    assert undo(home.settings(), plan.plan_id).entries[0].changes[0].old == "new"
    assert home.apply(plan).exit_code == 0
    assert home.writes("run_id, state") == [(report.run_id, "verified")]
    assert list(home.effects.values()) == [1]


@pytest.mark.slow
@pytest.mark.parametrize("altered", [(b'"sending"', b'"sendi'), (b'"entry":0', b'"entry":1')], ids=["cut", "number"])
def test_a_damaged_journal_is_named_and_nothing_is_sent(home: PushHome, altered: tuple[bytes, bytes]) -> None:
    asset_id, _, kind = home.assets(1)[0]
    plan = home.plan(home.update(asset_id, {home.field(kind, "text"): "new"}))
    with dying(5):
        home.apply(plan)
    path = home.path / journal_key(plan.plan_id)
    path.write_bytes(path.read_bytes().replace(*altered, 1))
    requests = home.requests
    with pytest.raises(StateUnusable, match="line 2 is damaged"):
        home.apply(plan)
    assert home.requests == requests
    assert home.sync(["assets"]).exit_code == 0


def test_two_applies_at_once_are_one(home: PushHome) -> None:
    asset_id, _, kind = home.assets(1)[0]
    plan = home.plan(home.update(asset_id, {home.field(kind, "text"): "new"}))
    with RunLock(home.path / "state" / "push.lock").held("a test", 0), pytest.raises(Busy, match="a test"):
        home.apply(plan)
    with pytest.raises(UsageError, match="has applied no plan with this id"):
        undo(home.settings(), plan.plan_id)
