"""The programs' log files: propsync keeps the last one, bounds their size, and finds the line that says why one
ended.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import BinaryIO

_MOST = 20_000_000  # bytes
_LOOK_AT = 20_000  # bytes at the end
_EMPTY = ("Application startup failed", "Background on this error at")  # the reason precedes both
_TROUBLE = ("error", "critical", "exception", "cannot", "fatal")


def previous(log: Path) -> Path:
    """The path of the previous log."""
    return log.with_name(f"{log.name}.1")


def opened(log: Path) -> BinaryIO:
    """Opens a new log; the last one becomes the previous."""
    if log.exists():
        os.replace(log, previous(log))  # noqa: PTH105 - storage's renames are for files that must survive a power cut
    # appends: if something cuts the file under a program, its next line goes to the new end
    return log.open("ab")


def keep_small(log: Path) -> None:
    """Moves a log that grew too long aside while its program continues to write; a line of that moment may be lost."""
    if log.stat().st_size > _MOST:
        shutil.copyfile(log, previous(log))
        os.truncate(log, 0)


def last_trouble(log: Path) -> str:
    """The last line with an error, else the last one; empty if there is none."""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _LOOK_AT))
        lines = [line.strip() for line in file.read().decode("utf-8", "replace").splitlines() if line.strip()]
    telling = (line for line in lines if not any(words in line for words in _EMPTY))
    troubles = [line for line in telling if any(word in line.casefold() for word in _TROUBLE)]
    return next(reversed(troubles or lines), "")
