"""A folder on a local disk as storage."""

from __future__ import annotations

import fcntl
import hashlib
import os
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, cast

from propsync.errors import StopRun
from propsync.storage.disk import (
    PARTIAL,
    files_below,
    make_folder,
    mode_of,
    open_file,
    private,
    remove,
    replace,
    sync_file,
    sync_folder,
    sync_open,
    write_all,
)
from propsync.storage.system_errors import disk_errors

_SYNCS = 8  # folders to wait for at once; a disk notes many names in the time of one
_BLOCK = 1 << 20  # bytes read at once


class LocalStorage:
    """Files under `root`, named by relative keys with `/`. Raises DiskFull and HomeUnusable."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def put(self, key: str, body: bytes) -> None:
        """Stores `body` under `key`; a reader sees the old content or the new, never a part."""
        target = self.root / key
        with disk_errors(target):
            make_folder(target.parent)
            with tempfile.NamedTemporaryFile(dir=target.parent, suffix=PARTIAL, delete=False) as partial:
                try:
                    partial.write(body)
                    partial.flush()
                    replace(Path(partial.name), target)
                except BaseException:
                    remove(Path(partial.name))  # the full disk needs the space
                    raise

    def put_new(self, key: str, body: bytes) -> bool:
        """Stores `body` if `key` is absent; whether `key` has that body now."""
        target = self.root / key
        with disk_errors(target):
            make_folder(target.parent)
            with tempfile.NamedTemporaryFile(dir=target.parent, suffix=PARTIAL) as partial:
                partial.write(body)
                partial.flush()
                sync_open(cast("BinaryIO", partial))
                try:
                    os.link(partial.name, target)
                except FileExistsError:
                    return self.get(key) == body
                sync_file(target.parent)
        return True

    def tagged(self, key: str) -> tuple[bytes, str] | None:
        """A small file's bytes, and the tag that `swap` wants; None without the file."""
        try:
            body = self.get(key)
        except FileNotFoundError:
            return None
        return body, hashlib.sha256(body).hexdigest()

    def swap(self, key: str, body: bytes, tag: str | None) -> str | None:
        """Replaces a small file that still has `tag` (None: that is absent); its new tag, None if it has another."""
        with self._alone(key):
            found = self.tagged(key)
            if (found[1] if found else None) != tag:
                return None
            self.put(key, body)
        return hashlib.sha256(body).hexdigest()

    @contextmanager
    def _alone(self, key: str) -> Iterator[None]:
        with disk_errors(self.root):
            make_folder((self.root / key).parent)
            handle = os.open((self.root / key).parent, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    def put_file(self, key: str, source: Path) -> None:
        """Stores a finished file under `key`; a move keeps it on the disk only once at any moment."""
        target = self.root / key
        with disk_errors(target):
            make_folder(target.parent)
            replace(source, target)

    def place(self, key: str, source: Path) -> None:
        """Moves a file on the disk to `key`, over any file of that name; its name is on the disk after `settle`."""
        target = self.root / key
        with disk_errors(target):
            try:
                source.replace(target)
            except FileNotFoundError:  # a missing folder is too rare to look for each time
                make_folder(target.parent, is_synced=False)
                source.replace(target)

    def settle(self, keys: Iterable[str]) -> None:
        """Waits until the names of placed files and of their folders are on the disk; lost files are no error."""
        folders = {self.root / folder for folder in {key.rpartition("/")[0] for key in keys}}
        above = {parent for folder in folders for parent in folder.parents if parent.is_relative_to(self.root)}
        with disk_errors(self.root), ThreadPoolExecutor(_SYNCS) as pool:
            list(pool.map(sync_folder, folders | above))

    def lines(self, key: str) -> LineFile:
        """Opens the file `key` to add lines to, and creates it if it is missing; the caller closes it."""
        target = self.root / key
        with disk_errors(target):
            make_folder(target.parent)
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
        with open_file(self.root / key) as file:
            return file.read()

    def get_range(self, key: str, start: int, length: int) -> bytes:
        """Some of the bytes stored under `key`. Raises FileNotFoundError."""
        with open_file(self.root / key) as file:
            file.seek(start)
            return file.read(length)

    def read(self, key: str) -> Iterator[bytes]:
        """The bytes under `key`, block by block. Raises FileNotFoundError."""
        with open_file(self.root / key) as file:
            while block := file.read(_BLOCK):
                yield block

    def exists(self, key: str) -> bool:
        """Whether `key` exists. Raises OSError if the system cannot say."""
        return stat.S_ISREG(mode_of(self.root / key))

    def folders(self, prefix: str) -> list[str]:
        """Names of the folders in the folder `prefix`, sorted."""
        with suppress(FileNotFoundError), os.scandir(self.root / prefix) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir())
        return []

    def list(self, prefix: str) -> list[str]:
        """Keys under the folder `prefix`, sorted; without partial files. Raises HomeUnusable."""
        before = len(str(self.root)) + 1
        keys = (path[before:] for path in files_below(self.root / prefix))
        return sorted(key for key in keys if PARTIAL not in key)

    def age(self, key: str) -> float:
        """Seconds since the file under `key` was stored. Raises FileNotFoundError."""
        return time.time() - (self.root / key).stat().st_mtime

    def tags(self, prefix: str) -> Iterator[tuple[str, str]]:
        """The same, each with a tag that differs when its bytes do: here its size and time."""
        for key in self.list(prefix):
            status = (self.root / key).stat()
            yield key, f"{status.st_size}/{status.st_mtime_ns}"


class LineFile:
    """Adds lines to a file. They outlive this process; a power cut may take those after the last `settle`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._failed: StopRun | None = None
        is_new = not path.exists()
        self._file = cast("BinaryIO", open(path, "ab", buffering=0, opener=private))  # noqa: SIM115 - close() closes it
        if is_new:
            sync_file(path.parent)

    def add(self, line: bytes) -> None:
        """Adds one line; it first ends a line that a killed process left unfinished. Raises DiskFull, HomeUnusable.

        One thread at a time may call it: a line for which there is no room leaves no part that would look like damage.
        """
        with disk_errors(self._path):
            size = self._file.seek(0, os.SEEK_END)
            try:
                write_all(self._file, b"\n%b\n" % line)
            except OSError:
                self._file.truncate(size)
                raise

    def settle(self) -> None:
        """Waits until the lines so far are on the disk. Raises DiskFull, HomeUnusable, and from then on always.

        The system forgets lines that it could not write, and calls the next try a success.
        """
        if self._failed:
            raise self._failed
        try:
            sync_open(self._file)
        except StopRun as error:
            self._failed = error
            raise

    def close(self) -> None:
        """Closes the file; its lines are all in it."""
        self._file.close()
