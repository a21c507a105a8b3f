"""A machine is disposable: what it did is in the bucket, and another one continues."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kit.bucket import FolderBucket, copied, flaws
from kit.comparing import assert_same, difference
from kit.small_api import asset

from propsync.cli.status.command import print_status
from propsync.errors import HomeUnusable, SettingsError, StorageAway, UsageError
from propsync.runbooks.storage_move import move_storage
from propsync.storage import LocalStorage

from .conftest import Machines


def test_a_night_is_in_the_bucket_and_a_new_machine_rebuilds_it(machines: Machines) -> None:
    first = machines("first")
    assert first.sync().exit_code == 0
    assert flaws(machines.bucket, first.path) == []
    machines.api.assets[0]["note"] = "new"
    machines.api.assets.append(asset("a9", note="later"))
    assert first.sync().exit_code == 0
    assert flaws(machines.bucket, first.path) == []
    before = first.copy_of_published()
    shutil.rmtree(first.path)
    second = machines("second")
    report = second.rebuild()
    assert report.exit_code == 0
    assert_same(before, second.published)
    assert difference(before, second.published, "ops.sweeps", "ops.run_resources", "ops.held_deletes") == {}
    assert second.sync().exit_code == 0
    assert_same(before, second.published)
    assert flaws(machines.bucket, second.path) == []


@pytest.mark.slow
def test_a_new_machine_without_propsync_toml_does_not_show_what_the_bucket_hides(machines: Machines) -> None:
    machines.api.assets[0]["occupant"] = "zqx"
    first, second = machines("first"), machines("second")
    hides = '[privacy]\nhide = ["assets.occupant"]\n'
    first.path.mkdir()
    (first.path / "propsync.toml").write_text(hides)
    assert first.sync().exit_code == 0
    for run in (second.rebuild, second.sync, second.sync):
        with pytest.raises(SettingsError, match="without it a run would show what this home hides"):
            run()
    assert flaws(machines.bucket, first.path) == []
    (second.path / "propsync.toml").write_text(hides)
    assert second.sync().exit_code == 0
    for folder in (second.path, machines.bucket.root):
        assert not [path for path in (folder / "published").rglob("*.*") if b"zqx" in path.read_bytes()]


@contextmanager
def _away_at_the_published_file(bucket: FolderBucket) -> Iterator[None]:
    """A restore brings the rest home before it asks for that file."""
    plain = bucket.around

    @contextmanager
    def around(verb: str, key: str) -> Iterator[None]:
        if (verb, key) == ("get", "published/warehouse.duckdb"):
            raise StorageAway(key, "no answer")
        yield

    bucket.around = around
    try:
        yield
    finally:
        bucket.around = plain


@pytest.mark.slow
def test_a_bucket_that_goes_away_amid_a_restore_leaves_no_unfinished_file(machines: Machines) -> None:
    assert machines("first").sync().exit_code == 0
    new = machines("new")
    with _away_at_the_published_file(machines.bucket), pytest.raises(StorageAway):
        new.rebuild()
    assert not list(new.path.rglob("*.partial"))
    assert new.rebuild().exit_code == 0


@pytest.mark.slow
def test_a_bucket_that_goes_away_amid_the_copy_of_the_tables_gets_the_rest_next_time(
    machines: Machines, capsys: pytest.CaptureFixture[str]
) -> None:
    first, note = machines("first"), machines.bucket.root / "published/_published.json"
    assert first.sync().exit_code == 0
    before = note.read_bytes()
    machines.api.assets.append(asset("later"))

    @contextmanager
    def around(verb: str, key: str) -> Iterator[None]:
        if (verb, key) == ("put_file", "published/warehouse.duckdb"):
            raise StorageAway(key, "no answer")
        yield

    plain, machines.bucket.around = machines.bucket.around, around
    with pytest.raises(StorageAway, match="then puts into the bucket what it lacks"):
        first.sync()
    assert first.column("select count(*) from assets") == [len(machines.api.assets)]
    assert note.read_bytes() == before
    print_status(first.settings(), None, as_json=False)  # it said that all was well, and people read the bucket
    assert " failed: published/warehouse.duckdb: no answer" in capsys.readouterr().out
    machines.bucket.around = plain
    assert first.sync().exit_code == 0
    print_status(first.settings(), None, as_json=False)
    assert "failed" not in capsys.readouterr().out
    assert flaws(machines.bucket, first.path) == []


@pytest.mark.slow
def test_a_stopped_restore_removes_nothing_that_the_bucket_lost_meanwhile(machines: Machines, tmp_path: Path) -> None:
    first = machines("first")
    assert first.sync().exit_code == 0
    earlier = copied(machines.bucket, tmp_path / "earlier")
    machines.api.assets.append(asset("later"))
    assert first.sync().exit_code == 0

    new, later = machines("new"), machines.bucket
    with _away_at_the_published_file(later), pytest.raises(StorageAway):
        new.rebuild()
    brought = _landed(new.path)
    assert brought == _landed(first.path)
    for bucket in (earlier, FolderBucket(tmp_path / "emptied")):
        machines.use(bucket)
        with pytest.raises(HomeUnusable, match="it no longer holds what this home began to bring home"):
            new.rebuild()
        assert _landed(new.path) == brought
    machines.use(later)
    assert new.rebuild().exit_code == 0
    assert new.known("assets") == first.known("assets")


@pytest.mark.slow
def test_a_move_to_a_disk_takes_along_what_the_bucket_did_not_get(machines: Machines, tmp_path: Path) -> None:
    first, is_away = machines("first"), False

    @contextmanager
    def around(verb: str, key: str) -> Iterator[None]:
        if is_away and verb == "put_file":
            raise StorageAway(key, "no answer")
        yield

    machines.bucket.around = around
    assert first.sync().exit_code == 0
    machines.api.assets.append(asset("later"))
    is_away = True
    with pytest.raises(StorageAway):
        first.sync()
    is_away = False
    move_storage(first.settings(), str(tmp_path / "moved"))
    assert _landed(tmp_path / "moved") == _landed(first.path)


@pytest.mark.parametrize(
    ("to", "told"),
    [
        ("", "--to: it is empty"),
        ("{home}/published", "is below PROPSYNC_HOME. Give PROPSYNC_HOME itself"),
        ("{home}/published/../new", "is below PROPSYNC_HOME"),
        ("s3:/bucket/home", "is not a bucket and a folder alone"),
    ],
)
def test_a_move_to_what_is_no_place_is_wrong_usage(machines: Machines, to: str, told: str) -> None:
    first = machines("first")
    with pytest.raises(UsageError, match=re.escape(told)):
        move_storage(first.settings(), to.format(home=first.path))


@pytest.mark.slow
def test_a_move_to_a_disk_refuses_a_bucket_that_was_put_back(machines: Machines, tmp_path: Path) -> None:
    first = machines("first")
    assert first.sync().exit_code == 0
    before = copied(machines.bucket, tmp_path / "before")
    assert first.sync().exit_code == 0
    machines.use(before)
    with pytest.raises(HomeUnusable, match="put it back to an earlier day"):
        move_storage(first.settings(), str(tmp_path / "moved"))


def _landed(home: Path) -> list[str]:
    return LocalStorage(home).list("landing")
