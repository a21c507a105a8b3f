"""The doctor's look at every block of the database files: a disk may have damaged one that no query has read yet."""

from __future__ import annotations

from collections.abc import Iterator

from propsync.errors import MergeFailed, StateUnusable, StopRun
from propsync.runbooks.doctor.finding import Finding
from propsync.runbooks.workspace import WAREHOUSE
from propsync.runs import RUN_LOCK, RunLock
from propsync.settings import Settings
from propsync.storage import step_against, why_unread
from propsync.warehouse import is_short, refuse_damaged, refuse_unreadable

_STEPS = {"state": "Run `propsync rebuild`", "published": "Run `propsync sync`: it writes the file again"}


def examine_blocks(settings: Settings) -> Iterator[Finding]:
    """A finding for each database file with a damaged block. The state is left out if a run is at work."""
    with RunLock(settings.state / RUN_LOCK).looking() as is_free:
        found = [*_damaged(settings, "state")] if is_free else []
    yield from found
    yield from _damaged(settings, "published")


def _damaged(settings: Settings, folder: str) -> Iterator[Finding]:
    path = settings.home / folder / WAREHOUSE
    try:
        if path.is_file():
            refuse = refuse_unreadable if is_short(path) else refuse_damaged
            refuse(path, path, memory_limit=settings.memory_limit, folder=settings.state / "work")
    except (StopRun, MergeFailed) as error:
        step = _STEPS[folder] if error.next_step == StateUnusable.advice else error.next_step
        yield Finding(folder, False, f"{error.where}: {error.what}", step)
    except OSError as error:
        yield Finding(folder, False, f"{path}: {why_unread(error)}", step_against(error) or _STEPS[folder])
