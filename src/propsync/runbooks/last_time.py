"""The time that the next run must be later than."""

from __future__ import annotations

import logging
from collections.abc import Collection
from datetime import UTC, datetime, timedelta

from propsync.runbooks.workspace import Workspace
from propsync.runs import time_of

APART = timedelta(hours=1)
"""Clocks of two machines, or of one that was corrected, may differ by less."""
_log = logging.getLogger("propsync.run")


def last_time(
    workspace: Workspace, now: datetime | None = None, landed: Collection[str] | None = None
) -> datetime | None:
    """The time of the latest run, None before the first; `now` replaces the clock.

    `landed` are runs in landing, which the journal does not know if the state was lost. A run that failed while the
    clock was ahead, and left nothing, does not count: history would have its wrong time from now on.
    """
    latest = (now or datetime.now(UTC)) + APART
    if (known := workspace.journal.last_time()) is not None and known > latest:
        landed = workspace.manifests.all_runs() if landed is None else landed
        kept = [*landed, str(workspace.publisher.note().get("run"))]
        for run_id in workspace.journal.forget_ahead(latest, kept):
            _log.warning("propsync forgets run %s: it failed when the clock was ahead, and left nothing", run_id)
        known = workspace.journal.last_time()
    times = [known, time_of(max(landed)) if landed else None]
    return max(filter(None, times), default=None)
