"""Old landing goes, and nothing that a rebuild needs goes with it."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import duckdb
import pytest
from rebuild.comparing import assert_same
from rebuild.conftest import FIRST, QUICK, Place, prune_at
from rebuild.deaths import dying
from variants import some

from propsync.errors import BaseLost, StateUnusable
from propsync.landing import Bases, Manifests, PageStore
from propsync.resources import RESOURCES
from propsync.runbooks import nightly
from propsync.runs import next_run
from propsync.storage import LocalStorage, disk_use
from propsync_sandbox import Sandbox


def landed_runs(home: Path) -> list[str]:
    return list(Manifests(LocalStorage(home)).all_runs())


def is_whole(home: Path) -> bool:
    """Whether every snapshot has its pages, and the base its files."""
    storage = LocalStorage(home)
    for sha256 in Manifests(storage).named():
        PageStore(storage).get(sha256)
    base = Bases(storage).newest()
    return base is None or len(Bases(storage).paths(base)) > len(RESOURCES)


def test_a_rebuild_from_a_base_gives_the_same(place: Place) -> None:
    before = place.kept()
    prune_at(place, night=4, keep_days=1)
    assert len(landed_runs(place.path)) == 1
    assert place.rebuild().status == "ok"
    assert_same(before, place.published)
    for folder in ("state", "published"):
        shutil.rmtree(place.path / folder)
    assert place.rebuild().status == "ok"
    assert_same(before, place.published)


def test_two_prunings_one_after_the_other_are_one(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("propsync.runbooks.retention._AT_ONCE", 1)
    before = place.kept()
    prune_at(place, night=3, keep_days=1)
    first = Bases(LocalStorage(place.path)).newest()
    assert first is not None
    prune_at(place, night=40, keep_days=1)
    second = Bases(LocalStorage(place.path)).newest()
    assert second is not None
    assert second.run_id > first.run_id
    assert landed_runs(place.path) == []
    assert LocalStorage(place.path).list("landing/pages") == []
    assert place.rebuild().status == "ok"
    assert_same(before, place.published)


def test_a_run_that_is_not_merged_is_not_pruned_nor_any_after_it(place: Place) -> None:
    storage = LocalStorage(place.path)
    manifests = Manifests(storage)
    last = landed_runs(place.path)[-1]
    snapshot = manifests.get("assets", last)
    assert snapshot is not None
    snapshot.run_id = next_run("nightly", None, FIRST + timedelta(days=10)).run_id
    manifests.put(snapshot)
    prune_at(place, night=60, keep_days=1)
    assert landed_runs(place.path) == [snapshot.run_id]
    assert is_whole(place.path)


def test_pages_that_nothing_names_go_and_the_others_stay(place: Place) -> None:
    pages = PageStore(LocalStorage(place.path))
    lost = pages.put(b"[1]", b"[1]")
    named = Manifests(LocalStorage(place.path)).named()
    prune_at(place, night=4, keep_days=30)
    stored = {key.rpartition("/")[2] for key in LocalStorage(place.path).list("landing/pages")}
    assert lost not in stored
    assert stored == named


def test_where_a_manifest_cannot_be_read_no_page_goes(place: Place) -> None:
    pages = PageStore(LocalStorage(place.path))
    lost = pages.put(b"[1]", b"[1]")
    LocalStorage(place.path).put("landing/assets/20200101T000000000000Z/manifest.json", b"{")
    prune_at(place, night=4, keep_days=30)
    assert pages.get(lost) == b"[1]"


def test_what_killed_runs_left_unfinished_goes_at_the_next_start(place: Place) -> None:
    left = [
        place.path / "landing" / "pages" / "aa" / "tmp1.partial",
        place.path / "landing" / "assets" / "x" / "tmp2.partial",
        place.path / "published" / "parquet" / "tmp3.partial",
        place.path / "state" / "work" / "tmp4.partial",
        place.path / "state" / "work" / "rebuild.duckdb.partial.wal",
    ]
    for path in left:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"half")
    prune_at(place, night=4, keep_days=30)
    assert [path for path in left if path.exists()] == []


def test_a_pruning_that_is_killed_at_any_moment_loses_nothing(place: Place, tmp_path: Path) -> None:
    before = place.kept()
    rehearsal = Place(tmp_path / "rehearsal", {})
    shutil.copytree(place.path, rehearsal.path)
    with dying(None) as moments:
        prune_at(rehearsal, night=4, keep_days=1)
    assert len(moments.names) > 30
    for number, moment in enumerate(some(range(len(moments.names)), 12)):
        tried = Place(tmp_path / "tried", {})
        shutil.copytree(place.path, tried.path)
        with dying(moment):
            prune_at(tried, night=4, keep_days=1)
        assert is_whole(tried.path), moments.names[moment]
        if number % 5 == 0:
            (tried.path / "state" / "warehouse.duckdb").unlink()
            assert tried.rebuild().status == "ok", moments.names[moment]
            assert_same(before, tried.published)
        prune_at(tried, night=4, keep_days=1)
        files = [path.relative_to(tried.path) for path in (tried.path / "landing").rglob("*") if path.is_file()]
        assert len(files) == len([path for path in (rehearsal.path / "landing").rglob("*") if path.is_file()])
        shutil.rmtree(tried.path)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("keep_days", "nights"), some([(30, 60), (10, 20)][::-1], 1))
def test_quiet_nights_in_random_order_keep_at_most_five_nights_worth_more_than_the_setting(
    tmp_path: Path, keep_days: int, nights: int
) -> None:
    place = Place(tmp_path / "home", {})
    landing = place.path / "landing"
    with Sandbox(scale=40, order="shuffled") as sandbox:
        settings = place.settings(base_url=sandbox.base_url, token=sandbox.token, landing_keep_days=keep_days)
        one_night = 0
        for night in range(nights):
            report = nightly(settings, policy=QUICK, now=FIRST + timedelta(days=night))
            assert report.exit_code == 0
            one_night = one_night or disk_use(landing)
            assert disk_use(landing) <= (keep_days + 5) * one_night, night
    assert keep_days <= len(landed_runs(place.path)) <= keep_days + 3
    before = place.kept()
    place.state.unlink()
    assert place.rebuild().status == "ok"
    assert_same(before, place.published)


def test_a_state_that_is_lost_is_not_begun_anew_where_landing_begins(place: Place) -> None:
    before = place.kept()
    prune_at(place, night=4, keep_days=1)
    place.state.unlink()
    for _ in range(2):  # what the first attempt left is no state either
        with pytest.raises(StateUnusable, match="propsync rebuild"):
            place.sync(5, base_url="http://127.0.0.1:9", token="t")
    assert place.rebuild().status == "ok"
    assert_same(before, place.published)


@pytest.mark.parametrize("days", [999_999, 10**6])
def test_landing_may_be_kept_for_more_days_than_there_ever_were(place: Place, days: int) -> None:
    before = landed_runs(place.path)
    prune_at(place, night=4, keep_days=days)
    assert landed_runs(place.path) == before != []


@pytest.mark.parametrize("file", ["history.assets.parquet", "ops.runs.parquet", "manifest.json"])
@pytest.mark.parametrize("damage", some(["cut", "removed"], 1))
def test_a_damaged_base_is_written_again_from_the_state(place: Place, file: str, damage: str) -> None:
    before = place.kept()
    prune_at(place, night=4, keep_days=1)
    (path,) = (place.path / "landing" / "base").glob(f"*/{file}")
    if damage == "removed" and file != "manifest.json":  # without its manifest there never was a base
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    prune_at(place, night=4, keep_days=1)
    assert is_whole(place.path)
    place.state.unlink()
    assert place.rebuild().status == "ok"
    assert_same(before, place.published)


def test_a_base_is_not_written_again_from_a_state_that_never_knew_its_run(place: Place) -> None:
    prune_at(place, night=4, keep_days=1)
    (path,) = (place.path / "landing" / "base").glob("*/ops.runs.parquet")
    path.write_bytes(b"")
    with duckdb.connect(place.state) as connection:
        connection.execute("delete from ops.runs where run_id = ?", [path.parent.name])
    with pytest.raises(BaseLost, match="ops"):
        prune_at(place, night=4, keep_days=1)


def test_a_damaged_manifest_goes_with_the_landing_that_is_pruned(place: Place) -> None:
    before = place.kept()
    first = landed_runs(place.path)[0]
    (place.path / "landing" / "assets" / first / "manifest.json").write_bytes(b"{")
    prune_at(place, night=4, keep_days=30)  # what it names is not known, so every page stays
    assert is_readable(place)
    prune_at(place, night=4, keep_days=1)
    assert first not in landed_runs(place.path)
    assert is_whole(place.path)
    assert place.rebuild().status == "ok"
    assert_same(before, place.published)


def is_readable(place: Place) -> bool:
    """Whether every page that is there is what its name says."""
    storage = LocalStorage(place.path)
    names = [key.rpartition("/")[2] for key in storage.list("landing/pages")]
    return bool(names) and all(PageStore(storage).get(name) for name in names)
