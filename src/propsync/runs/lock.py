"""The lock that keeps runs apart: the kernel's, which a death frees, on a file that names the holder."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import msgspec
from filelock import lock_descriptor, unlock_descriptor

from propsync.errors import ON_LOCAL_DISK, Busy, HomeUnusable, PropsyncError, UsageError
from propsync.storage import disk_errors, open_file, step_against

RUN_LOCK = "run.lock"
"""The file of a run's lock, in the folder of the state."""

_LOOK_AGAIN = 0.2  # seconds
_LONGEST_LOOK = 10.0  # seconds; `looking` holds the lock while `propsync status` opens the state database
_MOST_BEFORE = 20
"""More notes than there are commands, so a file that has more is not ours."""

INTERRUPTED = "interrupted"
"""The error in the note of a holder that somebody stopped."""


class Note(msgspec.Struct, kw_only=True):
    """The note in the file of a lock: its holder, and in `before` the last note of each other command, newest first."""

    what: str
    pid: int
    host: str
    since: Annotated[datetime, msgspec.Meta(tz=True)]
    ended: datetime | None = None
    error: str | None = None
    is_refused: bool = False
    before: Annotated[list[Note], msgspec.Meta(max_length=_MOST_BEFORE)] = []

    def __str__(self) -> str:
        since = self.since.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
        return f"{self.what} (process {self.pid} on {self.host}, since {since})"


def take_lock(handle: int) -> bool:
    """Takes the kernel's lock on an open file, until it is closed; False if another process has it. Raises OSError."""
    return lock_descriptor(handle, blocking=False)


class RunLock:
    """A lock's file. propsync opens the file itself, so that waiting for the lock never erases the holder's name."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def held(self, what: str, wait_seconds: float, *, is_erasing: bool = False) -> Iterator[Note]:
        """Holds the lock during the block. Raises HomeUnusable; Busy after `wait_seconds`, but waits for a look anyhow.

        The caller may set the error in its note, which `propsync status` shows. The notes of other
        commands stay, unless it `is_erasing`: their errors may name what has to go.
        """
        with disk_errors(self.path):
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            self._wait(handle, what, wait_seconds)
            before = [] if is_erasing else [note for note in self.notes() if note.what != what]
            who = Note(what=what, pid=os.getpid(), host=socket.gethostname(), since=datetime.now(UTC), before=before)
            with disk_errors(self.path):
                _sign(handle, who)
            try:
                with _outcome(who):
                    yield who
            finally:
                with suppress(OSError):  # a disk that fails by now must not hide how the run itself ended
                    _sign(handle, who)
                unlock_descriptor(handle)
        finally:
            os.close(handle)

    def holder(self) -> str:
        """The present or last holder of the lock, in words."""
        return str(self.owner() or "another run")

    def owner(self) -> Note | None:
        """The note of the present or last holder; None if propsync cannot read it."""
        try:
            with open_file(self.path) as file:
                return msgspec.json.decode(file.read(), type=Note)
        except (OSError, ValueError, RecursionError):  # msgspec's errors are ValueErrors
            return None

    def notes(self) -> list[Note]:
        """The note of the present or last holder, and the last one of each other command; the newest first."""
        who = self.owner()
        return [msgspec.structs.replace(who, before=[]), *who.before] if who else []

    def is_held(self) -> bool:
        """Whether a live process holds the lock right now."""
        with self.looking() as is_free:
            return not is_free

    @contextmanager
    def looking(self) -> Iterator[bool]:
        """Keeps others from the lock during the block, without a note; False if a live process holds it.

        Raises HomeUnusable.
        """
        try:
            handle = os.open(self.path, os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            yield True
            return
        try:
            yield self._is_taken(handle)
        finally:
            os.close(handle)

    def _is_taken(self, handle: int) -> bool:
        try:
            return take_lock(handle)
        except OSError as error:  # some network file systems have no locks
            step = step_against(error) or ON_LOCAL_DISK
            raise HomeUnusable(str(self.path), f"cannot be locked: {error.strerror}", step) from error

    def _is_looked_at(self) -> bool:
        """Whether the last holder has ended, so that whatever keeps the lock only looks."""
        who = self.owner()
        return who is not None and who.ended is not None

    def _wait(self, handle: int, what: str, wait_seconds: float) -> None:
        began = time.monotonic()
        while not self._is_taken(handle):
            waited = time.monotonic() - began
            if waited >= wait_seconds and (waited >= _LONGEST_LOOK or not self._is_looked_at()):
                raise Busy(
                    what, f"{self.holder()} is at work, so this run did nothing", "Run `propsync status` to follow it"
                )
            time.sleep(_LOOK_AGAIN)


@contextmanager
def _outcome(who: Note) -> Iterator[None]:
    """Adds when and how the holder ended, which nothing else records for a run that published nothing."""
    try:
        yield
    except BaseException as error:
        who.error = _cause(error)
        who.is_refused = isinstance(error, UsageError)
        raise
    finally:
        who.ended = datetime.now(UTC)


def _cause(error: BaseException) -> str:
    if isinstance(error, PropsyncError):
        return str(error).encode(errors="replace").decode()  # a path may hold bytes that are no letters
    return type(error).__name__ if isinstance(error, Exception) else INTERRUPTED


def _sign(handle: int, who: Note) -> None:
    body = msgspec.json.encode(who)
    os.pwrite(handle, body, 0)  # first, into the room that the file has: a full disk has none for an empty one
    os.ftruncate(handle, len(body))
