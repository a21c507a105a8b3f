"""Reads the small files that hold a token or a secret, within bounds: a pipe may never end, or never begin."""

from __future__ import annotations

import os
import select
import stat
import time
from collections.abc import Iterable
from pathlib import Path

MOST_BYTES = 65_536
"""A header with a longer token would reach no server."""

_PATIENCE = 5.0  # seconds for the writer of a pipe


def read_secret(path: Path) -> str:
    """The text of a file, or of a pipe such as /dev/fd/63, without the byte-order mark of Windows editors.

    Raises OSError, and ValueError for what is no such text.
    """
    # the end of a pipe that nobody writes to would keep an ordinary open waiting
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        _check_kind(os.fstat(descriptor))
        return _content(descriptor).decode("utf-8-sig")
    finally:
        os.close(descriptor)


def _check_kind(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode) and not stat.S_ISFIFO(found.st_mode):
        raise ValueError("it is neither a file nor a pipe")
    _check_size(found.st_size)


def _check_size(size: int) -> None:
    if size > MOST_BYTES:
        raise ValueError(f"it is larger than {MOST_BYTES:,} bytes")


def _content(descriptor: int) -> bytes:
    content, until = b"", time.monotonic() + _PATIENCE
    while part := _next(descriptor, until):
        content += part
        _check_size(len(content))
    return content


def _next(descriptor: int, until: float) -> bytes:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    if not poll.poll(max(0.0, until - time.monotonic()) * 1_000):
        raise ValueError("it is a pipe, and no program writes to it")
    return os.read(descriptor, MOST_BYTES)


def may_be_secret(path: Path, folders: Iterable[Path]) -> bool:
    """Whether a path that does not exist may be a secret that somebody wrote in its place.

    It is shown if it leads into a folder that exists. `folders` are those that a relative path may start from.
    """
    if os.path.exists(path):  # noqa: PTH110 - Path.exists raises for a name that is too long
        return False
    start = next((folder for folder in folders if path.is_relative_to(folder)), Path("/"))
    parts = path.relative_to(start).parts
    return len(parts) < 2 or not os.path.isdir(start / parts[0])  # noqa: PTH112 - see above
