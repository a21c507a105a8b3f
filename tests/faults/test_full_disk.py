"""A disk without room stops the run with one line that says what to do; nothing is lost and nothing half published."""

from __future__ import annotations

import os
import subprocess
import threading
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from faults.conftest import SCALE, Night, as_yesterday
from kit.bucket import FolderBucket
from kit.kept import KeptHomes
from publish.delta_kit import OneTable

from propsync.bucket import Place, fetch_documents
from propsync.bucket.packs import PackReader, PackWriter
from propsync.documents.blobs import Blobs
from propsync.documents.bucket_blobs import BucketBlobs
from propsync.documents.inspect import DocumentReader
from propsync.documents.kinds import KINDS
from propsync.documents.worker.client import WorkerPool
from propsync.documents.zips.bundle import Bounds
from propsync.errors import DiskFull, MergeFailed
from propsync.merge import ErasedRows
from propsync.runbooks.archiving.bag_folder import unfinished
from propsync.runbooks.doctor.examine import examine
from propsync.runbooks.erasure.documents import DocumentSearch
from propsync.runs import RunLock
from propsync.storage import LocalStorage
from propsync.suppression import Marker, Suppression
from propsync.warehouse import OldFile, Warehouse
from propsync.warehouse.rows import write_rows
from propsync_sandbox import Sandbox
from propsync_sandbox.documents import report, subject

_SIZE = "64m"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, of known size."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a small file system")
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={_SIZE}", "tmpfs", folder], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.decode().strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.mark.release
@pytest.mark.costly
@pytest.mark.parametrize("left", [0, 1_500_000])
def test_a_full_disk_stops_the_run_and_the_next_one_with_room_is_whole(
    small_disk: Path, kept: KeptHomes, left: int
) -> None:
    home = small_disk / "home"
    as_yesterday(kept, home)
    with Sandbox(scale=SCALE) as sandbox:
        night = Night(sandbox, home)
        night.change_a_little()
        before = night.note()
        ballast = _fill(small_disk, left)
        with pytest.raises(DiskFull) as full:
            night.sync()
        assert full.value.exit_code == 1
        assert str(full.value).endswith("Free some space under PROPSYNC_HOME, then run the same command again")
        assert night.note() == before
        assert night.rows("select count(*) from assets") == [(SCALE,)]

        ballast.unlink()
        assert night.sync().exit_code == 0
        assert [one for one in ("assets", "assessments", "schedules") if not night.is_truth(one)] == []


def test_a_database_is_not_damaged_because_the_rows_to_carry_over_find_no_room(
    small_disk: Path, tmp_path: Path
) -> None:
    """A rebuild continues without a damaged one: the run log and the rows of documents would be lost."""
    path = tmp_path / "old.duckdb"
    with Warehouse(path, memory_limit="300MB", folder=tmp_path) as warehouse:
        warehouse.execute("create table numbers as select hash(i) as n from range(1000000) as numbers (i)")
    _fill(small_disk, 1_000_000)
    for folder, limit, lack in ((small_disk, "300MB", DiskFull), (tmp_path, "2MB", MergeFailed)):
        with (
            OldFile(path, memory_limit=limit, folder=folder) as old,
            pytest.raises(lack, match=r"the disk is full|Out of Memory"),
        ):
            old.write({"numbers": "from numbers order by n"})


def test_the_doctor_sees_that_a_disk_with_space_takes_no_further_file(small_disk: Path, kept: KeptHomes) -> None:
    home, number = small_disk / "home", 0
    as_yesterday(kept, home)
    subprocess.run(["mount", "-o", "remount,nr_inodes=5000", small_disk], check=True)
    with suppress(OSError):
        for number in range(5000):
            (small_disk / f"empty-{number}").touch()
    assert number > 100
    with Sandbox(scale=SCALE) as sandbox:
        seen = list(examine(Night(sandbox, home).settings()))
    wrong = [(one.what, one.next_step) for one in seen if not one.is_well]
    assert ("disk", "Delete files on the disk, also empty ones") in wrong
    assert any(one.what.startswith("GET ") for one in seen), "it stopped there"


def test_a_disk_that_takes_no_further_file_is_no_matter_of_space(small_disk: Path) -> None:
    storage = LocalStorage(small_disk)
    storage.put("landing/0", b"{}")
    subprocess.run(["mount", "-o", "remount,nr_inodes=3", small_disk], check=True)  # two folders and a file
    with pytest.raises(DiskFull, match="the disk is full") as full:
        storage.put("landing/1", b"{}")
    assert str(full.value).endswith("no inode is left (`df -i`). Then run the same command again")
    (small_disk / "landing/0").unlink()
    storage.put("landing/1", b"{}")


def test_a_disk_without_space_that_counts_no_inode_either_is_a_matter_of_space(small_disk: Path) -> None:
    """XFS makes inodes of free space."""
    _fill(small_disk, 0)
    subprocess.run(["mount", "-o", "remount,nr_inodes=2", small_disk], check=True)
    with pytest.raises(DiskFull) as full:
        LocalStorage(small_disk).put("1", b"{}")
    assert str(full.value).endswith("Free some space under PROPSYNC_HOME, then run the same command again")


def test_a_run_can_say_that_it_has_ended_while_others_fill_the_disk(small_disk: Path) -> None:
    lock, is_over = RunLock(small_disk / "run.lock"), threading.Event()
    with lock.held("propsync sync", 0):
        pass
    _fill(small_disk, 0)

    def take_whatever_is_freed() -> None:
        with (small_disk / "others").open("wb", buffering=0) as others:
            while not is_over.is_set():
                with suppress(OSError):
                    others.write(bytes(4096))

    with ThreadPoolExecutor(1) as pool:
        pool.submit(take_whatever_is_freed)
        try:
            for _ in range(1_000):
                with lock.held("propsync sync", 0):
                    pass
        finally:
            is_over.set()
    assert lock.owner().ended


def test_a_delta_table_stays_as_it_was_on_a_disk_without_room_for_its_log(small_disk: Path) -> None:
    one = OneTable(small_disk / "home")
    start = datetime(2026, 3, 2, tzinfo=UTC)
    one.publish("select 'old' as n", start)
    ballast = _fill(small_disk, 4096)  # the rows take them
    with pytest.raises(DiskFull) as full:
        one.publish("select 'new' as n", start + timedelta(days=1))
    assert "the disk is full" in str(full.value)
    assert str(full.value).endswith("then run the same command again")
    assert one.rows() == [("old",)]
    ballast.unlink()
    one.publish("select 'new' as n", start + timedelta(days=2))
    assert (one.rows(), one.damaged, len(one.files())) == ([("new",)], [], 2)


def test_a_check_of_peoples_own_that_fills_the_disk_costs_no_run(small_disk: Path) -> None:
    with Warehouse(small_disk / "state.duckdb", memory_limit="100MB", folder=small_disk) as warehouse:
        with pytest.raises(MergeFailed, match="it needs more room than the disk has"), warehouse.bounded(60):
            warehouse.rows("select hash(x) as h, random() as r from range(30_000_000) as t(x) order by all offset 9e6")
        warehouse.execute("create table main.more as from range(9)")
        assert warehouse.value("select count(*) from main.more") == 9


PLACE = Place("packs/1.zip", 0, 9_000, "")


@pytest.mark.parametrize(
    "act",
    [
        lambda home, bucket: PackWriter(home, bucket, home.root, 1).put(["landing/page"]),
        lambda home, bucket: PackReader(home, bucket, home.root).fetch({"landing/other": PLACE}),
        fetch_documents,
        lambda home, bucket: BucketBlobs(home, bucket, home.root).path("archive/blobs/00/00.pdf"),
    ],
    ids=["a pack", "a pack that comes home", "a document that comes home", "a document that is read"],
)
def test_a_disk_without_room_for_what_a_bucket_has_or_gets_is_named(
    small_disk: Path, tmp_path: Path, act: Callable[[LocalStorage, FolderBucket], object]
) -> None:
    home, bucket = LocalStorage(small_disk), FolderBucket(tmp_path / "bucket")
    (small_disk / "archive" / "partial").mkdir(parents=True)
    home.put("landing/page", bytes(9_000))
    for key in ("packs/1.zip", "archive/blobs/00/00.pdf"):
        bucket.put(key, bytes(9_000))
    _fill(small_disk, 4096)
    with pytest.raises(DiskFull, match="the disk is full"):
        act(home, bucket)


def test_a_disk_without_room_ends_the_search_of_an_erasure_and_is_no_fault_of_a_document(
    small_disk: Path, tmp_path: Path
) -> None:
    key = f"archive/blobs/00/{'0' * 64}.zip"
    (tmp_path / key).parent.mkdir(parents=True)
    with zipfile.ZipFile(tmp_path / key, "w") as bundle:
        bundle.writestr("letter.txt", bytes(9_000) + b"Renee")
    _fill(small_disk, 4096)
    suppression = Suppression(Marker(bytes(32)), [])
    with WorkerPool() as pdf:
        search = DocumentSearch(Blobs(LocalStorage(tmp_path)), suppression, pdf, small_disk)
        with pytest.raises(DiskFull, match="the disk is full"):
            search.has_it(key)
    assert search.unread == []


def test_a_disk_without_room_to_compare_two_bundles_tells_of_no_new_text(small_disk: Path, tmp_path: Path) -> None:
    """Marts then had a newer report, which made up for an action without evidence; exit code 0."""
    with Sandbox(scale=30) as sandbox:
        world = sandbox.world
        pdf = report(subject(world, next(one for one in world.assessments.records() if one.status == "approved")))
    before, after = tmp_path / "before.zip", tmp_path / "after.zip"
    for path, end in ((before, b""), (after, b"% the same text in other bytes\n%%EOF\n")):
        with zipfile.ZipFile(path, "w") as bundle:
            bundle.writestr("report.pdf", pdf + end)
    with WorkerPool() as pdfs:
        reader = DocumentReader(Bounds(), pdfs, small_disk)
        found = reader.check(KINDS["bundle"], after)
        ballast = _fill(small_disk, 4096)
        with pytest.raises(DiskFull, match="the disk is full"):
            reader.is_same(before, after, found)
        ballast.unlink()
        assert reader.is_same(before, after, found)
    assert not list(small_disk.iterdir())


def test_a_disk_without_room_for_rows_without_an_erased_text_is_named(small_disk: Path) -> None:
    rows = small_disk / "rows.parquet"
    with Warehouse(small_disk / "state.duckdb", memory_limit="100MB", folder=small_disk) as warehouse:
        write_rows(warehouse, "select i, hash(i) as note from range(200000) t(i)", rows)
    ballast, before = _fill(small_disk, 4096), (rows.stat().st_ino, rows.read_bytes())
    with pytest.raises(DiskFull, match="the disk is full"):
        ErasedRows(Suppression(Marker(bytes(32)), [])).rewrite("main.documents", rows)
    assert sorted(small_disk.iterdir()) == [ballast, rows, small_disk / "state.duckdb"]
    assert (rows.stat().st_ino, rows.read_bytes()) == before


def test_an_export_leaves_nothing_on_a_disk_without_room_for_its_first_bytes(small_disk: Path) -> None:
    _fill(small_disk, 0)
    with pytest.raises(OSError, match="No space left"), unfinished(small_disk / "bag"):
        pass
    assert [path.name for path in small_disk.iterdir()] == ["ballast"]


def _fill(folder: Path, left: int) -> Path:
    """A file that leaves that many bytes free."""
    ballast = folder / "ballast"
    usage = os.statvfs(folder)
    with ballast.open("wb") as writer:
        os.posix_fallocate(writer.fileno(), 0, usage.f_bavail * usage.f_frsize - left)
    return ballast
