"""Plans and journals never bring back what was erased, and a write leaves it as it is in the API."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from erasing.traces import traces
from kit.deaths import dying
from kit.kept import KeptHomes
from kit.push_home import PushHome, push_home

from propsync.erasing.request import Request
from propsync.errors import CheckFailed, ErasureUnfinished, UsageError
from propsync.push.plan import DELETE, UPDATE
from propsync.runbooks.erasure.erase import erase
from propsync.runbooks.erasure.verify import verify_erased
from propsync.runbooks.push.plans import Wanted, make_plan
from propsync.runs import RunLock

pytestmark = pytest.mark.slow
NOTE = "Call Jane Quux first"


@pytest.fixture
def home(kept: KeptHomes, tmp_path: Path) -> Iterator[PushHome]:
    with push_home(kept, tmp_path / "home") as made:
        yield made


def erased(home: PushHome, **words: str) -> None:
    assert erase(home.settings(), Request(**words, reason="asked")).exit_code == 0  # type: ignore[arg-type]
    home.sandbox.journal.clear()


def test_no_plan_names_an_erased_asset(home: PushHome, tmp_path: Path) -> None:
    (gone, place, kind), (stays, _, other) = home.assets(2)
    old = home.plan(
        home.update(gone, {home.field(kind, "text"): "new"}), home.update(stays, {home.field(other, "text"): "x"})
    )
    erased(home, asset=gone)

    with pytest.raises(UsageError, match="names what was erased since"):
        home.apply(old)
    assert home.requests == []
    file = tmp_path / "edits.csv"
    file.write_text(f"asset_id,property_id\n{stays},{place}\n{gone},{place}\n")
    with pytest.raises(UsageError, match="what was erased is in row 3"):
        make_plan(home.settings(), Wanted("assets", file))
    assert traces(home.path, gone) == []


def test_a_plan_outside_home_keeps_an_erased_asset_and_a_search_names_such_plans(
    home: PushHome, tmp_path: Path
) -> None:
    gone, _, kind = home.assets(1)[0]
    file, saved = tmp_path / "edits.csv", tmp_path / "edits.plan"
    file.write_text(f"asset_id,{home.field(kind, 'text')}\n{gone},elsewhere\n")
    make_plan(home.settings(), Wanted("assets", file, out=saved))
    erased(home, asset=gone)

    searched = verify_erased(home.settings(), gone)
    assert searched.exit_code == 0
    assert gone in saved.read_text()
    assert any("plans outside home" in one.what for one in searched.beyond)


@pytest.mark.parametrize("lock", ["state/push.lock", "archive/archive.lock"])
def test_the_note_of_a_failed_run_goes_if_it_has_it(home: PushHome, lock: str) -> None:
    gone = home.assets(1)[0][0]
    with pytest.raises(CheckFailed), RunLock(home.path / lock).held("a test", 0):
        raise CheckFailed("push apply", f"all values of asset {gone} are gone")
    assert traces(home.path, gone)
    erased(home, asset=gone)
    assert traces(home.path, gone) == []


def test_nothing_is_sent_amid_an_erasure(home: PushHome) -> None:
    (gone, _, _), (stays, _, kind) = home.assets(2)
    plan = home.plan(home.update(stays, {home.field(kind, "text"): "x"}))
    with dying(6):
        erase(home.settings(), Request(asset=gone, reason="asked"))
    home.sandbox.journal.clear()
    with pytest.raises(ErasureUnfinished):
        home.apply(plan)
    assert home.requests == []
    assert erase(home.settings(), None).exit_code == 0
    assert home.apply(plan).exit_code == 0


def test_no_plan_writes_an_erased_field_of_one_asset(home: PushHome) -> None:
    asset_id, _, kind = home.assets(1)[0]
    text, number = home.field(kind, "text"), home.field(kind, "number")
    old = home.plan(home.update(asset_id, {text: "new"}))
    erased(home, field=text, asset=asset_id)

    with pytest.raises(UsageError, match="names what was erased since"):
        home.apply(old)
    report = home.apply(home.plan(home.update(asset_id, {number: 7})))
    assert (report.exit_code, report.left_behind) == (0, [])
    assert home.writes() == [(asset_id, number, "verified")]


@pytest.mark.release
def test_a_schedule_with_an_erased_text_is_written(home: PushHome) -> None:
    changed, deleted = home.schedules(2)
    for key in (changed, deleted):
        assert home.sandbox.world.schedules.set_members(key, description=NOTE)
    assert home.sync(["assets", "schedules"]).exit_code == 0
    erased(home, text="Jane Quux")
    assert home.members(deleted)["description"] == "Call [erased] first"

    plan = home.plan(
        home.schedule(UPDATE, changed, {"dueDate": "2031-01-01"}),
        home.schedule(DELETE, deleted, {}),
        resource="schedules",
    )
    report = home.apply(plan)
    assert (report.exit_code, report.left_behind) == (0, [])
    assert home.effects == {("update", changed): 1, ("delete", deleted): 1}
    (sent,) = [entry.write.values for entry in home.sandbox.journal.writes() if entry.write and entry.method == "PUT"]
    assert (sent or {})["description"] == NOTE
    assert home.rows("select old_value from ops.writes where field = 'description'") == [('"Call [erased] first"',)]
    assert traces(home.path, "Jane Quux") == []


def test_the_journal_of_a_killed_apply_has_no_erased_asset(home: PushHome) -> None:
    gone, place, kind = home.assets(1)[0]
    erased(home, asset=gone)
    plan = home.plan(home.create(place, kind, {home.field(kind, "text"): "new"}))
    with dying(4):
        home.apply(plan, max_concurrency=1)
    journals = list((home.path / "state" / "push").glob("*.jsonl"))
    assert journals
    assert traces(home.path, gone) == []

    report = home.apply(plan)
    assert (report.exit_code, list(home.effects.values())) == (0, [1])


@pytest.mark.release
def test_a_journal_that_comes_back_with_a_backup_goes(home: PushHome) -> None:
    gone, _, kind = home.assets(1)[0]
    plan = home.plan(home.update(gone, {home.field(kind, "text"): "new"}))
    with dying(8):
        home.apply(plan, max_concurrency=1)
    (journal,) = (home.path / "state" / "push").glob("*.jsonl")
    body = journal.read_bytes()
    assert home.apply(plan).exit_code == 0
    erased(home, asset=gone)
    journal.parent.mkdir(exist_ok=True)
    journal.write_bytes(body)

    assert home.sync(["assets", "schedules"]).exit_code == 0
    assert not journal.exists()
    assert traces(home.path, gone) == []
