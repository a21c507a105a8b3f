"""Files on a local disk: whole or not at all, and on the disk when the call returns."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from io import BufferedReader, FileIO
from itertools import count
from pathlib import Path
from typing import BinaryIO, NoReturn, cast

from propsync.errors import GIVE_IT_BACK, HomeUnusable
from propsync.storage.system_errors import PIPE, disk_errors, in_the_way, step_against

PARTIAL = ".partial"
_BLOCK = 1 << 20  # bytes read at once
_NO_FOLDER = (errno.ENOENT, errno.ENOTDIR)
_NOTHING = (*_NO_FOLDER, errno.ELOOP)
_numbers = count()


def write_all(file: BinaryIO, body: bytes) -> None:
    """Writes the whole body: an unbuffered file may take a part at a time. Raises OSError."""
    rest = memoryview(body)
    while rest:
        rest = rest[file.write(rest) :]


def _refuse_unlisted(error: OSError) -> NoReturn:
    where, what = str(error.filename), f"cannot be listed: {error.strerror}"
    raise in_the_way(error) or HomeUnusable(where, what, step_against(error)) from error


def remove_partials(folder: Path) -> None:
    """Removes unfinished files of killed runs anywhere under `folder`; only the holder of the run lock may call it.

    They do no harm, so one in a folder that the system cannot list stays.
    """
    for path in files_below(folder, lambda _: None):
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


def files_below(folder: Path, unlisted: Callable[[OSError], object] = _refuse_unlisted) -> Iterator[str]:
    """Paths as texts: landing has tens of thousands of files, and every run looks at their names.

    A folder that is not there has none, nor has a file. The error of one that the system cannot list goes to
    `unlisted`, which raises HomeUnusable by default: nobody may take it for an empty one.
    """

    def note(error: OSError) -> None:
        if error.errno not in _NO_FOLDER or Path(error.filename).is_symlink():
            unlisted(error)

    for where, _, names in os.walk(folder, onerror=note):
        yield from (f"{where}{os.sep}{name}" for name in names)


def may_list(folder: Path) -> bool:
    """Whether this user may list a folder of home; False if it is not there. Analysts may list `published` alone."""
    return os.access(folder, os.R_OK | os.X_OK)


def refuse_unreadable(folder: Path) -> None:
    """Raises HomeUnusable for a file that this user may not read: it may be sound, so nobody should do without it."""
    for path in files_below(folder):
        if not os.access(path, os.R_OK) and _is_there(Path(path)):
            raise HomeUnusable(path, f"cannot be read: {os.strerror(errno.EACCES)}", GIVE_IT_BACK)


def _is_there(path: Path) -> bool:
    """Whether a listed file is no link to nothing, and no run has removed it meanwhile."""
    try:
        return mode_of(path) != 0
    except OSError:  # the folder may be listed, but not entered
        return True


def files_named(folder: Path, pattern: str) -> list[Path]:
    """The entries of a folder whose names match, sorted; a folder that is not there has none.

    `Path.glob` takes a folder that it may not list for an empty one. Raises HomeUnusable.
    """
    try:
        with os.scandir(folder) as entries:
            return sorted(folder / entry.name for entry in entries if fnmatchcase(entry.name, pattern))
    except OSError as error:
        if error.errno in _NO_FOLDER and not folder.is_symlink():
            return []
        _refuse_unlisted(error)


def mode_of(path: Path) -> int:
    """The type and mode of what is at a path, links followed; 0 if nothing is.

    Raises OSError if the system cannot say: `Path.exists` and its like then say no, from Python 3.14 on.
    """
    try:
        return path.stat().st_mode
    except ValueError:  # a name that no file can have
        return 0
    except OSError as error:
        if error.errno in _NOTHING:
            return 0
        raise


def make_folder(folder: Path, *, is_synced: bool = True) -> None:
    """Makes a folder that only the service may read; `is_synced` puts its name on the disk too."""
    if not folder.is_dir():
        make_folder(folder.parent, is_synced=is_synced)
        folder.mkdir(exist_ok=True, mode=0o700)
        if is_synced:
            sync_file(folder.parent)


def sync_folder(folder: Path) -> None:
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
        file = FileIO(str(path), "x+", opener=private)
    try:
        with file:
            yield cast("BinaryIO", file)
    finally:
        remove(path)


def private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


@contextmanager
def open_file(path: Path) -> Iterator[BufferedReader]:
    """A file to read: not a pipe, which would wait for a writer, and no device.

    Raises OSError, which names the file: the system's own error of a read does not.
    """
    try:
        with open(path, "rb", opener=_regular) as file:
            yield file
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


def _regular(path: str, flags: int) -> int:
    handle = os.open(path, flags | os.O_NONBLOCK)
    mode = os.fstat(handle).st_mode
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):  # `open` itself refuses a folder
        return handle
    os.close(handle)
    raise OSError(errno.ESPIPE, PIPE, path)


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
    """Copies in the kernel, sharing blocks if the file system can, and else block by block.

    Some shared file systems copy nothing in the kernel and report no error.
    """
    with disk_errors(target), source.open("rb", buffering=0) as reader, target.open("wb", buffering=0) as writer:
        left = os.fstat(reader.fileno()).st_size
        with _unless_unsupported():
            while left > 0 and (sent := os.copy_file_range(reader.fileno(), writer.fileno(), left)):
                left -= sent
        while left > 0 and (block := reader.read(_BLOCK)):
            write_all(cast("BinaryIO", writer), block)


@contextmanager
def _unless_unsupported() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSYS, errno.EOPNOTSUPP):
            raise


def remove_folder(path: Path) -> None:
    """Removes a folder and everything in it; it may not exist."""
    with suppress(FileNotFoundError):
        shutil.rmtree(path)


def remove(path: Path) -> None:
    """Removes a file that may not exist."""
    with suppress(FileNotFoundError):
        path.unlink()
