"""The lock of runs on documents, and the folder of their unfinished files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from propsync.errors import Busy
from propsync.runbooks.workplace import PARTIALS, make_home
from propsync.runs import RunLock
from propsync.settings import Settings
from propsync.storage import disk_errors, remove_partials

ARCHIVE_LOCK = "archive/archive.lock"
"""Below home; its holder works on documents."""
ARCHIVING = "propsync archive"
"""The holder that fetches documents; others verify or clear them."""


@contextmanager
def archive_lock(settings: Settings, what: str, *, is_erasing: bool = False) -> Iterator[Path]:
    """Keeps other runs on documents away; clears the folder for files under way of what killed runs left.

    If it `is_erasing`, the notes of such runs go too. Raises SettingsError, and Busy at once.
    """
    make_home(settings)
    partial = settings.home / PARTIALS
    with disk_errors(partial):
        partial.mkdir(parents=True, exist_ok=True, mode=0o700)
    with RunLock(settings.home / ARCHIVE_LOCK).held(what, 0, is_erasing=is_erasing):
        remove_partials(partial)
        yield partial


@contextmanager
def without_partials(settings: Settings, what: str) -> Iterator[bool]:
    """Clears that folder for an erasure, and keeps runs on documents away.

    False if one is at work, which clears it at its end.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(archive_lock(settings, what, is_erasing=True))
        except Busy:
            yield False
            return
        yield True
