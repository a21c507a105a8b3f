"""Delta tables live in the bucket too: a new machine adds to their log, so that older versions stay readable."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable
from kit.bucket import URL, FolderBucket, flaws
from kit.delta import delta_rows
from kit.small_api import asset

from propsync.bucket import BucketHome
from propsync.bucket.published import fetch_delta
from propsync.errors import HomeUnusable
from propsync.publish.delta_commit import Workshop
from propsync.publish.delta_log import DeltaLog
from propsync.storage import LocalStorage

from .conftest import Machine, Machines

ASSETS = "published/delta/main/assets"


def with_delta(machine: Machine) -> Machine:
    machine.usual["delta"] = "main"
    return machine


def _history(path: Path) -> list[dict[str, Any]]:
    return DeltaTable(path).history()


@pytest.mark.release
def test_a_new_machine_continues_the_versions_of_a_table(machines: Machines) -> None:
    first = with_delta(machines("first"))
    assert first.sync().exit_code == 0
    machines.api.assets.append(asset("a9", note="later"))
    assert first.sync().exit_code == 0
    versions = [delta_rows(machines.bucket.root / ASSETS, version) for version in (0, 1)]
    identity = DeltaTable(machines.bucket.root / ASSETS).metadata().id
    moments = [
        datetime.fromtimestamp(info["timestamp"] / 1000, UTC) for info in reversed(_history(first.path / ASSETS))
    ]
    shutil.rmtree(first.path)
    second = with_delta(machines("second"))
    assert second.rebuild().exit_code == 0
    assert [delta_rows(second.path / ASSETS, moment) for moment in moments] == versions, "times outlive the machine too"
    machines.api.assets.append(asset("a10", note="last"))
    assert second.sync().exit_code == 0
    assert flaws(machines.bucket, second.path) == []
    table = DeltaTable(machines.bucket.root / ASSETS)
    assert table.metadata().id == identity
    assert [delta_rows(machines.bucket.root / ASSETS, version) for version in (0, 1)] == versions
    assert len(delta_rows(machines.bucket.root / ASSETS)) == len(versions[1]) + 1


def test_a_folder_of_a_table_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    bucket, home = FolderBucket(tmp_path / "bucket"), LocalStorage(tmp_path / "home")
    (home.root / "state/work").mkdir(parents=True)
    (home.root / "published").mkdir()
    (home.root / "published/delta").touch()
    with BucketHome.opened(home, bucket, URL, home.root / "state/work", what="rebuild", wait_seconds=0) as opened:
        bucket.put(f"{ASSETS}/_delta_log/{0:020}.json", b"{}")
        with pytest.raises(HomeUnusable, match=r"published/delta: cannot be used: another file is in its place"):
            fetch_delta(opened)


def test_a_run_killed_while_it_wrote_a_table_does_not_stop_a_later_restore(tmp_path: Path) -> None:
    bucket, home = FolderBucket(tmp_path / "bucket"), LocalStorage(tmp_path / "home")
    work, key = home.root / "state/work", f"{ASSETS}/_delta_log/{0:020}.json"
    work.mkdir(parents=True)
    (home.root / "published").mkdir()
    with (
        Workshop.opened(DeltaLog(home.root / ASSETS), work),  # a kill leaves its folder
        BucketHome.opened(home, bucket, URL, work, what="rebuild", wait_seconds=0) as opened,
    ):
        bucket.put(key, b"{}")
        assert [*fetch_delta(opened)] == [key]
