"""A bag holds the documents asked for, byte for byte, says by itself what it is, and is whole or absent."""

from __future__ import annotations

import csv
import errno
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest
from bagit_utils import Bag
from kit.archives import SMALL, Place, place
from kit.shared import Shared

from propsync.documents.names import FolderNames, folder_name
from propsync.errors import DiskFull, StopRun, UsageError
from propsync.runbooks.archiving import export as archive_export
from propsync.runbooks.archiving.bag_folder import LOCK
from propsync.runbooks.archiving.export import ExportReport, export
from propsync.runs import RunLock

pytestmark = pytest.mark.slow  # its home has documents of several nights

Lines = list[dict[str, str]]


@pytest.fixture(scope="session")
def in_two_versions(shared: Shared, archived_small: Path) -> Path:
    """A home with everything archived, one report in two versions; to be copied, not used."""

    def make(folder: Path) -> None:
        with place(folder / "home", archived_small, scale=SMALL) as made:
            made.edit(sorted(made.wanted())[0])
            assert made.night().exit_code == 0

    return shared.folder("in two versions", make) / "home"


@pytest.fixture
def at(in_two_versions: Path, tmp_path: Path) -> Iterator[Place]:
    with place(tmp_path / "home", in_two_versions, scale=SMALL) as made:
        made.edit(sorted(made.wanted())[0])
        yield made


@pytest.fixture
def bag(tmp_path: Path) -> Path:
    return tmp_path / "handed over" / "bag"


def exported(at: Place, bag: Path, *properties: str, **options: Any) -> ExportReport:
    return export(at.settings(), bag, properties, **options)


def lines(bag: Path) -> Lines:
    with (bag / "data" / "documents.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def payload(bag: Path) -> set[str]:
    return {str(path.relative_to(bag)) for path in (bag / "data").rglob("*.*") if path.name != "documents.csv"}


def test_wanted_documents_that_propsync_lacks_are_told(synced_small: Path, tmp_path: Path, bag: Path):
    with place(tmp_path / "home", synced_small, scale=SMALL) as made:
        made.archive(limit=1)
        lacking = made.rows("select property_id, count(*) from marts.document_coverage group by all order by all")
        count = sum(number for _, number in lacking)
        report = exported(made, bag)
        assert (report.exit_code, report.lacking) == (3, count)
        assert report.left_out == [
            f"{count} wanted documents are lacking or outdated; marts.document_coverage shows why"
        ]
        assert f"of {count} more, propsync has no copy" in (bag / "bag-info.txt").read_text().replace("\n  ", " ")
        stored = made.column("select property_id from documents join assessments using (assessment_id)")[0]
        of_stored = exported(made, bag.with_name("of one property"), stored)
        assert of_stored.lacking == dict(lacking).get(stored, 0)


@pytest.mark.release
def test_the_bag_is_valid_and_holds_the_latest_version_of_every_document_byte_for_byte(at: Place, bag: Path):
    report = exported(at, bag)
    assert (report.exit_code, report.documents) == (0, len(at.pairs()))
    assert Bag(bag, load=True).validate().issues == []
    assert (bag / "manifest-sha256.txt").is_file()
    told = lines(bag)
    assert {one["file"] for one in told} == payload(bag)
    assert {(one["assessment_id"], one["kind"]): (bag / one["file"]).read_bytes() for one in told} == at.stored()
    names = {"report": "report.pdf", "bundle": "bundle.zip"}
    for one in told:
        assert one["file"] == f"data/{one['property_id']}/{one['assessment_id']}/{names[one['kind']]}"


@pytest.mark.release
def test_its_table_says_what_each_document_is(at: Place, bag: Path):
    exported(at, bag)
    shown = at.rows(
        "select assessment_id, property_id, kind, version::varchar, sha256, size_bytes::varchar, status, name "
        "from documents join assessments using (assessment_id) join assessment_types using (assessment_type_id) "
        "where is_latest order by property_id, assessment_id, kind"
    )
    names = ["assessment_id", "property_id", "kind", "version", "sha256", "size_bytes"]
    names += ["assessment_status", "assessment_type"]
    assert [tuple(one[name] for name in names) for one in lines(bag)] == shown
    assert {one["assessment_is_gone"] for one in lines(bag)} == {"false"}
    assert all(one["fetched_at"].endswith("+00:00") for one in lines(bag))


def test_its_bag_info_says_what_it_is_and_whose(at: Place, bag: Path):
    exported(at, bag, organisation="Cyngor\nPowys")
    info = {name: " ".join(values) for name, values in Bag(bag).baginfo.items()}
    assert info["Source-Organization"] == "Cyngor Powys"
    assert f"{len(at.pairs()):,} reports and bundles" in info["External-Description"]
    sizes = [path.stat().st_size for path in (bag / "data").rglob("*") if path.is_file()]
    assert info["Payload-Oxum"] == f"{sum(sizes)}.{len(sizes)}"
    assert {"Bagging-Date", "Bag-Software-Agent"} <= info.keys()


def test_a_bag_says_how_many_documents_were_erased(at: Place, bag: Path):
    erased, other = at.wanted()[:2]
    marks = "state = 'erased', path = null, sha256 = null"
    at.in_state(f"update documents set {marks} where assessment_id = '{erased}' and kind = 'report'")
    at.edit(other)
    at.sync()
    at.archive()
    told = exported(at, bag)
    assert (told.exit_code, told.removed, told.documents) == (0, 1, len(at.pairs()) - 1)
    (described,) = Bag(bag).baginfo["External-Description"]
    assert "1 that were erased or removed are not in it" in described


def test_without_an_organisation_none_is_named(at: Place, bag: Path):
    exported(at, bag)
    assert "Source-Organization" not in Bag(bag).baginfo


def test_its_files_are_copies_of_their_own(at: Place, bag: Path):
    exported(at, bag)
    assert {path.stat().st_nlink for path in bag.rglob("*") if path.is_file()} == {1}


def test_just_the_properties_asked_for(at: Place, bag: Path):
    one, other, *_ = sorted(
        {name for (name,) in at.rows("select property_id from documents join assessments using (assessment_id)")}
    )
    exported(at, bag, one, other)
    assert {line["property_id"] for line in lines(bag)} == {one, other}


def test_a_property_without_documents_is_told(at: Place, bag: Path):
    (one,) = at.rows("select property_id from documents join assessments using (assessment_id) limit 1")[0]
    report = exported(at, bag, one, "nowhere")
    assert report.exit_code == 3
    assert report.left_out == ["property nowhere: no document of it is stored"]


def test_older_versions_come_if_they_are_asked_for(at: Place, bag: Path, tmp_path: Path):
    key = sorted(at.wanted())[0]
    exported(at, bag)
    assert {line["version"] for line in lines(bag) if line["assessment_id"] == key} == {"2"}
    exported(at, tmp_path / "all", all_versions=True)
    found = {line["file"].rpartition("/")[2]: line for line in lines(tmp_path / "all") if line["assessment_id"] == key}
    assert found.keys() == {"report.v1.pdf", "report.pdf", "bundle.v1.zip", "bundle.zip"}
    assert (found["report.v1.pdf"]["version"], found["report.pdf"]["version"]) == ("1", "2")


def test_a_gone_assessment_keeps_its_property_and_its_type(at: Place, bag: Path):
    key, other = sorted(at.wanted())[1:3]
    before = at.rows(f"select property_id, assessment_type_id, status from assessments where assessment_id = '{key}'")
    at.sandbox.world.assessments.delete(key)
    at.night(delete_limit=1)
    assert at.rows(f"from assessments where assessment_id = '{key}'") == []
    exported(at, bag)
    found = {line["assessment_id"]: line for line in lines(bag)}
    told = found[key]
    assert [(told["property_id"], told["assessment_type_id"], told["assessment_status"])] == before
    assert (told["assessment_is_gone"], found[other]["assessment_is_gone"]) == ("true", "false")
    assert exported(at, bag.parent / "one", before[0][0]).documents >= 2


def test_where_no_property_was_ever_told_documents_are_in_a_folder_for_that(at: Place, bag: Path):
    key = sorted(at.wanted())[1]
    published = at.path / "published" / "warehouse.duckdb"
    published.chmod(0o644)
    with duckdb.connect(published) as changed:
        changed.execute(f"delete from main.assessments where assessment_id = '{key}'")
        changed.execute(f"delete from history.assessments where assessment_id = '{key}'")
    exported(at, bag)
    found = [line for line in lines(bag) if line["assessment_id"] == key]
    assert {line["file"].split("/")[1] for line in found} == {"_no-property"}
    assert {line["property_id"] for line in found} == {""}


def test_what_is_missing_or_damaged_is_not_exported_and_told(at: Place, bag: Path):
    rows = at.rows("select assessment_id, path from documents where is_latest and kind = 'report' order by all")
    (missing, gone), (damaged, rotten) = rows[:2]
    (at.path / gone).unlink()
    (at.path / rotten).write_bytes(b"%PDF-1.7 something else")
    report = exported(at, bag)
    assert (report.exit_code, report.not_exported) == (3, 2)
    told = sorted(report.left_out)
    assert [any(missing in line and "its file is missing" in line for line in told)] == [True]
    assert [any(damaged in line and "have changed since propsync stored it" in line for line in told)] == [True]
    assert Bag(bag, load=True).validate().issues == []
    assert {one["file"] for one in lines(bag)} == payload(bag)
    assert not {(missing, "report"), (damaged, "report")} & {(one["assessment_id"], one["kind"]) for one in lines(bag)}
    assert "2 more could not be read" in Bag(bag).baginfo["External-Description"][0]


def test_nothing_is_overwritten(at: Place, bag: Path):
    bag.mkdir(parents=True)
    (bag / "letter.txt").write_text("keep me")
    for target in (bag, bag / "letter.txt"):
        with pytest.raises(UsageError, match="propsync overwrites nothing"):
            exported(at, target)
    assert [path.name for path in bag.parent.rglob("*")] == ["bag", "letter.txt"]


def test_an_empty_folder_becomes_the_bag(at: Place, bag: Path):
    bag.mkdir(parents=True)
    assert exported(at, bag).exit_code == 0
    assert (bag / "bagit.txt").is_file()


@pytest.mark.parametrize("folder", ["published/bag", "archive/blobs", "state", "landing/x"])
def test_a_folder_of_propsyncs_own_is_refused(at: Place, folder: str):
    with pytest.raises(UsageError, match="propsync's own"):
        exported(at, at.path / folder)


def test_a_bag_that_could_not_be_finished_leaves_nothing(at: Place, bag: Path, monkeypatch: pytest.MonkeyPatch):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(archive_export, "make_bag", full)
    with pytest.raises(DiskFull):
        exported(at, bag)
    assert list(bag.parent.iterdir()) == []


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.EIO, "cannot be written: Input/output error. The disk or its connection failed"),
        (errno.EMFILE, "Raise the limit of open files"),
        (errno.EFBIG, "no file may grow further. Raise the limit"),
    ],
)
def test_another_folder_is_no_step_against_a_disk_that_fails(
    at: Place, bag: Path, monkeypatch: pytest.MonkeyPatch, number: int, said: str
):
    def fails(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(archive_export, "make_bag", fails)
    with pytest.raises(StopRun, match=f"{bag}: .*{said}"):
        exported(at, bag)
    assert list(bag.parent.iterdir()) == []


@pytest.mark.parametrize("file", ["report.pdf", "documents.csv", "bag-info.txt"])
def test_a_bag_that_does_not_validate_is_not_handed_over(
    at: Place, bag: Path, monkeypatch: pytest.MonkeyPatch, file: str
):
    plainly = Bag.set_tag_manifests

    def on_a_bad_disk(made: Bag, *words: Any, **options: Any) -> None:
        plainly(made, *words, **options)
        if options.get("write_to_disk", True):
            found = next(made.path.rglob(file))
            found.write_bytes(found.read_bytes()[::-1])

    monkeypatch.setattr(Bag, "set_tag_manifests", on_a_bad_disk)
    with pytest.raises(StopRun, match=f"does not validate: .*{file}"):
        exported(at, bag)
    assert list(bag.parent.iterdir()) == []


def test_a_bag_that_lost_a_file_or_got_one_is_not_handed_over(at: Place, bag: Path, monkeypatch: pytest.MonkeyPatch):
    plainly = Bag.set_manifests

    def on_a_shared_disk(made: Bag, *words: Any, **options: Any) -> None:
        plainly(made, *words, **options)
        if options.get("write_to_disk", True):
            next(made.path.rglob("report.pdf")).rename(made.path / "data" / "elsewhere.pdf")

    monkeypatch.setattr(Bag, "set_manifests", on_a_shared_disk)
    with pytest.raises(StopRun, match=r"does not validate: .*report.pdf"):
        exported(at, bag)
    assert list(bag.parent.iterdir()) == []


def test_an_interrupted_export_leaves_nothing(at: Place, bag: Path, monkeypatch: pytest.MonkeyPatch):
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(archive_export, "make_bag", interrupted)
    with pytest.raises(KeyboardInterrupt):
        exported(at, bag)
    assert list(bag.parent.iterdir()) == []


@contextmanager
def at_work(at: Place, bag: Path) -> Iterator[subprocess.Popen[bytes]]:
    """An export in a process of its own that waits amid its work; killed at the end."""
    waits = "from propsync.runbooks.archiving import export\n"
    waits += "export.make_bag = lambda *_: (print(flush=True), input())\n"
    program = f"{waits}from propsync.cli.start import program\nprogram()"
    command = [sys.executable, "-c", program, "archive", "export", str(bag)]
    environ = os.environ | at.environ()
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environ, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"\n"
            yield process
        finally:
            process.kill()


def test_an_export_removes_what_a_killed_one_left_but_not_the_work_of_a_live_one(at: Place, bag: Path):
    left = bag.with_name("bag.partial")
    with at_work(at, bag):
        under_way = sorted(left.rglob("*"))
        with pytest.raises(UsageError, match="another export is at work"):
            exported(at, bag)
        assert sorted(left.rglob("*")) == under_way
    assert sorted(left.rglob("*")) == under_way
    report = exported(at, bag)
    assert (report.exit_code, payload(bag)) == (0, {line["file"] for line in lines(bag)})
    assert list(bag.parent.iterdir()) == [bag]


def exported_without_files(at: Place, bag: Path) -> str:
    """Runs an export that may open no file once its bag is made; returns its message."""
    limited = "import resource\nfrom propsync.runbooks.archiving import export\nplainly = export.make_bag\n"
    limited += "no_file = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))\n"
    limited += "export.make_bag = lambda *words: (plainly(*words), no_file())\n"
    program = f"{limited}from propsync.cli.start import program\nprogram()"
    command = [sys.executable, "-c", program, "archive", "export", str(bag)]
    done = subprocess.run(command, env=os.environ | at.environ(), capture_output=True, text=True, check=False)
    assert done.returncode == 1
    return done.stderr


def test_a_bag_is_handed_over_only_if_the_system_lists_each_of_its_folders(at: Place, bag: Path):
    """The export skipped the files of a folder that it could not list, and they were on no disk yet."""
    assert "bag.partial/bag: cannot be written: Too many open files" in exported_without_files(at, bag)
    assert not bag.exists()


def test_an_export_removes_what_a_failed_one_could_not(at: Place, bag: Path):
    """The lock alone had gone, so the next export took the folder for somebody else's."""
    exported_without_files(at, bag)
    assert bag.with_name("bag.partial").exists()
    assert exported(at, bag).exit_code == 0
    assert list(bag.parent.iterdir()) == [bag]


def test_an_export_that_was_killed_at_its_first_step_stands_in_nobodys_way(at: Place, bag: Path):
    bag.with_name("bag.partial").mkdir(parents=True)
    assert exported(at, bag).exit_code == 0
    assert list(bag.parent.iterdir()) == [bag]


@pytest.mark.parametrize("file", ["letter.txt", "bag/letter.txt", LOCK])
def test_a_folder_that_may_be_of_others_is_not_touched(at: Place, bag: Path, file: str):
    left = bag.with_name("bag.partial") / file
    left.parent.mkdir(parents=True)
    left.write_text("another-machine")
    with pytest.raises(UsageError, match="remove that folder, then run again"):
        exported(at, bag)
    assert left.read_text() == "another-machine"


def test_a_disk_without_room_is_told_before_anything_is_copied(at: Place, bag: Path, monkeypatch: pytest.MonkeyPatch):
    free = os.statvfs_result((4096, 4096, 1, 1, 1, 1, 1, 1, 0, 255))
    monkeypatch.setattr(os, "statvfs", lambda _: free)
    with pytest.raises(DiskFull, match=r"[1-9][\d.]* [kM]B are to be copied, and 4\.1 kB are free"):
        exported(at, bag)
    assert list(bag.parent.iterdir()) == []


def test_where_nothing_is_stored_nothing_is_made(at: Place, bag: Path):
    with pytest.raises(UsageError, match="no stored document"):
        exported(at, bag, "nowhere")
    assert not bag.parent.exists()


def test_it_takes_no_lock(at: Place, bag: Path):
    archive, run = (RunLock(at.path / name) for name in ("archive/archive.lock", "state/run.lock"))
    with archive.held("propsync archive", 0), run.held("propsync sync", 0):
        assert exported(at, bag).exit_code == 0


@pytest.mark.parametrize(
    ("identifier", "name"),
    [
        ("3kTMd2nJzgQxKn1pV6YfXw", "3kTMd2nJzgQxKn1pV6YfXw"),
        ("-a_b.c", "-a_b.c"),
        (".", "=2E"),
        ("..", "=2E=2E"),
        (".hidden", "=2Ehidden"),
        ("end.", "end=2E"),
        ("../../etc", "=2E.=2F..=2Fetc"),
        ("a\\b:c", "a=5Cb=3Ac"),
        ("50%\n", "50=25=0A"),
        ("é", "=C3=A9"),
        ("CON", "=43ON"),
        ("nul.txt", "=6Eul.txt"),
        ("console", "console"),
    ],
)
def test_any_id_is_a_name_that_any_computer_takes(identifier: str, name: str):
    assert folder_name(identifier) == name


def test_names_are_as_different_as_the_ids_they_stand_for():
    long = "x" * 400
    names = FolderNames("_no-property")
    ids = ["a", "A", "a=2F", "a/", long + "1", long + "2", "_no-property", "=61"]
    given = [names.of(one) for one in ids]
    assert len({name.casefold() for name in given}) == len(ids)
    assert max(len(name) for name in given) <= 100
    assert "_no-property" not in given
    assert [names.of(one) for one in reversed(ids)] == given[::-1]


@pytest.mark.release
def test_the_command_says_what_is_in_the_bag_and_what_to_type_next(at: Place, bag: Path):
    def propsync(*words: str) -> subprocess.CompletedProcess[str]:
        environ = {name: value for name, value in os.environ.items() if not name.startswith("PROPSYNC_")}
        program = str(Path(sys.executable).with_name("propsync"))
        environ |= {"PROPSYNC_HOME": str(at.path)}
        return subprocess.run(
            [program, *words], env=environ, capture_output=True, text=True, timeout=120, cwd=at.path.parent
        )

    (one,), (other,) = at.rows(
        "select distinct property_id from assessments join documents using (assessment_id) limit 2"
    )
    done = propsync("archive", "export", "bag", "--property", one, other, "--organisation", "Powys")
    assert done.returncode == 0, done.stderr
    assert "Next: propsync status" in done.stdout
    assert {line["property_id"] for line in lines(at.path.parent / "bag")} == {one, other}
    again = propsync("archive", "export", "bag")
    assert again.returncode == 2
    assert "Traceback" not in again.stderr
    told = json.loads(propsync("archive", "export", str(bag), "--json").stdout)
    assert (told["status"], told["documents"]) == ("ok", len(at.pairs()))
