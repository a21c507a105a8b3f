"""The one place that stores files for good: whole or not at all, and on the disk when the call returns.

This module has a local folder; object stores have the same verbs (put, put_file, get, list, exists, delete). So nothing
else renames, removes or fsyncs. `place` and `settle` are `put_file` in two steps, for many files at once.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from io import FileIO
from itertools import count
from pathlib import Path
from typing import BinaryIO, cast

from propsync.errors import DiskFull, HomeUnusable

PARTIAL = ".partial"
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_SYNCS = 8  # folders to wait for at once; a disk notes many names in the time of one
_numbers = count()


class LocalStorage:
    """Files under `root`, named by relative keys with `/`. Raises DiskFull and HomeUnusable."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def put(self, key: str, body: bytes) -> None:
        """Stores `body` under `key`; a reader sees the old content or the new, never a part."""
        target = self.root / key
        with disk_errors(target):
            _make_folder(target.parent)
            with tempfile.NamedTemporaryFile(dir=target.parent, suffix=PARTIAL, delete=False) as partial:
                try:
                    partial.write(body)
                    partial.flush()
                    replace(Path(partial.name), target)
                except BaseException:
                    remove(Path(partial.name))  # the full disk needs the space
                    raise

    def put_file(self, key: str, source: Path) -> None:
        """Stores a finished file under `key`; a move keeps it on the disk only once at any moment."""
        target = self.root / key
        with disk_errors(target):
            _make_folder(target.parent)
            replace(source, target)

    def place(self, key: str, source: Path) -> None:
        """Moves a file on the disk to `key`, over any file of that name; its name is on the disk after `settle`."""
        target = self.root / key
        with disk_errors(target):
            try:
                source.replace(target)
            except FileNotFoundError:  # a missing folder is too rare to look for each time
                _make_folder(target.parent, is_synced=False)
                source.replace(target)

    def settle(self, keys: Iterable[str]) -> None:
        """Waits until the names of placed files and of their folders are on the disk; lost files are no error."""
        folders = {self.root / folder for folder in {key.rpartition("/")[0] for key in keys}}
        above = {parent for folder in folders for parent in folder.parents if parent.is_relative_to(self.root)}
        with disk_errors(self.root), ThreadPoolExecutor(_SYNCS) as pool:
            list(pool.map(_sync_folder, folders | above))

    def lines(self, key: str) -> LineFile:
        """Opens the file `key` to add lines to, and creates it if it is missing; the caller closes it."""
        target = self.root / key
        with disk_errors(target):
            _make_folder(target.parent)
            return LineFile(target)

    def delete(self, key: str) -> None:
        """Removes the file under `key`, if there is one, and folders that it leaves empty."""
        with disk_errors(self.root / key):
            remove(self.root / key)
        for folder in list((self.root / key).relative_to(self.root).parents)[:-2]:  # the top folders stay
            with suppress(OSError):  # it still holds something else
                (self.root / folder).rmdir()

    def path(self, key: str) -> Path:
        """A local file with the content of `key`, for readers that want a file. Raises FileNotFoundError."""
        if not self.exists(key):
            raise FileNotFoundError(key)
        return self.root / key

    def get(self, key: str) -> bytes:
        """The bytes stored under `key`. Raises FileNotFoundError."""
        return (self.root / key).read_bytes()

    def exists(self, key: str) -> bool:
        """Whether `key` exists."""
        return (self.root / key).is_file()

    def folders(self, prefix: str) -> list[str]:
        """Names of the folders in the folder `prefix`, sorted."""
        with suppress(FileNotFoundError), os.scandir(self.root / prefix) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir())
        return []

    def list(self, prefix: str) -> list[str]:
        """Keys under the folder `prefix`, sorted; without partial files."""
        before = len(str(self.root)) + 1
        keys = (path[before:] for path in _files(self.root / prefix))
        return sorted(key for key in keys if PARTIAL not in key)


class LineFile:
    """Adds lines to a file. They outlive this process; a power cut may take those after the last `settle`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        is_new = not path.exists()
        self._file = cast("BinaryIO", open(path, "ab", buffering=0, opener=_private))  # noqa: SIM115 - close() closes it
        if is_new:
            sync_file(path.parent)

    def add(self, line: bytes) -> None:
        """Adds one line; it first ends a line that a killed process left unfinished. Raises DiskFull, HomeUnusable."""
        with disk_errors(self._path):
            write_all(self._file, b"\n%b\n" % line)

    def settle(self) -> None:
        """Waits until the lines so far are on the disk. Raises DiskFull, HomeUnusable."""
        sync_open(self._file)

    def close(self) -> None:
        """Closes the file; its lines are all in it."""
        self._file.close()


def write_all(file: BinaryIO, body: bytes) -> None:
    """Writes the whole body: an unbuffered file may take a part at a time. Raises OSError."""
    rest = memoryview(body)
    while rest:
        rest = rest[file.write(rest) :]


def remove_partials(folder: Path) -> None:
    """Removes unfinished files of killed runs anywhere under `folder`; only the holder of the run lock may call it."""
    for path in _files(folder):
        if PARTIAL in path[len(str(folder)) :]:  # an unfinished database has a .wal after its name
            remove(Path(path))


def disk_use(folder: Path) -> int:
    """Bytes of the files under `folder`; 0 if there is none."""
    sizes, folders = 0, [str(folder)]
    while folders:
        with suppress(FileNotFoundError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                    continue
                with suppress(FileNotFoundError):  # a run may move it meanwhile
                    sizes += entry.stat(follow_symlinks=False).st_size
    return sizes


def _files(folder: Path) -> Iterator[str]:
    """Paths as texts: landing has tens of thousands of files, and every run looks at their names."""
    for where, _, names in os.walk(folder):
        yield from (f"{where}{os.sep}{name}" for name in names)


def _make_folder(folder: Path, *, is_synced: bool = True) -> None:
    """Makes a folder that only the service may read; `is_synced` puts its name on the disk too."""
    if not folder.is_dir():
        _make_folder(folder.parent, is_synced=is_synced)
        folder.mkdir(exist_ok=True, mode=0o700)
        if is_synced:
            sync_file(folder.parent)


def _sync_folder(folder: Path) -> None:
    with suppress(FileNotFoundError):
        sync_file(folder)


@contextmanager
def partial_file(folder: Path) -> Iterator[BinaryIO]:
    """A new unbuffered file for unfinished content; `sync_open` and `LocalStorage.place` keep it, else propsync removes
    it.

    Raises DiskFull, HomeUnusable.
    """
    path = folder / f"{next(_numbers)}{PARTIAL}"
    with disk_errors(folder):
        file = FileIO(str(path), "x+", opener=_private)
    try:
        with file:
            yield cast("BinaryIO", file)
    finally:
        remove(path)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def sync_open(file: BinaryIO) -> None:
    """Waits until the bytes of an open file are on the disk. Raises DiskFull, HomeUnusable."""
    with disk_errors(file.name):
        os.fsync(file.fileno())


def replace(source: Path, target: Path, *, mode: int = 0o600) -> None:
    """Moves a finished file into place in one step, its content and its name both on the disk."""
    with disk_errors(target):
        source.chmod(mode)
        sync_file(source)
        source.replace(target)
        sync_file(target.parent)


def sync_file(path: Path) -> None:
    """Waits until a file, or a folder's list of names, is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def copy(source: Path, target: Path) -> None:
    """Copies in the kernel, sharing blocks if the file system can."""
    with disk_errors(target), source.open("rb") as reader, target.open("wb") as writer:
        left = os.fstat(reader.fileno()).st_size
        while left > 0 and (sent := os.copy_file_range(reader.fileno(), writer.fileno(), left)):
            left -= sent


def remove(path: Path) -> None:
    """Removes a file that may not exist."""
    with suppress(FileNotFoundError):
        path.unlink()


@contextmanager
def disk_errors(where: Path | str) -> Iterator[None]:
    """Turns the system's errors about disks and rights into propsync's."""
    try:
        yield
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise DiskFull(str(where), "the disk is full") from error
        if error.errno not in (None, errno.ENOENT):
            raise HomeUnusable(str(where), f"cannot be written: {error.strerror}") from error
        raise
