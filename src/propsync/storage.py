"""The one place that puts files where they stay: whole or not at all, and on the disk when the call returns.

A local folder now; object stores have the same four verbs (put, get, list, exists), so nothing else renames or fsyncs.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from propsync.errors import DiskFull, HomeUnusable

PARTIAL = ".partial"
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


class LocalStorage:
    """Files under `root`, named by relative keys with `/`. Raises DiskFull and HomeUnusable."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def put(self, key: str, body: bytes) -> None:
        """Stores `body` under `key`; whoever looks sees the old content or the new, never a part."""
        target = self.root / key
        with disk_errors(target):
            _make_folder(target.parent)
            with tempfile.NamedTemporaryFile(dir=target.parent, suffix=PARTIAL, delete=False) as partial:
                try:
                    partial.write(body)
                    partial.flush()
                    replace(Path(partial.name), target)
                except BaseException:
                    remove(Path(partial.name))  # a full disk needs the room
                    raise

    def get(self, key: str) -> bytes:
        """The bytes stored under `key`. Raises FileNotFoundError."""
        return (self.root / key).read_bytes()

    def exists(self, key: str) -> bool:
        """Whether `key` is stored."""
        return (self.root / key).is_file()

    def list(self, prefix: str) -> list[str]:
        """Keys under the folder `prefix`, sorted; partial files are none of them."""
        found = (path for path in (self.root / prefix).rglob("*") if path.is_file() and path.suffix != PARTIAL)
        return sorted(str(path.relative_to(self.root)) for path in found)


def _make_folder(folder: Path) -> None:
    """A folder of the service's own, its name on the disk too."""
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(exist_ok=True, mode=0o700)
        sync_file(folder.parent)


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
    """Copies in the kernel, sharing blocks where the file system can."""
    with disk_errors(target), source.open("rb") as reader, target.open("wb") as writer:
        left = os.fstat(reader.fileno()).st_size
        while left > 0 and (sent := os.copy_file_range(reader.fileno(), writer.fileno(), left)):
            left -= sent


def remove(path: Path) -> None:
    """Removes a file that may not be there."""
    with suppress(FileNotFoundError):
        path.unlink()


@contextmanager
def disk_errors(where: Path) -> Iterator[None]:
    """Turns the system's words about disks and rights into ours."""
    try:
        yield
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise DiskFull(str(where), "the disk is full") from error
        if error.errno not in (None, errno.ENOENT):
            raise HomeUnusable(str(where), f"cannot be written: {error.strerror}") from error
        raise
