"""The words about damage are true, and the step that they name helps."""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import duckdb
import pytest
from kit.home import Home
from kit.nights import Nights
from kit.unlisted import unlisted

import propsync
from propsync.cli.main import _words
from propsync.cli.status.command import print_status
from propsync.errors import HomeUnusable, PropsyncError, StopRun, UsageError
from propsync.landing import PageStore
from propsync.runbooks.archiving.lock import archive_lock
from propsync.runbooks.doctor.examine import examine
from propsync.runbooks.workplace import workplace
from propsync.storage import LocalStorage


@pytest.fixture
def home(nights: Nights) -> Home:
    home = Home(nights.path, nights.url)
    home.sync()
    return home


@pytest.mark.slow
def test_a_folder_in_place_of_the_published_file_is_named(home: Home):
    home.published.unlink()
    home.published.mkdir()
    with pytest.raises(UsageError, match=r"it is a folder\. Move that folder away, then run `propsync sync`"):
        propsync.open(home.published)
    for run in (home.sync, home.rebuild):
        with pytest.raises(HomeUnusable, match=r"a folder is where the file belongs\. Move that folder away"):
            run()
    home.published.rmdir()
    assert home.sync().exit_code == 0


def test_a_folder_with_the_published_file_in_it_is_told_by_that_file(tmp_path: Path):
    with pytest.raises(UsageError, match=r"Give its published file, \S+/published/warehouse\.duckdb"):
        propsync.open(tmp_path)
    inside = tmp_path / "warehouse.duckdb"
    inside.touch()
    with pytest.raises(UsageError, match=f"Give its published file, {re.escape(str(inside))}$"):
        propsync.open(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("error", [HomeUnusable("landing", "cannot be listed"), OSError(errno.EIO, "not today")])
def test_a_disk_that_fails_when_all_is_published_makes_no_run_fail(
    home: Home, monkeypatch: pytest.MonkeyPatch, error: Exception
):
    def keep_only(*_: object) -> int:
        raise error

    monkeypatch.setattr(PageStore, "keep_only", keep_only)
    report = home.sync()
    assert report.exit_code == 0
    with duckdb.connect(home.path / "state" / "warehouse.duckdb", read_only=True) as state:
        assert state.execute("select status, error from ops.runs order by run_id desc").fetchone() == ("ok", None)


@pytest.mark.parametrize("place", ["published", "state/work"])
def test_a_folder_that_no_file_can_be_moved_to_is_a_finding(home: Home, monkeypatch: pytest.MonkeyPatch, place: str):
    """A mount there, or a link to another disk: each run stopped there, and the doctor said that all was well."""
    real = Path.replace

    def replace(source: Path, target: Path) -> Path:
        if target.parent == home.path / place:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        return real(source, target)

    files = sorted(home.path.rglob("*"))
    assert "folders" not in [one.what for one in islice(examine(home.settings()), 4)]
    monkeypatch.setattr(Path, "replace", replace)
    (finding,) = [one for one in islice(examine(home.settings()), 4) if one.what == "folders"]
    assert not finding.is_well
    assert f"{place}: cannot be written: it is on another disk" in finding.seen
    assert sorted(home.path.rglob("*")) == files


def test_a_disk_without_room_for_the_copy_of_a_run_is_a_finding(home: Home, monkeypatch: pytest.MonkeyPatch):
    """More than a tenth was free: each sync found the disk full, and the doctor sent people back to the sync."""
    real, state = shutil.disk_usage, home.path / "state/warehouse.duckdb"
    free = state.stat().st_size - 1
    monkeypatch.setattr("shutil.disk_usage", lambda path: real(path)._replace(total=free * 2, free=free))
    (finding,) = [one for one in islice(examine(home.settings()), 4) if one.what == "disk"]
    assert (finding.is_well, finding.next_step) == (False, "Free some space on the disk")
    assert " MB free, 50% of the disk, and each run makes a copy of its tables, which take " in finding.seen
    monkeypatch.setattr("shutil.disk_usage", lambda path: real(path)._replace(total=free * 2, free=free + 1))
    assert all(one.is_well for one in islice(examine(home.settings()), 4) if one.what == "disk")


def test_a_folder_that_no_run_can_list_is_a_finding(home: Home, monkeypatch: pytest.MonkeyPatch):
    """A sync by root leaves such folders in landing: each run stopped there, and the doctor said that all was well."""
    folder = next((home.path / "landing/assets").iterdir())
    unlisted(monkeypatch, folder, errno.EACCES)
    with pytest.raises(HomeUnusable, match=f"{folder}: cannot be listed"):
        home.sync()
    (finding,) = [one for one in islice(examine(home.settings()), 4) if one.what == "folders"]
    assert (finding.is_well, finding.seen) == (False, f"{folder}: cannot be listed: Permission denied")
    assert finding.next_step.startswith("Give it to the user who runs propsync")


@pytest.mark.parametrize("place", ["landing/assets", "landing/pages", "published/parquet/main"])
def test_a_folder_of_another_user_leaves_the_status_its_freshness(
    home: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], place: str
):
    """The watchdog exited 1 with that folder alone, and said nothing about the tables, which every night published."""
    unlisted(monkeypatch, home.path / place, errno.EACCES)
    assert print_status(home.settings(), "26h", as_json=False) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Published: as of ")
    assert f"\nNot readable: {home.path / place}: Permission denied\n" in shown
    assert shown.endswith("Next: give all of PROPSYNC_HOME to the user who runs propsync (chown -R)\n")


def test_a_doctor_names_the_step_after_an_upgrade_and_looks_at_the_rest(home: Home):
    """It said that a query of its own failed, and to look at `propsync query --tables`."""
    home.published.chmod(0o644)
    with duckdb.connect(home.published) as connection:  # as 0.1.0 published it
        connection.execute("drop table ops.desk; drop table ops.roles; drop table ops.writes")
    seen: list[str] = []
    with pytest.raises(UsageError, match=r"earlier version of propsync published it\. Run `propsync rebuild`"):
        seen += (one.what for one in examine(home.settings()))
    assert any(what.startswith("GET /assessments") for what in seen)


def test_a_home_in_place_of_its_published_file_gives_the_way_to_it(home: Home):
    with pytest.raises(UsageError, match=r"Give its published file, .*/published/warehouse.duckdb"):
        propsync.open(home.path)


def test_a_damaged_published_file_is_mended_by_the_step_that_is_named(home: Home):
    home.published.chmod(0o644)
    home.published.write_bytes(b"no database" * 1_000)
    with pytest.raises(UsageError, match="`propsync sync` writes it again"):
        propsync.open(home.published)
    assert home.sync().exit_code == 0
    propsync.open(home.published).close()


def test_a_damaged_manifest_names_a_backup_and_not_the_command_that_just_ran(
    home: Home, caplog: pytest.LogCaptureFixture
):
    manifest = next(Path(home.path, "landing", "assets").glob("*/manifest.json"))
    kept = manifest.with_name("kept")
    shutil.copy(manifest, kept)
    manifest.chmod(0o644)
    manifest.write_text("no JSON")
    caplog.clear()
    assert home.sync().exit_code == 0
    said = " ".join(record.getMessage() for record in caplog.records if "clean landing" in record.getMessage())
    assert "Restore the file from a backup" in said
    assert "propsync sync" not in said
    kept.replace(manifest)
    caplog.clear()
    assert home.sync().exit_code == 0
    assert "clean landing" not in caplog.text


def test_a_night_names_what_is_damaged_in_landing(home: Home, caplog: pytest.LogCaptureFixture):
    manifest = next(Path(home.path, "landing", "assets").glob("*/manifest.json"))
    manifest.write_text("{}")
    for _ in range(2):
        report = home.sync()
        assert report.exit_code == 0  # the tables are whole, and no further run can restore the file
        (line,) = report.notes
        assert line.startswith(f"damaged in landing: assets of run {manifest.parent.name}. Restore these files from")
        assert line in caplog.text


def test_files_of_another_user_are_not_called_damaged(home: Home, monkeypatch, capsys, caplog):
    """Somebody ran propsync as root: a backup would be no help, and to accept the loss would be wrong."""
    manifest = next(Path(home.path, "landing", "assets").glob("*/manifest.json"))
    get, access = LocalStorage.get, os.access

    def denied(storage: LocalStorage, key: str) -> bytes:
        if manifest.samefile(storage.root / key):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(manifest))
        return get(storage, key)

    monkeypatch.setattr(LocalStorage, "get", denied)
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != manifest and access(path, mode))
    (line,) = home.sync().notes
    assert "Restore" not in caplog.text
    assert line.startswith(f"not readable in landing: assets of run {manifest.parent.name}. They may be whole")
    (finding,) = [one for one in islice(examine(home.settings()), 4) if one.what == "folders"]
    assert finding.seen == f"{manifest}: cannot be read: Permission denied"
    print_status(home.settings(), None, as_json=False)
    shown = capsys.readouterr().out
    where = manifest.relative_to(home.path)
    assert f"Not readable in landing: assets of run {manifest.parent.name}: {where}: it cannot be read: Perm" in shown
    assert shown.endswith("Next: give all of PROPSYNC_HOME to the user who runs propsync (chown -R)\n")
    with pytest.raises(HomeUnusable, match=r"manifest.json: cannot be read: Permission denied\. .*`chown -R`"):
        home.rebuild()
    monkeypatch.undo()
    assert home.rebuild().notes == home.sync().notes == []


@pytest.mark.costly
@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("state/warehouse.duckdb", "or a pipe is where the file belongs"),
        ("state/run.lock", "cannot be written: a pipe, a socket or a device is in its place. Move that away, then run"),
        ("published/warehouse.duckdb", "nothing is published yet"),
        ("published/_published.json", None),
        ("landing/assets/*/manifest.json", None),
    ],
)
def test_no_command_waits_for_a_pipe_in_place_of_a_file(home: Home, name: str, said: str | None):
    """A pipe without a writer never answers."""
    path = next(home.path.glob(name))
    path.unlink()
    os.mkfifo(path)
    failures = []
    for command in (lambda: print_status(home.settings(), None, as_json=True), home.sync, home.rebuild):
        try:
            command()
        except PropsyncError as error:
            failures.append(str(error))
    if said:
        assert said in " ".join(failures)


@pytest.mark.parametrize("name", ["state/work", "state", "landing/pages", "published/dashboard", "archive/partial"])
@pytest.mark.parametrize(
    ("put", "said"),
    [
        (Path.touch, "another file is in its place. Move that file away"),
        (
            lambda path: path.symlink_to("nowhere"),
            "a link that leads nowhere is in its place. Mend or remove that link",
        ),
        (
            lambda path: path.symlink_to(path.name),
            "a link that leads nowhere is in its place. Mend or remove that link",
        ),
    ],
    ids=["a file", "a broken link", "a link to itself"],
)
def test_what_is_in_place_of_a_folder_is_named(tmp_path: Path, name: str, put: Callable[[Path], None], said: str):
    """A sync called a file in place of `state/work` a fault in propsync."""
    home = Home(tmp_path / "home", "http://127.0.0.1:9")
    path = home.path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    put(path)
    with (
        pytest.raises(HomeUnusable) as failed,
        workplace(home.settings(), "a test"),
        archive_lock(home.settings(), "a test"),
    ):
        LocalStorage(home.path).put(f"{name}/file", b"")
    assert str(failed.value) == f"{path}: cannot be used: {said}, then run the same command again"


@pytest.mark.parametrize("name", ["landing", "landing/assets"])
def test_a_link_to_itself_is_named_where_nothing_expects_it(tmp_path: Path, name: str):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(path.name)
    with pytest.raises(OSError, match="Too many levels") as failed:
        LocalStorage(tmp_path).folders(name)
    assert _words(failed.value).startswith(f"{path}: cannot be used: a link that leads nowhere is in its place. Mend")


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.ENOSPC, "the disk is full. Free some space under PROPSYNC_HOME"),
        (errno.EIO, "The disk or its connection failed"),
        (errno.EMFILE, "Raise the limit of open files"),
    ],
)
def test_another_home_is_no_step_against_a_full_or_failing_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, said: str
):
    def mkdir(_: Path, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    home = Home(tmp_path / "home", "http://127.0.0.1:9")
    settings = home.settings()
    monkeypatch.setattr(Path, "mkdir", mkdir)
    with pytest.raises(StopRun, match=f"home: .*{said}"), workplace(settings, "a test"):
        pass


def test_another_home_is_no_step_against_a_disk_that_became_read_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def chmod(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    settings = Home(tmp_path / "home", "http://127.0.0.1:9").settings()
    settings.published.mkdir(parents=True)
    monkeypatch.setattr(Path, "chmod", chmod)
    said = "home: cannot be written: Read-only file system. Give it to the user who runs propsync, on a disk that can"
    with pytest.raises(HomeUnusable, match=said), workplace(settings, "a test"):
        pass
