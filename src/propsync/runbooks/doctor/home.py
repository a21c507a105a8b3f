"""Examines the home, its disks and its locks."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

import psutil

from propsync.errors import ON_LOCAL_DISK, HomeUnusable, PropsyncError, SettingsError, StopRun
from propsync.progress import size_in_words
from propsync.runbooks.doctor.blocks import examine_blocks
from propsync.runbooks.doctor.finding import Finding
from propsync.runbooks.usable_state import why_unusable
from propsync.runbooks.workplace import check_dask, refuse_elsewhere, refuse_half_erased
from propsync.runbooks.workspace import WAREHOUSE
from propsync.runs import RUN_LOCK, RunLock
from propsync.settings import Settings
from propsync.storage import PARTIAL, disk_errors, files_left, refuse_unreadable, remove, replace

_SHARES = ("nfs", "cifs", "smb", "sshfs", "9p", "gluster", "ceph", "lustre", "afs", "webdav", "davfs", "vboxsf")
_BUCKETS = ("s3fs", "mountpoint-s3", "goofys", "gcsfuse", "blobfuse", "rclone")  # programs that mount one as a folder
_NETWORK = (*_SHARES, *_BUCKETS)
_LEAST_FREE = 0.1
_FEWEST_FILES = 1_000


def examine_places(settings: Settings) -> Iterator[Finding]:
    """The disks and folders of the home, whether files can be moved between them, and who may read them."""
    yield _room(settings)
    yield from _files_left(settings.home)
    kind = file_system(settings.state)
    is_local = not any(name in kind.lower() for name in _NETWORK)
    yield Finding("file system", is_local, f"{settings.state} is on {kind or 'an unknown file system'}", ON_LOCAL_DISK)
    for folder in (settings.published, settings.landing, settings.state / "work"):
        yield from _unreached(settings, folder)
    yield from _unreadable(settings.state, settings.landing, settings.home / "archive")


def _room(settings: Settings) -> Finding:
    """The free space: a tenth of the disk, and enough for the copy of the state that each run publishes."""
    usage, state = shutil.disk_usage(settings.home), settings.state / WAREHOUSE
    share, needed = usage.free / usage.total, state.stat().st_size if state.is_file() else 0
    seen = f"{size_in_words(usage.free)} free, {share:.0%} of the disk"
    if usage.free < needed:
        seen += f", and each run makes a copy of its tables, which take {size_in_words(needed)}"
    is_well = share >= _LEAST_FREE and usage.free >= needed
    return Finding("disk", is_well, seen, "Free some space on the disk")


def _files_left(folder: Path) -> Iterator[Finding]:
    """A finding if the disk takes few further files, although it may have space; some file systems have no limit."""
    left = files_left(folder)
    if left is not None and left < _FEWEST_FILES:
        what = f"it takes {left:,} more files at most, whatever their size (`df -i` shows its inodes)"
        yield Finding("disk", False, what, "Delete files on the disk, also empty ones")


def _unreadable(*folders: Path) -> Iterator[Finding]:
    """A finding if this user may not list a folder below them, or read a file, such as those of a run by root."""
    try:
        for folder in folders:
            refuse_unreadable(folder)
    except HomeUnusable as error:
        yield Finding("folders", False, f"{error.where}: {error.what}", error.next_step)


def _unreached(settings: Settings, folder: Path) -> Iterator[Finding]:
    """A finding if no run could move a finished file there, or from there: a mount or a link leads to another disk.

    The first run makes `state/work`.
    """
    if not folder.is_dir():
        return
    partial = settings.state / f"{secrets.token_hex(8)}{PARTIAL}"
    target = folder / partial.name
    try:
        with disk_errors(partial):
            partial.touch()
        replace(partial, target)
    except StopRun as error:
        yield Finding("folders", False, f"{folder}: {error.what}", error.next_step)
    finally:
        remove(partial)
        remove(target)


def examine_at_work(settings: Settings) -> Iterator[Finding]:
    """The holder of the lock, and the user of this process."""
    lock = RunLock(settings.state / RUN_LOCK)
    yield Finding("lock", True, f"held by {lock.holder()}" if lock.is_held() else "no run is at work")
    yield Finding("user", True, f"running as uid {os.getuid()}; readers of published/ should be other users")


def examine_state(settings: Settings) -> Iterator[Finding]:
    """A finding for each thing that makes every run refuse to start: the state, half an erasure or half a move."""
    if why := why_unusable(settings):
        yield Finding("state", False, f"{why.where}: {why.what}", why.next_step)
    else:
        yield from examine_blocks(settings)
    try:
        if not RunLock(settings.state / RUN_LOCK).is_held():  # it may be that erasure
            refuse_elsewhere(settings)
            refuse_half_erased(settings)
    except PropsyncError as error:
        yield Finding("home", False, f"{error.where}: {error.what}", error.next_step)


def examine_archive(settings: Settings) -> Iterator[Finding]:
    """How long documents are kept, if somebody set that: a number too small would remove what a law wants kept.

    And a finding if somebody set Dask, and runs could not use it.
    """
    try:
        if settings.archive_dask:
            check_dask(settings)
    except SettingsError as error:
        yield Finding("archive", False, f"{error.where}: {error.what}", error.next_step)
    if (years := settings.archive_keep_years) is not None:
        source = settings.source("archive_keep_years")
        seen = f"propsync removes documents {years} years after their assessment was deleted"
        yield Finding("archive", True, f"{seen} (PROPSYNC_ARCHIVE_KEEP_YEARS, {source})")


def file_system(path: Path) -> str:
    """The kind of file system that a folder is on, as the system calls it (ext4, nfs4, …).

    A link may lead to another one. Of two at one place, as those that autofs mounts, the later hides the earlier.
    """
    real = path.resolve()
    mounts = [part for part in reversed(psutil.disk_partitions(all=True)) if real.is_relative_to(part.mountpoint)]
    return max(mounts, key=lambda part: len(part.mountpoint)).fstype if mounts else ""
