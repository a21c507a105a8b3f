"""Objects that somebody removed or altered: propsync says so in one line when it needs them, and mends what it can."""

from __future__ import annotations

import logging
import re
import shutil

import pytest
from kit.bucket import flaws
from kit.small_api import asset

from propsync.bucket import CommitLog, damaged_documents, damaged_files
from propsync.errors import BaseLost
from propsync.storage import LocalStorage

from .conftest import Machine, Machines


@pytest.fixture
def first(machines: Machines) -> Machine:
    made = machines("first")
    assert made.sync().exit_code == 0
    return made


@pytest.mark.slow
def test_a_published_object_that_was_replaced_is_put_again(machines: Machines, first: Machine) -> None:
    root = machines.bucket.root / "published"
    (root / "_published.json").write_bytes(b"{}")
    (root / "warehouse.duckdb").unlink()
    (root / "left.parquet").write_bytes(b"of nobody")
    machines.api.assets.append(asset("later"))
    assert first.sync().exit_code == 0
    assert flaws(machines.bucket, first.path) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "body", [b'{"run": "\xff", "url": "\xff", "files": {}}', b"[" * 100_000], ids=["bytes", "depth"]
)
def test_notes_that_nobody_can_read_are_made_again(machines: Machines, first: Machine, body: bytes) -> None:
    here, there = first.path / "state", machines.bucket.root / "published"
    for note in (here / "bucket.json", here / "machine", there / "_published.json"):
        note.write_bytes(body)
    assert first.sync().exit_code == 0
    assert flaws(machines.bucket, first.path) == []


@pytest.mark.slow
@pytest.mark.parametrize("altered", ["sequence", "offset"])
def test_damage_of_what_home_knows_of_the_bucket_reaches_no_commit(
    machines: Machines, first: Machine, altered: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A place that the disk has altered would else come into the next checkpoint, and a new machine lack the file."""
    monkeypatch.setattr("propsync.bucket.commits._EVERY", 1)
    note = first.path / "state" / "bucket.json"
    wrong, right = {"sequence": (rb'("sequence":)\d+', rb"\g<1>77"), "offset": (rb'(\.zip",)\d+', rb"\g<1>77")}[altered]
    note.write_bytes(re.sub(wrong, right, note.read_bytes(), count=1))
    machines.api.assets.append(asset("later"))
    assert first.sync().exit_code == 0
    assert flaws(machines.bucket, first.path) == []
    assert machines("second").rebuild().exit_code == 0


@pytest.mark.slow
def test_a_home_that_lost_its_tables_takes_the_run_log_from_the_bucket(machines: Machines, first: Machine) -> None:
    before = first.column("select run_id from ops.runs")
    (first.path / "state/warehouse.duckdb").unlink()
    shutil.rmtree(first.path / "published")
    assert first.sync().exit_code == 0
    assert set(first.column("select run_id from ops.runs")) > {*before}
    assert flaws(machines.bucket, first.path) == []


@pytest.mark.slow
def test_landing_that_home_lost_or_damaged_comes_back(
    machines: Machines, first: Machine, caplog: pytest.LogCaptureFixture
) -> None:
    pages = sorted(path for path in (first.path / "landing" / "pages").rglob("*") if path.is_file())
    pages[0].unlink()
    pages[1].write_bytes(b"rotten")
    shutil.rmtree(first.path / "landing" / "assets")
    with caplog.at_level(logging.WARNING):
        assert first.rebuild().exit_code == 0
    assert "brings them back" in caplog.text
    assert flaws(machines.bucket, first.path) == []
    assert first.known("assets")


@pytest.mark.slow
def test_a_page_that_rotted_here_comes_back_with_what_another_machine_did(machines: Machines, first: Machine) -> None:
    second = machines("second")
    assert second.rebuild().exit_code == 0
    machines.api.assets.append(asset("later"))
    assert second.sync().exit_code == 0
    for path in (first.path / "landing" / "pages").rglob("*"):
        if path.is_file():
            path.write_bytes(b"rotten")
    assert first.sync().exit_code == 0
    assert flaws(machines.bucket, first.path) == []
    assert first.known("assets") == second.known("assets")


@pytest.mark.slow
def test_a_pack_that_somebody_removed_is_put_again(
    machines: Machines, first: Machine, caplog: pytest.LogCaptureFixture
) -> None:
    (pack,) = machines.bucket.root.glob("packs/*")
    pack.unlink()
    machines.api.assets.append(asset("later"))
    with caplog.at_level(logging.WARNING):
        assert first.sync().exit_code == 0
    assert f"packs/{pack.name} and 0 more objects are missing" in caplog.text
    assert flaws(machines.bucket, first.path) == []
    second = machines("second")
    assert second.rebuild().exit_code == 0
    assert second.known("assets") == first.known("assets")


@pytest.mark.slow
def test_who_removes_a_damaged_commit_is_sent_on_only_where_that_helps(machines: Machines, first: Machine) -> None:
    assert first.sync().exit_code == 0
    (*_, older, last) = sorted(machines.bucket.root.glob("log/*"))
    for damaged, step in ((last, "Restore an earlier version"), (older, "remove that object and run `propsync sync`")):
        whole = damaged.read_bytes()
        damaged.write_bytes(b"rotten")
        with pytest.raises(BaseLost, match=step):
            machines("second").rebuild()
        damaged.write_bytes(whole)
    older.unlink()
    assert first.sync().exit_code == 0
    assert flaws(machines.bucket, first.path) == []


@pytest.mark.slow
def test_verifying_a_move_names_what_differs(machines: Machines, first: Machine) -> None:
    (pack,) = machines.bucket.root.glob("packs/*")
    pack.write_bytes(pack.read_bytes()[::-1])
    document = f"archive/blobs/00/{'0' * 64}.pdf"
    machines.bucket.put(document, b"%PDF")
    found = [*damaged_files(LocalStorage(first.path), machines.bucket, CommitLog(machines.bucket).contents())]
    assert sorted(found) == sorted(CommitLog(machines.bucket).contents().places)
    assert damaged_documents(machines.bucket) == [document]


@pytest.mark.costly
@pytest.mark.parametrize(
    ("pattern", "what"),
    [
        ("packs/*", "its bytes for .* have changed"),
        ("log/*1.json", "log/.* cannot be read from the bucket: its bytes have changed"),
        ("published/*.duckdb", ""),
    ],
)
def test_what_a_new_machine_cannot_read_is_named_and_nothing_is_put(
    machines: Machines, first: Machine, pattern: str, what: str
) -> None:
    (damaged, *_) = sorted(machines.bucket.root.glob(pattern))
    damaged.write_bytes(damaged.read_bytes()[: damaged.stat().st_size // 3])
    before = {
        path: path.read_bytes()
        for path in machines.bucket.root.rglob("*")
        if path.name != "lease.json" and path.is_file()
    }
    with pytest.raises(BaseLost, match=what or "published/warehouse.duckdb in s3://.*: it cannot be read"):
        machines("second").rebuild()
    assert not list((machines.root / "second").rglob("*.partial"))
    assert all(path.read_bytes() == body for path, body in before.items())


@pytest.mark.slow
def test_an_earlier_version_of_the_published_warehouse_is_named_and_not_rebuilt_from(
    machines: Machines, first: Machine
) -> None:
    edition = machines.bucket.root / "published/warehouse.duckdb"
    earlier = edition.read_bytes()
    machines.api.assets.append(asset("later"))
    assert first.sync().exit_code == 0
    newest = edition.read_bytes()
    edition.write_bytes(earlier)
    with pytest.raises(BaseLost, match=r"it is older than published/_published\.json"):
        machines("second").rebuild()
    edition.write_bytes(newest)
    assert machines("second").rebuild().exit_code == 0
    assert machines("second").known("assets") == first.known("assets")
