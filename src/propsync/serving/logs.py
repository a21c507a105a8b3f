"""The programs' log files: the last one's is kept, none grows for ever, and the line that says why one ended."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import BinaryIO

_MOST = 20_000_000  # bytes
_LOOK_AT = 20_000  # bytes at the end
_EMPTY = "Application startup failed"  # the reason stands before it
_TROUBLE = ("error", "critical", "exception", "cannot", "fatal")


def previous(log: Path) -> Path:
    """Where what was logged before is kept."""
    return log.with_name(f"{log.name}.1")


def opened(log: Path) -> BinaryIO:
    """A new log; the last one becomes the previous."""
    if log.exists():
        os.replace(log, previous(log))  # noqa: PTH105 - storage's renames are of what must outlive a power cut
    # appending: when the file is cut short under a program, its next line is at the new end
    return log.open("ab")


def keep_small(log: Path) -> None:
    """Puts a log that grew too long aside while its program goes on writing; a line of that moment may be lost."""
    if log.stat().st_size > _MOST:
        shutil.copyfile(log, previous(log))
        os.truncate(log, 0)


def last_trouble(log: Path) -> str:
    """The last line that tells of an error, else the last one; empty if there is none."""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _LOOK_AT))
        lines = [line.strip() for line in file.read().decode("utf-8", "replace").splitlines() if line.strip()]
    troubles = [line for line in lines if any(word in line.casefold() for word in _TROUBLE) and _EMPTY not in line]
    return next(reversed(troubles or lines), "")
