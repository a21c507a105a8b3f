"""A rebuild gives the same tables and history, row for row, whatever is left of the state."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from contract.dialects import Dialect, Objects, UnusualNames
from contract.server import TOKEN, ApiServer, Query, Refused
from contract.world import World, small_world
from rebuild.comparing import assert_same, difference
from rebuild.conftest import CHANGES, Place, prune_at
from rebuild.deaths import dying
from variants import some

from propsync.errors import BaseLost, StateUnusable, UsageError
from propsync.landing import Bases, Manifest, Manifests
from propsync.landing.pages import page_key
from propsync.runbooks import rebuild
from propsync.storage import LocalStorage

_CARRIED = ("ops.runs", "ops.run_resources", "ops.sweeps", "ops.schema_changes", "ops.value_issues", "ops.columns")


def test_a_rebuild_beside_a_sound_state_gives_the_same(place: Place) -> None:
    before = place.kept()
    report = place.rebuild()
    assert (report.status, report.left_behind) == ("ok", [])
    assert_same(before, place.published)
    assert_same(before, place.state)
    with duckdb.connect(place.published, read_only=True) as connection:
        connection.execute(f"attach '{before}' as old (read_only)")
        for table in _CARRIED:
            lost = connection.execute(f"from old.{table} except all from {table}").fetchall()
            added = connection.execute(f"from {table} except all from old.{table}").fetchall()
            if table == "ops.runs":
                assert [row[1] for row in added] == ["rebuild"]
            else:
                assert (table, lost, added) == (table, [], [])


def test_a_rebuild_without_state_or_anything_published_gives_the_same(place: Place) -> None:
    before = place.kept()
    shutil.rmtree(place.path / "state")
    shutil.rmtree(place.path / "published")
    assert place.rebuild().status == "ok"
    assert_same(before, place.published)
    assert difference(before, place.published, *_CARRIED[1:]) == {}
    runs = "select run_id, flow, started_at, status from ops.runs where flow = 'nightly' order by all"
    with duckdb.connect(place.published, read_only=True) as new, duckdb.connect(before, read_only=True) as old:
        assert new.execute(runs).fetchall() == old.execute(runs).fetchall()


def test_a_state_that_is_gone_is_made_again_from_landing_and_what_is_published(place: Place) -> None:
    before = place.kept()
    place.state.unlink()
    assert place.rebuild().status == "ok"
    assert_same(before, place.published)
    assert difference(before, place.published, *_CARRIED[1:]) == {}


def test_a_damaged_page_of_the_state_asks_for_a_rebuild(place: Place) -> None:
    whole = place.state.read_bytes()
    place.state.write_bytes(whole[:12_288] + bytes(len(whole) - 12_288))
    with pytest.raises(StateUnusable, match="propsync rebuild"):
        place.sync(4, base_url="http://127.0.0.1:9", token="t")


@pytest.mark.parametrize("damage", some(["garbage", "empty", "cut", "flipped"], 2))
def test_a_damaged_state_is_made_again(place: Place, damage: str) -> None:
    before = place.kept()
    whole = place.state.read_bytes()
    middle = len(whole) // 2
    flipped = bytes(byte ^ 0x5A for byte in whole[20_000:middle])
    place.state.write_bytes(
        {
            "garbage": b"not a database" * 1000,
            "empty": b"",
            "cut": whole[:middle],
            "flipped": whole[:20_000] + flipped + whole[middle:],
        }[damage]
    )
    place.state.with_name("warehouse.duckdb.wal").write_bytes(b"a stray log")
    assert place.rebuild().status == "ok"
    assert_same(before, place.published)
    assert_same(before, place.state)


def test_a_state_of_another_schema_version_is_made_again(place: Place) -> None:
    before = place.kept()
    with duckdb.connect(place.state) as connection:
        connection.execute("update ops.schema_version set version = 1")
        connection.execute("alter table ops.runs drop column error")
        connection.execute("alter table ops.sweeps add column another integer")
        connection.execute("drop table ops.held_deletes")
    with pytest.raises(StateUnusable):
        place.sync(4, base_url="http://127.0.0.1:9", token="t")
    assert place.rebuild().status == "ok"
    assert_same(before, place.published)
    assert difference(before, place.published, *_CARRIED[1:]) == {}


def test_what_stands_beside_the_old_state_is_not_taken_for_the_new_one(place: Place) -> None:
    before = place.kept()
    log = place.state.with_name("warehouse.duckdb.wal")
    with duckdb.connect(place.state, config={"checkpoint_threshold": "1GB"}) as connection:
        connection.execute("pragma disable_checkpoint_on_shutdown")
        connection.execute("create table main.left_over as select 1 as one")
    assert log.exists()
    assert place.rebuild().status == "ok"
    assert not log.exists()
    assert_same(before, place.state)


def test_nothing_landed_is_nothing_to_rebuild_from(place: Place) -> None:
    before = place.state.read_bytes()
    shutil.rmtree(place.path / "landing")
    with pytest.raises(UsageError, match="nothing to rebuild from"):
        place.rebuild()
    assert place.state.read_bytes() == before


def test_a_rebuild_that_would_lose_history_is_refused(place: Place) -> None:
    before = place.state.read_bytes()
    first = Manifests(LocalStorage(place.path)).runs("assets")[0]
    shutil.rmtree(place.path / "landing" / "assets" / first)
    with pytest.raises(BaseLost, match=first):
        place.rebuild()
    assert place.state.read_bytes() == before


def last_snapshot(place: Place) -> Manifest:
    manifests = Manifests(LocalStorage(place.path))
    found = manifests.get("assets", manifests.runs("assets")[-1])
    assert found is not None
    return found


def test_a_rebuild_that_would_lose_what_a_page_held_is_refused_until_somebody_accepts(place: Place) -> None:
    snapshot = last_snapshot(place)
    page = place.path / page_key(snapshot.landed[0].sha256)
    page.unlink()
    before = place.state.read_bytes(), place.published.read_bytes()
    with pytest.raises(BaseLost, match=f"{page.name}: it is missing") as refused:
        place.rebuild()
    assert f"--accept-loss {snapshot.run_id}" in str(refused.value)
    assert (place.state.read_bytes(), place.published.read_bytes()) == before
    report = rebuild(place.settings(), accept_loss=[snapshot.run_id])
    assert report.exit_code == 3
    assert snapshot.run_id in report.left_behind[0]
    assert place.rows("select count(*) from assets")[0][0] > 0
    assert place.rebuild().exit_code == 3  # what was lost before is no loss of this one; the page is still missing


def test_only_the_loss_of_the_runs_named_is_accepted(place: Place) -> None:
    first, second, *_ = Manifests(LocalStorage(place.path)).runs("assets")
    for run_id in (first, second):
        shutil.rmtree(place.path / "landing" / "assets" / run_id)
    before = place.state.read_bytes()
    with pytest.raises(BaseLost, match=f"--accept-loss {second}$"):
        rebuild(place.settings(), accept_loss=[first])
    assert place.state.read_bytes() == before
    report = rebuild(place.settings(), accept_loss=[first, second])
    assert all(run_id in " ".join(report.left_behind) for run_id in (first, second))


def test_what_is_no_run_is_no_loss_to_accept(place: Place) -> None:
    with pytest.raises(UsageError, match="--accept-loss"):
        rebuild(place.settings(), accept_loss=["yesterday"])
    report = rebuild(place.settings(), accept_loss=["20200101T000000000000Z"])
    assert report.exit_code == 0
    assert "20200101T000000000000Z" in " ".join(report.notes)


def test_what_is_published_is_a_witness_where_the_state_is_lost(place: Place) -> None:
    snapshot = last_snapshot(place)
    (place.path / page_key(snapshot.landed[0].sha256)).write_bytes(b"[]")
    place.state.unlink()
    before = place.published.read_bytes()
    with pytest.raises(BaseLost, match=snapshot.run_id):
        place.rebuild()
    assert place.published.read_bytes() == before
    assert not place.state.exists()


def test_where_nothing_can_be_a_witness_the_rebuild_says_so(place: Place) -> None:
    place.state.unlink()
    place.published.write_bytes(b"no database")
    report = place.rebuild()
    assert (report.exit_code, len(report.notes)) == (0, 2)
    assert [note for note in report.notes if "nothing shows whether landing still has everything" in note]
    assert [note for note in report.notes if str(place.published) in note and "is written again" in note]


def test_an_older_state_that_was_restored_is_made_again_and_loses_no_later_run(place: Place, tmp_path: Path) -> None:
    """A state that a backup brought back knows less than what is published: no run may publish it."""
    older = place.state.read_bytes()
    world = small_world(assets=24, assessments=12, schedules=8)
    for change in CHANGES:
        change(world)
    world.assets.pop()
    with ApiServer(Dialect(world)) as server:
        place.sync(5, base_url=server.url, token=TOKEN, page_limit=10)
        before = place.kept()
        place.state.write_bytes(older)
        with pytest.raises(StateUnusable, match="propsync rebuild"):
            place.sync(6, base_url=server.url, token=TOKEN, page_limit=10)
    assert place.rebuild().exit_code == 0
    assert_same(before, place.published)
    assert difference(before, place.published, *_CARRIED[1:]) == {}


def test_a_base_that_is_damaged_stops_a_rebuild(place: Place) -> None:
    prune_at(place, night=4, keep_days=1)
    base = Bases(LocalStorage(place.path)).newest()
    assert base is not None
    (place.path / base.files["history.assets"].key).write_bytes(b"PAR1")
    before = place.state.read_bytes()
    with pytest.raises(BaseLost, match=r"history\.assets"):
        place.rebuild()
    assert place.state.read_bytes() == before


def test_another_rebuild_changes_nothing(place: Place) -> None:
    place.rebuild()
    before = place.kept()
    place.rebuild()
    assert_same(before, place.published)
    assert difference(before, place.published, *_CARRIED[1:]) == {}


def test_the_night_after_a_rebuild_is_quiet(place: Place) -> None:
    world = small_world(assets=24, assessments=12, schedules=8)
    for change in CHANGES:
        change(world)
    place.rebuild()
    before = place.kept()
    with ApiServer(Dialect(world)) as server:
        report = place.sync(5, base_url=server.url, token=TOKEN, page_limit=10)
    assert report.exit_code == 0
    assert_same(before, place.published)


def test_a_rebuild_that_is_killed_at_any_moment_leaves_the_old_state_working(place: Place, tmp_path: Path) -> None:
    before = place.kept()
    rehearsal = Place(tmp_path / "rehearsal", {})
    shutil.copytree(place.path, rehearsal.path)
    with dying(None) as moments:
        rehearsal.rebuild()
    names = moments.names
    installed = names.index("replace rebuild.duckdb.partial")
    for moment in (*range(installed - 2, installed + 4), len(names) // 2, len(names) - 1):
        tried = Place(tmp_path / "tried", {})
        shutil.copytree(place.path, tried.path)
        with dying(moment):
            tried.rebuild()
        assert_same(before, tried.state)
        assert_same(before, tried.published)
        shutil.rmtree(tried.path)


@pytest.mark.parametrize(
    ("dialect", "good"), some([(kind, good) for good in (0, 1) for kind in (Dialect, UnusualNames, Objects)], 2)
)
def test_types_that_only_the_assets_showed_are_rebuilt_the_same(
    tmp_path: Path, good: int, dialect: Callable[[World], Dialect], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their own list failed on the first night, at once or after the answer that showed its shape."""
    place = Place(tmp_path / "home", {})
    with ApiServer(dialect(small_world(assets=24, assessments=12, schedules=8))) as server:
        answered = server.answer

        def answer(path: str, query: Query) -> str:
            if path.endswith("/assets/types") and sum(asked == path for asked, _ in server.requests) >= good:
                raise Refused(422, "try later")
            return answered(path, query)

        monkeypatch.setattr(server, "answer", answer)
        assert place.sync(0, base_url=server.url, token=TOKEN).exit_code == 3
        assert place.rows("select count(*) from history.asset_types") != [(0,)]
        monkeypatch.setattr(server, "answer", answered)
        assert place.sync(1, base_url=server.url, token=TOKEN).exit_code == 0
    before = place.kept()
    assert place.rebuild().status == "ok"
    assert_same(before, place.published)
