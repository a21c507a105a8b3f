"""The progress of long work, as a progress artifact of the run."""

from __future__ import annotations

import contextvars
import logging
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any
from uuid import UUID

from prefect.artifacts import create_progress_artifact, update_progress_artifact

from propsync.progress import watched

_log = logging.getLogger("propsync.prefect")
_END_SECONDS = 30.0
Update = tuple[str, float, "float | None", str]


@contextmanager
def progress_shown() -> Iterator[None]:
    """Shows each bar of propsync that lasts longer than some seconds as an artifact, through one thread.

    The thread has the context of the run, which propsync's own threads lack, and keeps them from waiting for Prefect.
    """
    updates: SimpleQueue[Update | None] = SimpleQueue()
    thread = threading.Thread(target=contextvars.copy_context().run, args=(_show, updates), daemon=True)
    thread.start()
    try:
        with watched(lambda *one: updates.put(one)):
            yield
    finally:
        updates.put(None)
        thread.join(_END_SECONDS)


def _show(updates: SimpleQueue[Update | None]) -> None:
    artifacts: dict[str, UUID] = {}
    while (one := updates.get()) is not None:
        try:
            _show_one(artifacts, *one)
        except Exception as error:  # noqa: BLE001 - a progress bar is no reason to lose the others, nor the run
            _log.warning("could not show the progress in Prefect: %s: %s", type(error).__name__, error)
            _log.debug("the same in full", exc_info=True)


def _show_one(artifacts: dict[str, UUID], description: str, done: float, total: float | None, line: str) -> None:
    percent = min(100.0, 100 * done / total) if total else 0.0
    if description in artifacts:
        update_progress_artifact(artifacts[description], percent, description=line)
        return
    key = "propsync-" + re.sub("[^a-z0-9]+", "-", description.lower()).strip("-")
    made: Any = create_progress_artifact(percent, key=key, description=line)
    artifacts[description] = made
