"""DuckDB's errors, in propsync's words."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from propsync.errors import (
    GIVE_IT_BACK,
    LOOK_AT_DISK,
    DiskFull,
    FileLimited,
    HomeUnusable,
    MergeFailed,
    StateUnusable,
    StopRun,
)
from propsync.storage import MORE_FILES

NO_MEMORY = "bad allocation"
"""DuckDB's words if the system refused the memory, and PROPSYNC_MEMORY_LIMIT did not."""

RAISE_LIMITS = "Raise the limits of this process (`ulimit -v`, or those of the service), or lower PROPSYNC_MEMORY_LIMIT"

HELD = "Could not set lock on file"
"""DuckDB's words if another program has the file open."""

CLOSE_IT = "Close the file in that program, or end it (PID is its number), then run again"

READING = (
    (HELD, CLOSE_IT),
    ("Input/output error", f"{LOOK_AT_DISK}. If it says so again, `propsync sync` writes the published file again"),
    ("Too many open files", MORE_FILES),
)
"""The steps if the system cannot read what is published, each after words of DuckDB."""

_HELD = re.compile(HELD)
_NO_RIGHT = re.compile("Permission denied|Read-only file system")
_DISK_FAILS = re.compile("fsync failed|Input/output error")
_FIRST = re.compile('^Original error: "(.*)"$', re.MULTILINE)


def refuse_other_than_file(path: Path) -> None:
    """Raises StateUnusable for a folder, and for a pipe, which DuckDB would wait for."""
    if path.exists() and not path.is_file():
        step = "Move that away, then run `propsync rebuild`"
        raise StateUnusable(str(path), "a folder or a pipe is where the file belongs", step)


@contextmanager
def interruptible() -> Iterator[None]:
    """Turns DuckDB's own error about Ctrl-C, which it notices before Python, into KeyboardInterrupt."""
    try:
        yield
    except RuntimeError as error:
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from None
        raise


@contextmanager
def our_errors(path: Path) -> Iterator[None]:
    """Turns DuckDB's errors about a database file into DiskFull, HomeUnusable, StateUnusable and MergeFailed."""
    try:
        with interruptible():
            yield
    except duckdb.Error as error:
        _refuse_lack(path, error)
        words = str(error)
        if _is_of_file(error):
            # a file that DuckDB gives up tells the error that came first, on a later line
            raise _unusable(path, (_FIRST.findall(words) or words.splitlines())[0]) from error
        raise MergeFailed(path.name, words.splitlines()[0]) from error


@contextmanager
def opening(path: Path) -> Iterator[None]:
    """Turns every error of DuckDB while it opens a database file into StateUnusable: it met nothing but this file.

    So does a log (`.wal`) of another moment, which a restored file may find beside it. Raises DiskFull, FileLimited and
    MergeFailed for a lack of room or memory, and HomeUnusable for a file that another program or user keeps from us.
    """
    try:
        with interruptible():
            yield
    except duckdb.Error as error:
        _refuse_lack(path, error)
        raise _unusable(path, str(error).splitlines()[0]) from error


@contextmanager
def damage_of(path: Path, folder: Path) -> Iterator[None]:
    """Takes DuckDB's errors about a database file that it only reads for damage: StateUnusable.

    A lack of room or memory says nothing about the file: DiskFull and MergeFailed. Nor does a failure to write to
    `folder`, or a file that another program or user keeps from us: HomeUnusable. Nor does a table that the file of an
    earlier version lacks: that error stays.
    """
    try:
        yield
    except (duckdb.CatalogException, duckdb.BinderException):
        raise
    except duckdb.Error as error:
        _refuse_lack(path, error)
        words = str(error).splitlines()[0]
        if f"{folder}{os.sep}" in words.replace(str(path), ""):
            raise HomeUnusable(str(folder), f"cannot be written: {words}", _step_against(words)) from error
        raise _unusable(path, words) from error


def _is_of_file(error: duckdb.Error) -> bool:
    """Whether the file or its disk is at fault. The words of other errors may be those of a record."""
    words = str(error)
    if type(error) is duckdb.Error:  # what DuckDB calls DataCorruption, for which Python has no class
        return "corrupt" in words.lower()
    if isinstance(error, duckdb.TransactionException):  # a commit whose log the disk refuses
        return _step_against(words) is not None
    is_of_file = isinstance(error, duckdb.IOException | duckdb.FatalException | duckdb.SerializationException)
    return is_of_file or words.startswith("Corrupt database file")


def _unusable(path: Path, words: str) -> StopRun:
    """A rebuild helps no file that only has the wrong rights: those of root, say, who ran a command by hand.

    It would even lose rows that it could not read, so HomeUnusable keeps it from that. Nor does it help a disk that
    fails: the file may be whole, and a new one would fail too.
    """
    step = _step_against(words)
    if step in (GIVE_IT_BACK, CLOSE_IT):
        return HomeUnusable(str(path), words, step)
    step = f"{step}, and `propsync rebuild` if it says so again" if step == LOOK_AT_DISK else step
    return StateUnusable(str(path), words, step)


def _step_against(words: str) -> str | None:
    steps = {_HELD: CLOSE_IT, _NO_RIGHT: GIVE_IT_BACK, _DISK_FAILS: LOOK_AT_DISK}
    return next((step for one, step in steps.items() if one.search(words)), None)


def _refuse_lack(path: Path, error: duckdb.Error) -> None:
    """Raises FileLimited, DiskFull or MergeFailed if the error is a lack of room, of memory or of open files."""
    words = str(error)
    if "File too large" in words:
        raise FileLimited(str(path), "no file may grow further") from error
    if "Too many open files" in words:
        raise MergeFailed(path.name, words.splitlines()[0], MORE_FILES) from error
    if "No space left" in words or "max_temp_directory_size" in words or "Disk quota" in words:
        raise DiskFull(str(path), "the disk is full") from error
    if isinstance(error, duckdb.OutOfMemoryException):
        step = RAISE_LIMITS if NO_MEMORY in words else "Raise PROPSYNC_MEMORY_LIMIT"
        raise MergeFailed(path.name, words.splitlines()[0], f"{step}, then run the same command again") from error
