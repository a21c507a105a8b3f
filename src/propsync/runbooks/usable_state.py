"""Finds out whether a run can use the state database."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from propsync.errors import MergeFailed, PropsyncError, StateUnusable, StopRun
from propsync.publish import read_note
from propsync.runbooks.workspace import WAREHOUSE
from propsync.runs import RUN_LOCK, RunLock
from propsync.settings import Settings
from propsync.storage import disk_errors, open_file
from propsync.warehouse import SCHEMA_VERSION, OldFile, open_published, statement, text

_MARK = slice(8, 12)
"""The bytes of a DuckDB file that say that it is one; a full disk or a broken-off copy may leave others."""


def why_unusable(settings: Settings) -> PropsyncError | None:
    """The error with which a run would refuse the state database; None if nothing shows one.

    Only StateUnusable means that a rebuild helps: the others are about the machine, such as a file that another program
    has open.
    """
    try:
        refuse_unusable(settings)
    except (StopRun, MergeFailed) as error:
        return error
    return None


def refuse_unusable(settings: Settings) -> None:
    """Raises the error with which a run would refuse the state database.

    Another run may hold it, so the published file, a copy of it, says of which version it is. Only if nobody is at
    work, propsync looks into the state itself.
    """
    published = settings.published / WAREHOUSE
    if not published.is_file():
        return
    state = settings.state / WAREHOUSE
    if not state.exists():
        raise StateUnusable(str(state), "it is missing, though tables are published")
    if not state.is_file() or not _is_database(state):
        raise StateUnusable(str(state), "it is not a DuckDB database")
    with open_published(published) as reader:
        version = reader.rows(statement("runbooks/schema_version"))[1][0][0]
    if version != SCHEMA_VERSION:
        raise StateUnusable(str(state), f"its schema version is {version}, not {SCHEMA_VERSION}")
    with RunLock(settings.state / RUN_LOCK).looking() as is_free:
        if is_free:
            _refuse_older(settings, state, read_note(settings.published).get("run"))


def refuse_unwritable(settings: Settings) -> None:
    """Raises HomeUnusable if this user may not write the lock or the state database, as every run does."""
    for name in (RUN_LOCK, WAREHOUSE):
        path = settings.state / name
        with disk_errors(path), suppress(FileNotFoundError):
            os.close(os.open(path, os.O_RDWR | os.O_CLOEXEC))


def _refuse_older(settings: Settings, state: Path, published: str | None) -> None:
    """Refuses what the file itself shows: it cannot be read, or somebody restored an older one."""
    with OldFile(state, memory_limit=settings.memory_limit, folder=settings.state / "work") as file:
        is_known = published is None or file.value(statement("merge/knows_run", run_id=text(published)))
    if not is_known:
        raise StateUnusable(str(state), f"it does not hold run {published}, whose tables are published")


def _is_database(path: Path) -> bool:
    with open_file(path) as file:
        return file.read(_MARK.stop)[_MARK] == b"DUCK"
