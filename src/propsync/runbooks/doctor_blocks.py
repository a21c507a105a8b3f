"""The doctor's look at every block of the database files: a disk may have damaged one that no query has read yet."""

from __future__ import annotations

from collections.abc import Iterator

from propsync.errors import MergeFailed, StateUnusable, StopRun
from propsync.runbooks.finding import Finding
from propsync.runbooks.workspace import WAREHOUSE
from propsync.runs import RunLock
from propsync.settings import Settings
from propsync.storage import step_against, why_unread
from propsync.warehouse import refuse_damaged

_STEPS = {"state": "Run `propsync rebuild`", "published": "Run `propsync sync`: it writes the file again"}


def examine_blocks(settings: Settings) -> Iterator[Finding]:
    """A finding for each database file with a damaged block; it reads both files, unless a run is at work."""
    for name, folder in (("state", settings.state), ("published", settings.published)):
        path = folder / WAREHOUSE
        try:
            with RunLock(settings.state / "run.lock").looking() as is_free:
                if is_free and path.is_file():
                    refuse_damaged(path, path, memory_limit=settings.memory_limit, folder=settings.state / "work")
        except (StopRun, MergeFailed) as error:
            step = _STEPS[name] if error.next_step == StateUnusable.advice else error.next_step
            yield Finding(name, False, f"{error.where}: {error.what}", step)
        except OSError as error:
            yield Finding(name, False, f"{path}: {why_unread(error)}", step_against(error) or _STEPS[name])
