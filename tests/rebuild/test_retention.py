"""Old landing goes, and nothing that a rebuild needs goes with it."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import duckdb
import pytest
from kit.comparing import assert_same, difference
from kit.deaths import dying
from rebuild.conftest import CHANGES, FIRST, Lived, copy_of, prune_at, run_nights
from variants import some

from propsync.errors import BaseLost, StateUnusable
from propsync.landing import Bases, Manifests, PageStore
from propsync.resources import BUILT_IN
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
    return base is None or len(Bases(storage).paths(base)) > len(BUILT_IN)


@pytest.mark.slow
def test_a_rebuild_from_a_base_gives_the_same(lived: Lived) -> None:
    before = lived.copy_of_published()
    prune_at(lived, night=4, keep_days=1)
    assert len(landed_runs(lived.path)) == 1
    assert lived.rebuild().status == "ok"
    assert_same(before, lived.published)
    for folder in ("state", "published"):
        shutil.rmtree(lived.path / folder)
    assert lived.rebuild().status == "ok"
    assert_same(before, lived.published)


@pytest.mark.release
def test_two_prunings_one_after_the_other_are_one(lived: Lived, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("propsync.runbooks.retention._AT_ONCE", 1)
    before = lived.copy_of_published()
    prune_at(lived, night=3, keep_days=1)
    first = Bases(LocalStorage(lived.path)).newest()
    assert first is not None
    prune_at(lived, night=40, keep_days=1)
    second = Bases(LocalStorage(lived.path)).newest()
    assert second is not None
    assert second.run_id > first.run_id
    assert landed_runs(lived.path) == []
    assert LocalStorage(lived.path).list("landing/pages") == []
    assert lived.rebuild().status == "ok"
    assert_same(before, lived.published)


@pytest.mark.slow
def test_a_run_that_is_not_merged_is_not_pruned_nor_any_after_it(lived: Lived) -> None:
    storage = LocalStorage(lived.path)
    manifests = Manifests(storage)
    last = landed_runs(lived.path)[-1]
    snapshot = manifests.get("assets", last)
    assert snapshot is not None
    snapshot.run_id = next_run("nightly", None, FIRST + timedelta(days=10)).run_id
    manifests.put(snapshot)
    prune_at(lived, night=60, keep_days=1)
    assert landed_runs(lived.path) == [snapshot.run_id]
    assert is_whole(lived.path)


def test_pages_that_nothing_names_go_and_the_others_stay(lived: Lived) -> None:
    pages = PageStore(LocalStorage(lived.path))
    lost = pages.put(b"[1]", b"[1]")
    named = Manifests(LocalStorage(lived.path)).named()
    prune_at(lived, night=4, keep_days=30)
    stored = {key.rpartition("/")[2] for key in LocalStorage(lived.path).list("landing/pages")}
    assert lost not in stored
    assert stored == named


def test_where_a_manifest_cannot_be_read_no_page_goes(lived: Lived) -> None:
    pages = PageStore(LocalStorage(lived.path))
    lost = pages.put(b"[1]", b"[1]")
    LocalStorage(lived.path).put("landing/assets/20200101T000000000000Z/manifest.json", b"{")
    prune_at(lived, night=4, keep_days=30)
    assert pages.get(lost) == b"[1]"


@pytest.mark.slow
def test_a_missing_manifest_that_comes_back_from_a_backup_finds_its_pages(lived: Lived) -> None:
    before = lived.copy_of_published()
    manifest = lived.path / "landing" / "assets" / landed_runs(lived.path)[0] / "manifest.json"
    kept = manifest.read_bytes()
    manifest.unlink()
    prune_at(lived, night=4, keep_days=30)  # it advises to restore the manifest, and nothing else
    manifest.write_bytes(kept)
    assert is_whole(lived.path)
    assert lived.rebuild().status == "ok"
    assert_same(before, lived.published)


def test_what_killed_runs_left_unfinished_goes_at_the_next_start(lived: Lived) -> None:
    left = [
        lived.path / "landing" / "pages" / "aa" / "tmp1.partial",
        lived.path / "landing" / "assets" / "x" / "tmp2.partial",
        lived.path / "published" / "parquet" / "tmp3.partial",
        lived.path / "state" / "work" / "tmp4.partial",
        lived.path / "state" / "work" / "rebuild.duckdb.partial.wal",
    ]
    for path in left:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"half")
    prune_at(lived, night=4, keep_days=30)
    assert [path for path in left if path.exists()] == []


@pytest.mark.release
@pytest.mark.parametrize("number", [20])
def test_a_pruning_that_is_killed_at_any_moment_loses_nothing(lived: Lived, tmp_path: Path, number: int) -> None:
    before = lived.copy_of_published()
    rehearsal = copy_of(lived.path, tmp_path / "rehearsal")
    with dying(None) as moments:
        prune_at(rehearsal, night=4, keep_days=1)
    assert len(moments.names) > 30
    for place, moment in enumerate(some(range(len(moments.names)), number)):
        tried = copy_of(lived.path, tmp_path / "tried")
        with dying(moment):
            prune_at(tried, night=4, keep_days=1)
        assert is_whole(tried.path), moments.names[moment]
        if place % 5 == 0:
            (tried.path / "state" / "warehouse.duckdb").unlink()
            assert tried.rebuild().status == "ok", moments.names[moment]
            assert_same(before, tried.published)
        prune_at(tried, night=4, keep_days=1)
        files = [path.relative_to(tried.path) for path in (tried.path / "landing").rglob("*") if path.is_file()]
        assert len(files) == len([path for path in (rehearsal.path / "landing").rglob("*") if path.is_file()])
        shutil.rmtree(tried.path)


@pytest.mark.release
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("keep_days", "nights"), some([(30, 60), (10, 20)][::-1], 1))
def test_quiet_nights_in_random_order_keep_at_most_five_nights_worth_more_than_the_setting(
    tmp_path: Path, keep_days: int, nights: int
) -> None:
    lived = Lived(tmp_path / "home")
    lived.has_desk = False
    landing = lived.path / "landing"
    with Sandbox(scale=40, order="shuffled") as sandbox:
        settings = lived.settings(base_url=sandbox.base_url, token=sandbox.token, landing_keep_days=keep_days)
        one_night = 0
        for night in range(nights):
            report = nightly(settings, now=FIRST + timedelta(days=night), call=lived.call)
            assert report.exit_code == 0
            one_night = one_night or disk_use(landing)
            assert disk_use(landing) <= (keep_days + 5) * one_night, night
    assert keep_days <= len(landed_runs(lived.path)) <= keep_days + 3
    before = lived.copy_of_published()
    lived.state.unlink()
    assert lived.rebuild().status == "ok"
    assert_same(before, lived.published)


@pytest.mark.slow
def test_a_state_that_is_lost_is_not_begun_anew_where_landing_begins(lived: Lived) -> None:
    before = lived.copy_of_published()
    prune_at(lived, night=4, keep_days=1)
    lived.state.unlink()
    for _ in range(2):  # what the first attempt left is no state either
        with pytest.raises(StateUnusable, match="propsync rebuild"):
            lived.on_night(5, base_url="http://127.0.0.1:9", token="t")
    assert lived.rebuild().status == "ok"
    assert_same(before, lived.published)


@pytest.mark.slow
def test_an_older_state_does_not_go_on_where_landing_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("propsync.runbooks.retention._AT_ONCE", 1)
    home, backup = Lived(tmp_path / "home"), tmp_path / "backup"
    run_nights(home, CHANGES[:1])
    for folder in ("state", "published"):
        shutil.copytree(home.path / folder, backup / folder)
    run_nights(home, CHANGES[:2])
    prune_at(home, night=3, keep_days=1)
    before = home.copy_of_published()
    for folder in ("state", "published"):
        shutil.rmtree(home.path / folder)
        shutil.copytree(backup / folder, home.path / folder)
    with pytest.raises(StateUnusable, match="propsync rebuild"):
        home.on_night(4, base_url="http://127.0.0.1:9", token="t")
    assert home.rebuild().status == "ok"
    assert difference(before, home.published, "history.assets", "history.asset_types") == {}
    home.on_night(5, base_url="http://127.0.0.1:9", token="t")  # it begins, although nothing can be read


@pytest.mark.slow
def test_a_rebuild_on_an_older_state_says_that_it_lacks_the_rows_of_documents(pruned: Lived) -> None:
    """The state still shows that no version is lost, and nothing but the run log and these rows comes from the base."""
    base = Bases(LocalStorage(pruned.path)).newest()
    assert base is not None
    LocalStorage(pruned.path).put("archive/blobs/aa/" + "a" * 64 + ".pdf", b"%PDF")
    shutil.rmtree(pruned.path / "published")
    with duckdb.connect(pruned.state) as state:
        state.execute("delete from ops.runs where run_id = ?", [base.run_id])
    report = pruned.rebuild()
    (line,) = report.left_behind
    assert line.startswith("documents: the rows of those in archive/ are lost")
    assert report.exit_code == 3


@pytest.mark.parametrize("days", [999_999, 10**6])
def test_landing_may_be_kept_for_more_days_than_there_ever_were(lived: Lived, days: int) -> None:
    before = landed_runs(lived.path)
    prune_at(lived, night=4, keep_days=days)
    assert landed_runs(lived.path) == before != []


@pytest.mark.release
@pytest.mark.costly
@pytest.mark.parametrize("file", ["history.assets.parquet", "ops.runs.parquet", "manifest.json"])
@pytest.mark.parametrize("damage", some(["cut", "removed"], 1))
def test_a_damaged_base_is_written_again_from_the_state(lived: Lived, file: str, damage: str) -> None:
    before = lived.copy_of_published()
    prune_at(lived, night=4, keep_days=1)
    (path,) = (lived.path / "landing" / "base").glob(f"*/{file}")
    if damage == "removed" and file != "manifest.json":  # without its manifest there never was a base
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    prune_at(lived, night=4, keep_days=1)
    assert is_whole(lived.path)
    lived.state.unlink()
    assert lived.rebuild().status == "ok"
    assert_same(before, lived.published)


def test_a_base_is_not_written_again_from_a_state_that_never_knew_its_run(lived: Lived) -> None:
    prune_at(lived, night=4, keep_days=1)
    (path,) = (lived.path / "landing" / "base").glob("*/ops.runs.parquet")
    path.write_bytes(b"")
    with duckdb.connect(lived.state) as connection:
        connection.execute("delete from ops.runs where run_id = ?", [path.parent.name])
    with pytest.raises(BaseLost, match="ops"):
        prune_at(lived, night=4, keep_days=1)


@pytest.mark.release
def test_a_damaged_manifest_goes_with_the_landing_that_is_pruned(lived: Lived) -> None:
    before = lived.copy_of_published()
    first = landed_runs(lived.path)[0]
    (lived.path / "landing" / "assets" / first / "manifest.json").write_bytes(b"{")
    prune_at(lived, night=4, keep_days=30)  # what it names is not known, so every page stays
    assert is_readable(lived)
    prune_at(lived, night=4, keep_days=1)
    assert first not in landed_runs(lived.path)
    assert is_whole(lived.path)
    assert lived.rebuild().status == "ok"
    assert_same(before, lived.published)


def is_readable(lived: Lived) -> bool:
    """Whether every page left has the bytes that its name says."""
    storage = LocalStorage(lived.path)
    names = [key.rpartition("/")[2] for key in storage.list("landing/pages")]
    return bool(names) and all(PageStore(storage).get(name) for name in names)
