"""A rebuild gives the same tables and history, row for row, whatever is left of the state."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from kit.comparing import assert_same, difference
from kit.deaths import dying
from kit.dialects import Dialect, Objects, UnusualNames
from kit.server import Query
from kit.world import World, small_world
from kit.world_server import Refused, WorldServer
from rebuild.conftest import CHANGES, Lived, copy_of, served
from variants import daily, some

from propsync.errors import BaseLost, StateUnusable, UsageError
from propsync.landing import Bases, Manifest, Manifests
from propsync.landing.pages import page_key
from propsync.storage import LocalStorage
from propsync.warehouse import MARTS

pytestmark = pytest.mark.slow  # its home has lived many nights; seeds of the simulation rebuild theirs every day

MOMENTS = 60
"""Of the several hundred moments of a rebuild, as many as a long run has time for."""
_CARRIED = ("ops.runs", "ops.run_resources", "ops.sweeps", "ops.schema_changes", "ops.value_issues", "ops.columns")


@pytest.mark.release
def test_a_rebuild_beside_a_sound_state_gives_the_same_and_so_does_another(lived: Lived) -> None:
    before = lived.copy_of_published()
    report = lived.rebuild()
    assert (report.status, report.left_behind) == ("ok", [])
    assert_same(before, lived.published)
    assert_same(before, lived.state)
    with duckdb.connect(lived.published, read_only=True) as connection:
        connection.execute(f"attach '{before}' as old (read_only)")
        for table in _CARRIED:
            lost = connection.execute(f"from old.{table} except all from {table}").fetchall()
            added = connection.execute(f"from {table} except all from old.{table}").fetchall()
            if table == "ops.runs":
                assert [row[1] for row in added] == ["rebuild"]
            else:
                assert (table, lost, added) == (table, [], [])
    again = lived.copy_of_published("again")
    assert lived.rebuild().status == "ok"
    assert_same(again, lived.published)
    assert difference(again, lived.published, *_CARRIED[1:]) == {}


def test_a_home_in_a_folder_that_looks_like_a_partition_is_rebuilt(lived: Lived, tmp_path: Path) -> None:
    """DuckDB reads `client=acme` in the path of a Parquet file as one more column."""
    home = copy_of(lived.path, tmp_path / "client=acme" / "home")
    assert home.rebuild().status == "ok"
    assert_same(lived.published, home.published)


def test_a_rebuild_without_state_or_anything_published_gives_the_same(lived: Lived) -> None:
    before = lived.copy_of_published()
    shutil.rmtree(lived.path / "state")
    shutil.rmtree(lived.path / "published")
    assert lived.rebuild().status == "ok"
    assert_same(before, lived.published)
    assert difference(before, lived.published, *_CARRIED[1:], *MARTS) == {}
    runs = "select run_id, flow, started_at, status from ops.runs where flow = 'nightly' order by all"
    with duckdb.connect(lived.published, read_only=True) as new, duckdb.connect(before, read_only=True) as old:
        assert new.execute(runs).fetchall() == old.execute(runs).fetchall()


@pytest.mark.release
def test_a_state_that_is_gone_is_made_again_from_landing_and_what_is_published(lived: Lived) -> None:
    before = lived.copy_of_published()
    lived.state.unlink()
    assert lived.rebuild().status == "ok"
    assert_same(before, lived.published)
    assert difference(before, lived.published, *_CARRIED[1:]) == {}


def test_a_damaged_page_of_the_state_asks_for_a_rebuild(lived: Lived) -> None:
    whole = lived.state.read_bytes()
    lived.state.write_bytes(whole[:12_288] + bytes(len(whole) - 12_288))
    with pytest.raises(StateUnusable, match="propsync rebuild"):
        lived.on_night(4, base_url="http://127.0.0.1:9", token="t")


@pytest.mark.release
@pytest.mark.costly
@pytest.mark.parametrize("damage", daily(["flipped", "garbage", "empty", "cut"], 1))
def test_a_damaged_state_is_made_again(lived: Lived, damage: str) -> None:
    before = lived.copy_of_published()
    whole = lived.state.read_bytes()
    middle = len(whole) // 2
    flipped = bytes(byte ^ 0x5A for byte in whole[20_000:middle])
    lived.state.write_bytes(
        {
            "garbage": b"not a database" * 1000,
            "empty": b"",
            "cut": whole[:middle],
            "flipped": whole[:20_000] + flipped + whole[middle:],
        }[damage]
    )
    lived.state.with_name("warehouse.duckdb.wal").write_bytes(b"a stray log")
    assert lived.rebuild().status == "ok"
    assert_same(before, lived.published)
    assert_same(before, lived.state)


@pytest.mark.release
def test_a_state_of_another_schema_version_is_made_again(lived: Lived) -> None:
    before = lived.copy_of_published()
    with duckdb.connect(lived.state) as connection:
        connection.execute("update ops.schema_version set version = 1")
        connection.execute("alter table ops.runs drop column error")
        connection.execute("alter table ops.sweeps add column another integer")
        connection.execute("drop table ops.held_deletes")
    with pytest.raises(StateUnusable):
        lived.on_night(4, base_url="http://127.0.0.1:9", token="t")
    assert lived.rebuild().status == "ok"
    assert_same(before, lived.published)
    assert difference(before, lived.published, *_CARRIED[1:]) == {}


@pytest.mark.release
def test_what_stands_beside_the_old_state_is_not_taken_for_the_new_one(lived: Lived) -> None:
    before = lived.copy_of_published()
    log = lived.state.with_name("warehouse.duckdb.wal")
    with duckdb.connect(lived.state, config={"checkpoint_threshold": "1GB"}) as connection:
        connection.execute("pragma disable_checkpoint_on_shutdown")
        connection.execute("create table main.left_over as select 1 as one")
    assert log.exists()
    assert lived.rebuild().status == "ok"
    assert not log.exists()
    assert_same(before, lived.state)


def test_nothing_landed_is_nothing_to_rebuild_from(lived: Lived) -> None:
    before = lived.state.read_bytes()
    shutil.rmtree(lived.path / "landing")
    with pytest.raises(UsageError, match="nothing to rebuild from"):
        lived.rebuild()
    assert lived.state.read_bytes() == before


def test_a_rebuild_that_would_lose_history_is_refused(lived: Lived) -> None:
    before = lived.state.read_bytes()
    first = Manifests(LocalStorage(lived.path)).runs("assets")[0]
    shutil.rmtree(lived.path / "landing" / "assets" / first)
    with pytest.raises(BaseLost, match=first):
        lived.rebuild()
    assert lived.state.read_bytes() == before


def last_snapshot(lived: Lived) -> Manifest:
    manifests = Manifests(LocalStorage(lived.path))
    found = manifests.get("assets", manifests.runs("assets")[-1])
    assert found is not None
    return found


@pytest.mark.release
def test_a_rebuild_that_would_lose_what_a_page_held_is_refused_until_somebody_accepts(lived: Lived) -> None:
    snapshot = last_snapshot(lived)
    page = lived.path / page_key(snapshot.landed[0].sha256)
    page.unlink()
    before = lived.state.read_bytes(), lived.published.read_bytes()
    with pytest.raises(BaseLost, match=f"{page.name}: it is missing") as refused:
        lived.rebuild()
    assert f"--accept-loss {snapshot.run_id}" in str(refused.value)
    assert (lived.state.read_bytes(), lived.published.read_bytes()) == before
    report = lived.rebuild(accept_loss=[snapshot.run_id])
    assert report.exit_code == 3
    assert snapshot.run_id in report.left_behind[0]
    assert lived.rows("select count(*) from assets")[0][0] > 0
    assert lived.rebuild().exit_code == 3  # what was lost before is no loss of this one; the page is still missing


@pytest.mark.release
def test_only_the_loss_of_the_runs_named_is_accepted(lived: Lived) -> None:
    first, second, *_ = Manifests(LocalStorage(lived.path)).runs("assets")
    for run_id in (first, second):
        shutil.rmtree(lived.path / "landing" / "assets" / run_id)
    before = lived.state.read_bytes()
    with pytest.raises(BaseLost, match=f"--accept-loss {second}$"):
        lived.rebuild(accept_loss=[first])
    assert lived.state.read_bytes() == before
    report = lived.rebuild(accept_loss=[first, second])
    assert all(run_id in " ".join(report.left_behind) for run_id in (first, second))


@pytest.mark.release
def test_what_is_no_run_is_no_loss_to_accept(lived: Lived) -> None:
    with pytest.raises(UsageError, match="--accept-loss"):
        lived.rebuild(accept_loss=["yesterday"])
    report = lived.rebuild(accept_loss=["20200101T000000000000Z"])
    assert report.exit_code == 0
    assert "20200101T000000000000Z" in " ".join(report.notes)


@pytest.mark.release
def test_what_is_published_is_a_witness_where_the_state_is_lost(lived: Lived) -> None:
    snapshot = last_snapshot(lived)
    (lived.path / page_key(snapshot.landed[0].sha256)).write_bytes(b"[]")
    lived.state.unlink()
    before = lived.published.read_bytes()
    with pytest.raises(BaseLost, match=snapshot.run_id):
        lived.rebuild()
    assert lived.published.read_bytes() == before
    assert not lived.state.exists()


@pytest.mark.release
def test_where_nothing_can_be_a_witness_the_rebuild_says_so(lived: Lived) -> None:
    lived.state.unlink()
    lived.published.write_bytes(b"no database")
    report = lived.rebuild()
    assert (report.exit_code, len(report.notes)) == (0, 2)
    assert [note for note in report.notes if "nothing shows whether landing still has everything" in note]
    assert [note for note in report.notes if str(lived.published) in note and "propsync writes it again" in note]


@pytest.mark.release
def test_an_older_state_that_was_restored_is_made_again_and_loses_no_later_run(lived: Lived, tmp_path: Path) -> None:
    """A state that a backup brought back knows less than what is published: no run may publish it."""
    older = lived.state.read_bytes()
    world = small_world(assets=24, assessments=12, schedules=8)
    for change in CHANGES:
        change(world)
    world.assets.pop()
    with WorldServer(Dialect(world)) as server:
        lived.on_night(5, **served(server))
        before = lived.copy_of_published()
        lived.state.write_bytes(older)
        with pytest.raises(StateUnusable, match="propsync rebuild"):
            lived.on_night(6, **served(server))
    assert lived.rebuild().exit_code == 0
    assert_same(before, lived.published)
    assert difference(before, lived.published, *_CARRIED[1:]) == {}


def test_a_base_that_is_damaged_stops_a_rebuild(pruned: Lived) -> None:
    base = Bases(LocalStorage(pruned.path)).newest()
    assert base is not None
    (pruned.path / base.files["history.assets"].key).write_bytes(b"PAR1")
    before = pruned.state.read_bytes()
    with pytest.raises(BaseLost, match=r"history\.assets"):
        pruned.rebuild()
    assert pruned.state.read_bytes() == before


def test_the_night_after_a_rebuild_is_quiet(lived: Lived) -> None:
    world = small_world(assets=24, assessments=12, schedules=8)
    for change in CHANGES:
        change(world)
    lived.rebuild()
    before = lived.copy_of_published()
    with WorldServer(Dialect(world)) as server:
        report = lived.on_night(5, **served(server))
    assert report.exit_code == 0
    assert_same(before, lived.published)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("is_every", [False, pytest.param(True, marks=pytest.mark.release)])
def test_a_rebuild_that_is_killed_at_any_moment_leaves_the_old_state_working(
    lived: Lived, tmp_path: Path, is_every: bool
) -> None:
    before = lived.copy_of_published()
    rehearsal = copy_of(lived.path, tmp_path / "rehearsal")
    with dying(None) as moments:
        rehearsal.rebuild()
    names = moments.names
    installed = names.index("replace rebuild.duckdb.partial")
    # those around the one that counts, and some of all
    chosen = some(range(len(names)), MOMENTS) if is_every else (installed, installed + 1)
    for moment in chosen:
        tried = copy_of(lived.path, tmp_path / "tried")
        with dying(moment):
            tried.rebuild()
        assert_same(before, tried.state)
        assert_same(before, tried.published)
        shutil.rmtree(tried.path)


@pytest.mark.release
@pytest.mark.parametrize(
    ("dialect", "good"),
    daily([(kind, good) for kind in (UnusualNames, Objects, Dialect) for good in (1, 0)], 1, is_row=True),
)
def test_types_that_only_the_assets_showed_are_rebuilt_the_same(
    tmp_path: Path, good: int, dialect: Callable[[World], Dialect], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their own list failed on the first night, at once or after the answer that showed its shape."""
    lived = Lived(tmp_path / "home")
    with WorldServer(dialect(small_world(assets=24, assessments=12, schedules=8))) as server:
        answered = server.answer

        def answer(path: str, query: Query) -> str:
            if path.endswith("/assets/types") and sum(asked == path for asked, _ in server.requests) >= good:
                raise Refused(422, "try later")
            return answered(path, query)

        monkeypatch.setattr(server, "answer", answer)
        assert lived.on_night(0, **served(server)).exit_code == 3
        assert lived.rows("select count(*) from history.asset_types") != [(0,)]
        monkeypatch.setattr(server, "answer", answered)
        assert lived.on_night(1, **served(server)).exit_code == 0
    before = lived.copy_of_published()
    assert lived.rebuild().status == "ok"
    assert_same(before, lived.published)
