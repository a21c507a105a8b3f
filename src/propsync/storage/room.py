"""How many files a disk still takes: it may be full of them although it has space."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def files_left(folder: Path) -> int | None:
    """How many further files its disk takes; None if the file system has no limit. Raises OSError."""
    found = os.statvfs(folder)
    return found.f_favail if found.f_files else None


def against_many_files(where: Path) -> str | None:
    """The step for a disk that has space but takes no further file; None if that is not why it is full."""
    with suppress(OSError):
        folder = next(one for one in (where, *where.parents) if one.exists())
        has_space = os.statvfs(folder).f_bavail > 0  # XFS makes inodes of free space, and has none left without it
        if has_space and files_left(folder) == 0:
            return "Delete files on it, also empty ones: no inode is left (`df -i`). Then run the same command again"
    return None
