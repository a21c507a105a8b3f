"""A temporary folder for the rows of one query."""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

_PREFIX = "propsync-query-"
_NEW = 60  # seconds in which a folder may not be locked yet


@contextmanager
def query_folder() -> Iterator[str]:
    """A folder that goes at the end. A death frees its lock, and the next query removes the folders of killed ones.

    Raises OSError if propsync cannot make it.
    """
    for left in Path(gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):  # of another user, or a query at work
            _remove(left)
    with TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True) as folder:
        handle = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield folder
        finally:
            os.close(handle)


def _remove(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        found = os.fstat(handle)
        if found.st_uid == os.getuid() and time.time() - found.st_mtime > _NEW:
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(handle)
