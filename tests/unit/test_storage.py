"""Promises of storage: a file is whole or absent, and a disk's troubles come in our words."""

import errno
import os
import resource
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.unlisted import unlisted

from propsync.cli.main import _words
from propsync.errors import DiskFull, FileLimited, HomeUnusable
from propsync.storage import (
    PARTIAL,
    LocalStorage,
    copy,
    disk_errors,
    disk_use,
    files_named,
    mode_of,
    partial_file,
    refuse_unreadable,
    remove_partials,
    replace,
    sync_open,
    write_all,
)
from propsync.warehouse.reader import check_published

segments = st.from_regex(r"[a-z0-9]{1,8}", fullmatch=True)
keys = st.lists(segments, min_size=1, max_size=3).map(lambda parts: "/".join([*parts, "end.json"]))


@pytest.fixture
def storage(tmp_path):
    return LocalStorage(tmp_path / "state")


@given(st.dictionaries(keys, st.binary(), max_size=5))
def test_what_was_put_is_there_and_nothing_else(tmp_path_factory, bodies):
    storage = LocalStorage(tmp_path_factory.mktemp("state"))
    for key, body in bodies.items():
        assert not storage.exists(key)
        storage.put(key, body)
    assert storage.list("") == sorted(bodies)
    assert {key: storage.get(key) for key in bodies} == bodies


def test_the_last_body_put_under_a_key_stays(storage):
    storage.put("a/b", b"long before")
    storage.put("a/b", b"now")
    assert storage.get("a/b") == b"now"
    assert storage.list("a") == ["a/b"]


def test_what_was_never_put_is_not_there(storage):
    assert not storage.exists("a/b")
    assert storage.list("a") == []
    with pytest.raises(FileNotFoundError):
        storage.get("a/b")


def test_a_folder_is_no_file(storage):
    storage.put("a/b/c", b"")
    assert not storage.exists("a/b")


def test_only_the_service_itself_may_read_what_is_stored(storage):
    before = os.umask(0o022)
    try:
        storage.put("a/b/c", b"x")
    finally:
        os.umask(before)
    modes = [stat.S_IMODE((storage.root / path).stat().st_mode) for path in ("", "a", "a/b", "a/b/c")]
    assert modes == [0o700, 0o700, 0o700, 0o600]


def test_a_partial_file_is_not_listed(storage):
    storage.put("a/b", b"x")
    (storage.root / "a" / f"tmp123{PARTIAL}").write_bytes(b"ha")
    assert storage.list("") == ["a/b"]


def test_whoever_looks_while_it_is_written_sees_the_old_or_the_new_and_no_part(storage):
    old, new = b"o" * 300_000, b"n" * 300_000
    storage.put("a", old)
    seen, done = set(), threading.Event()

    def look():
        while not done.is_set():
            seen.add(storage.get("a"))

    reader = threading.Thread(target=look)
    reader.start()
    for _ in range(20):
        storage.put("a", new)
        storage.put("a", old)
    done.set()
    reader.join()
    assert seen <= {old, new}


WRITER = """
import sys, resource
from pathlib import Path
from propsync.storage import LocalStorage
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
LocalStorage(Path(sys.argv[1])).put("a/b", b"x" * 5000)
"""


def test_a_write_that_breaks_off_leaves_the_old_body_and_no_partial_file(storage):
    storage.put("a/b", b"old")
    ended = subprocess.run([sys.executable, "-c", WRITER, storage.root], capture_output=True, text=True, check=False)
    assert "FileLimited" in ended.stderr.splitlines()[-1]
    assert storage.get("a/b") == b"old"
    assert [path.name for path in (storage.root / "a").iterdir()] == ["b"]
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 1000


def test_a_line_for_which_there_is_no_room_leaves_no_part_before_the_next(storage):
    file, limits = storage.lines("journal.jsonl"), resource.getrlimit(resource.RLIMIT_FSIZE)
    file.add(b"first")
    resource.setrlimit(resource.RLIMIT_FSIZE, (12, limits[1]))
    try:
        with pytest.raises(FileLimited):
            file.add(b"a line that is longer")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    file.add(b"next")
    file.close()
    assert storage.get("journal.jsonl").split() == [b"first", b"next"]


KILLED = """
import os, signal, sys
from pathlib import Path
import propsync.storage.local as storage
def die(source, target): os.kill(os.getpid(), signal.SIGKILL)
storage.replace = die
storage.LocalStorage(Path(sys.argv[1])).put("a/c", b"x" * 5000)
"""


def test_a_process_killed_before_the_end_leaves_nothing_that_looks_stored(storage):
    storage.put("a/b", b"old")
    assert subprocess.run([sys.executable, "-c", KILLED, storage.root], check=False).returncode == -9
    assert len(list((storage.root / "a").iterdir())) == 2
    assert storage.list("") == ["a/b"]
    assert not storage.exists("a/c")


@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO])
def test_a_file_that_the_system_cannot_look_at_is_not_missing(storage, monkeypatch, number):
    """`Path.is_file` and its like say no then, from Python 3.14 on: an erasure would pass over such a file."""
    storage.put("a/b", b"x")
    real = os.stat

    def stat_of(path, *given, **named):
        if str(path) == str(storage.root / "a/b"):
            raise OSError(number, os.strerror(number), str(path))
        return real(path, *given, **named)

    with monkeypatch.context() as patch:
        for name in ("exists", "isdir", "isfile"):
            patch.setattr(Path, name.replace("isd", "is_d").replace("isf", "is_f"), getattr(os.path, name))
        patch.setattr(os, "stat", stat_of)
        with pytest.raises(OSError, match=os.strerror(number)):
            storage.exists("a/b")
        with pytest.raises(OSError, match=os.strerror(number)):
            check_published(storage.root / "a/b")
    assert storage.exists("a/b")
    (storage.root / "loop").symlink_to("loop")
    assert [mode_of(storage.root / name) for name in ("a/b/c", "loop", "x\0")] == [0, 0, 0]


def test_an_error_in_the_middle_of_a_file_names_it(storage):
    """The system names no file in the error of a read: propsync then said that standard output was at fault."""
    storage.put("other", b"x")
    file = storage.root / "file"
    file.symlink_to("/proc/self/mem")  # whose first byte is an Input/output error
    for read in (lambda: storage.get("file"), lambda: list(storage.read("file"))):
        with pytest.raises(OSError, match="Input/output error") as failed:
            read()
        assert failed.value.filename == str(file)


def test_a_full_disk_is_told_as_one(tmp_path):
    full = os.open("/dev/full", os.O_WRONLY)
    with pytest.raises(DiskFull, match="the disk is full"), disk_errors(tmp_path):
        os.write(full, b"x")
    os.close(full)


@pytest.mark.parametrize("key", ["a/b", "a/b/c", "d", "x" * 300])
def test_a_home_that_is_in_the_way_of_itself_is_told_as_unusable(storage, key):
    storage.put("a", b"a file where a folder should be")
    storage.put("d/e", b"a folder where a file should be")
    with pytest.raises(HomeUnusable, match=r"cannot be (written|used)"):
        storage.put(key, b"x")
    assert storage.list("") == ["a", "d/e"]


@pytest.mark.parametrize(
    ("number", "step"),
    [
        (errno.EACCES, "Give it to the user who runs propsync"),
        (errno.EPERM, "Give it to the user who runs propsync"),
        (errno.EROFS, "on a disk that can be written"),
        (errno.EIO, "The disk or its connection failed"),
        (errno.ESTALE, "Run `propsync doctor`"),  # it names a network file system
    ],
)
def test_rights_and_broken_disks_are_told_as_an_unusable_home(tmp_path, number, step):
    with pytest.raises(HomeUnusable, match=f"{os.strerror(number)}.*{step}"), disk_errors(tmp_path):
        raise OSError(number, os.strerror(number))


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE])
def test_a_lack_of_open_files_names_their_limit(tmp_path, number):
    with pytest.raises(HomeUnusable, match=r"Raise the limit of open files \(`ulimit -n`"), disk_errors(tmp_path):
        raise OSError(number, os.strerror(number))


def test_a_folder_on_another_disk_is_told_as_one(tmp_path):
    others = [Path(folder) for folder in ("/dev/shm", "/var/tmp", Path(__file__).parent)]
    other = next((one for one in others if one.is_dir() and one.stat().st_dev != tmp_path.stat().st_dev), None)
    if other is None:
        pytest.skip("every folder here is on one disk")
    (tmp_path / "partial").touch()
    with pytest.raises(HomeUnusable, match=r"on another disk than the rest of home\. Keep state/, landing/ "):
        LocalStorage(other).put_file("a", tmp_path / "partial")


def test_a_file_that_is_not_there_is_no_trouble_of_the_disk(tmp_path):
    with pytest.raises(FileNotFoundError), disk_errors(tmp_path):
        (tmp_path / "none").read_bytes()


@given(st.binary(max_size=100_000))
def test_a_copy_is_the_same_bytes(tmp_path_factory, body):
    folder = tmp_path_factory.mktemp("copy")
    (folder / "a").write_bytes(body)
    copy(folder / "a", folder / "b")
    assert (folder / "b").read_bytes() == body


@pytest.mark.parametrize("lack", [errno.ENOSYS, errno.EOPNOTSUPP, None])
def test_a_copy_is_whole_if_the_kernel_cannot_make_it(tmp_path, monkeypatch, lack):
    """Some shared file systems answer 0 bytes, and some kernels have no such call."""
    body, made = os.urandom(3_000_000), os.copy_file_range

    def some_then_nothing(source, target, count):
        if os.fstat(target).st_size == 0:
            return made(source, target, 1_000)
        if lack is None:
            return 0
        raise OSError(lack, os.strerror(lack))

    monkeypatch.setattr("os.copy_file_range", some_then_nothing)
    (tmp_path / "a").write_bytes(body)
    copy(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == body


def test_a_copy_without_room_is_a_full_disk(tmp_path, monkeypatch):
    def no_room(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.copy_file_range", no_room)
    (tmp_path / "a").write_bytes(b"a")
    with pytest.raises(DiskFull):
        copy(tmp_path / "a", tmp_path / "b")


def test_a_replaced_file_has_the_rights_asked_for_and_its_source_is_gone(tmp_path):
    (tmp_path / "new").write_bytes(b"new")
    (tmp_path / "old").write_bytes(b"old")
    replace(tmp_path / "new", tmp_path / "old", mode=0o444)
    assert (tmp_path / "old").read_bytes() == b"new"
    assert stat.S_IMODE((tmp_path / "old").stat().st_mode) == 0o444
    assert not (tmp_path / "new").exists()


def test_what_was_deleted_is_not_there_and_takes_empty_folders_with_it(storage):
    for key in ("landing/a/b", "landing/a/c/d"):
        storage.put(key, b"x")
    storage.delete("landing/a/c/d")
    assert storage.list("") == ["landing/a/b"]
    assert not (storage.root / "landing/a/c").exists()
    storage.delete("landing/a/b")
    storage.delete("landing/a/b")
    assert [path.name for path in storage.root.iterdir()] == ["landing"]


def test_a_finished_file_is_moved_into_place_and_is_private(storage, tmp_path):
    source = tmp_path / "finished"
    source.write_bytes(b"rows")
    storage.put("a/b", b"old")
    storage.put_file("a/b", source)
    assert storage.get("a/b") == b"rows"
    assert storage.path("a/b").read_bytes() == b"rows"
    assert not source.exists()
    assert stat.S_IMODE(storage.path("a/b").stat().st_mode) == 0o600
    with pytest.raises(FileNotFoundError):
        storage.path("a/c")


def test_leftovers_go_wherever_they_are_and_nothing_else(storage):
    storage.put("a/b/c", b"x")
    for name in (f"tmp1{PARTIAL}", f"rebuild.duckdb{PARTIAL}.wal"):
        (storage.root / "a" / name).write_bytes(b"half")
    remove_partials(storage.root)
    assert [path.name for path in storage.root.rglob("*") if path.is_file()] == ["c"]
    remove_partials(storage.root / "nowhere")


@pytest.mark.parametrize(("number", "step"), [(errno.EACCES, "Give it to the user"), (errno.EIO, "The disk or its")])
@pytest.mark.parametrize("folder", ["a", "a/b"])
def test_a_folder_that_cannot_be_listed_is_not_an_empty_one(storage, monkeypatch, folder, number, step):
    """Erased records came back, because their erasures were in a folder that nobody could list."""
    storage.put("a/b/c", b"x")
    (storage.root / f"other{PARTIAL}").write_bytes(b"half")
    unlisted(monkeypatch, storage.root / folder, number)
    with pytest.raises(HomeUnusable, match=f"{folder}: cannot be listed: {os.strerror(number)}. {step}"):
        storage.list("a")
    remove_partials(storage.root)
    assert [path.name for path in storage.root.iterdir()] == ["a"]


@pytest.mark.parametrize(("number", "step"), [(errno.EACCES, "Give it to the user"), (errno.EIO, "The disk or its")])
def test_files_by_name_are_not_missing_if_nobody_can_list_their_folder(tmp_path, monkeypatch, number, step):
    for name in ("b.sql", "a.sql", "c.txt"):
        (tmp_path / name).touch()
    assert files_named(tmp_path, "*.sql") == [tmp_path / "a.sql", tmp_path / "b.sql"]
    assert files_named(tmp_path / "nowhere", "*.sql") == files_named(tmp_path / "c.txt", "*.sql") == []
    (tmp_path / "link").symlink_to("nowhere")
    with pytest.raises(HomeUnusable, match="link: cannot be used: a link that leads nowhere is in its place"):
        files_named(tmp_path / "link", "*.sql")
    unlisted(monkeypatch, tmp_path, number)
    with pytest.raises(HomeUnusable, match=f"cannot be listed: {os.strerror(number)}. {step}"):
        files_named(tmp_path, "*.sql")


def test_a_link_to_nowhere_is_not_an_empty_folder(storage):
    storage.put("b/c", b"x")
    (storage.root / "a").symlink_to("nowhere")
    with pytest.raises(HomeUnusable, match="a: cannot be used: a link that leads nowhere is in its place"):
        storage.list("a")
    (storage.root / "a").unlink()
    (storage.root / "a").symlink_to("b")
    assert storage.list("a") == ["a/c"]


def test_disk_use_counts_every_file(storage):
    storage.put("a/b", b"12345")
    storage.put("a/c/d", b"123")
    assert disk_use(storage.root) == 8
    assert disk_use(storage.root / "nowhere") == 0


def test_a_partial_file_is_kept_where_it_is_placed_and_else_nothing_of_it_is_left(tmp_path):
    storage = LocalStorage(tmp_path)
    for key in ("blobs/aa/one", "blobs/aa/two", "blobs/bb/three"):
        with partial_file(tmp_path) as file:
            write_all(file, key.encode())
            sync_open(file)
            storage.place(key, Path(file.name))
    storage.settle(["blobs/aa/one", "blobs/aa/two", "blobs/bb/three", "blobs/cc/lost"])
    with partial_file(tmp_path) as file:
        write_all(file, b"not wanted")
    assert [path.name for path in tmp_path.iterdir()] == ["blobs"]
    assert storage.list("blobs") == ["blobs/aa/one", "blobs/aa/two", "blobs/bb/three"]
    assert storage.get("blobs/bb/three") == b"blobs/bb/three"
    assert {path.stat().st_mode & 0o777 for path in tmp_path.glob("blobs/*/*")} == {0o600}


def test_what_is_placed_takes_the_place_of_what_a_power_cut_left_half(tmp_path):
    storage = LocalStorage(tmp_path)
    storage.put("blobs/aa/one", b"ha")
    with partial_file(tmp_path) as file:
        write_all(file, b"half and half")
        storage.place("blobs/aa/one", Path(file.name))
    assert storage.get("blobs/aa/one") == b"half and half"


def test_what_is_in_place_of_a_file_is_named_with_what_helps(storage):
    """It was an illegal seek, or a fault in propsync."""
    said = "a pipe, a socket or a device is in its place"
    storage.root.mkdir()
    os.mkfifo(storage.root / "a")
    with pytest.raises(OSError, match=said) as read:
        storage.get("a")
    assert _words(read.value) == (
        f"{storage.root / 'a'}: it cannot be used ({said}). Move that away, then run the same command again"
    )
    handle = os.open(storage.root / "a", os.O_RDWR)
    try:
        with pytest.raises(HomeUnusable, match=f"{said}. Move that away, then run"), disk_errors(storage.root / "a"):
            os.lseek(handle, 0, os.SEEK_SET)
    finally:
        os.close(handle)


def test_lines_that_could_not_be_settled_once_are_never_called_settled(storage, monkeypatch):
    lines, answers = storage.lines("work/journal.jsonl"), iter([OSError(errno.EIO, os.strerror(errno.EIO)), None])

    def fsync(_: int) -> None:
        if failed := next(answers):
            raise failed

    lines.add(b"sending")
    monkeypatch.setattr(os, "fsync", fsync)
    for _ in range(2):  # Linux answers the second one with success, although the line is lost
        with pytest.raises(HomeUnusable, match="Input/output error"):
            lines.settle()
    lines.close()


def test_a_file_that_this_user_may_not_read_is_named_and_a_link_to_nothing_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sound").write_bytes(b"1")
    (tmp_path / "link").symlink_to(tmp_path / "nothing")
    refuse_unreadable(tmp_path)
    (tmp_path / "of-root").write_bytes(b"1")
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: not path.endswith("of-root") and access(path, mode))
    with pytest.raises(HomeUnusable, match=r"of-root: cannot be read: Permission denied\. Give it to the user"):
        refuse_unreadable(tmp_path)
