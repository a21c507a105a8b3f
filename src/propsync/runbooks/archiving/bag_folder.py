"""The folder beside a bag in which one export makes it; the next one removes what a killed export left there."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from propsync.errors import UsageError
from propsync.runs import take_lock
from propsync.storage import PARTIAL, remove, remove_folder

LOCK = "propsync-export.lock"
"""Its holder makes the bag; it names the machine, because locks do not reach through every network file system."""
_BAG = "bag"


@contextmanager
def unfinished(target: Path) -> Iterator[Path]:
    """An empty folder for unfinished files, which only this export has; it disappears with all that is left in it.

    Raises UsageError if another export may be at work, and OSError.
    """
    folder = target.with_name(target.name + PARTIAL)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle = _lock(target, folder)
    try:
        os.pwrite(handle, socket.gethostname().encode(), 0)
        remove_folder(folder / _BAG)
        (folder / _BAG).mkdir()
        yield folder / _BAG
    finally:
        shutil.rmtree(folder / _BAG, ignore_errors=True)
        if not os.path.lexists(folder / _BAG):  # otherwise the lock shows the next export that it may remove the rest
            with suppress(OSError):  # it must not hide that the bag is made, nor why it is not
                remove(folder / LOCK)
        os.close(handle)  # before the folder goes: a network file system keeps an open file in it
        with suppress(OSError):
            folder.rmdir()


def _lock(target: Path, folder: Path) -> int:
    """Makes the folder, or takes over that of a dead export; returns the open lock."""
    if folder.is_symlink() or (folder.exists() and not _is_of_an_export(folder)):
        raise _taken(target, folder, "propsync does not know who made it")
    folder.mkdir(exist_ok=True)
    handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    if why := _of_others(handle):
        os.close(handle)
        raise _taken(target, folder, why)
    return handle


def _of_others(handle: int) -> str | None:
    """Why another export may be at work, None if none is."""
    there = os.pread(handle, 1_000, 0).decode(errors="replace")
    if not _is_free(handle):
        return "another export is at work"
    return None if there in ("", socket.gethostname()) else f"an export on {there} made it"


def _is_of_an_export(folder: Path) -> bool:
    """Whether it has nothing but files of exports: one that was killed at its first step left it empty."""
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else {""}
    return not names or (LOCK in names and names <= {LOCK, _BAG})


def _is_free(handle: int) -> bool:
    try:
        return take_lock(handle)
    except OSError:  # a file system without locks: only an export that has just made the file is sure
        return not os.fstat(handle).st_size


def _taken(target: Path, folder: Path, why: str) -> UsageError:
    step = "If no export is at work, remove that folder, then run again"
    return UsageError(str(target), f"{folder} exists: {why}", step)
