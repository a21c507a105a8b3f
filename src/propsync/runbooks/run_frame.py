"""The frame of every run: the lock, the journal, what earlier runs left behind, the checks, publishing."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from propsync.api import RetryPolicy
from propsync.errors import CheckFailed, PropsyncError, ResourceFailed
from propsync.merge import lists_left_behind
from propsync.resources import RESOURCES, SYNCED
from propsync.runbooks.report import Report, in_one_line, left_behind, not_understood
from propsync.runbooks.resource_sync import ResourceSync
from propsync.runbooks.retention import prune, refuse_lost_history
from propsync.runbooks.workspace import Workspace
from propsync.runs import Run, next_run, run_status, time_of
from propsync.settings import Settings
from propsync.warehouse import run_checks

_log = logging.getLogger("propsync.run")


Step = Callable[[], "str | None"]
"""A step; it returns in a line what it left behind, if anything."""


class Call(Protocol):
    """How a step is called: plainly, or as a Prefect task."""

    def __call__(self, name: str, step: Step) -> None:
        """Runs `step`, which is called `name`."""


def plainly(name: str, step: Step) -> None:
    """Runs a step by calling it."""
    _log.debug("step %s", name)
    step()


Work = Callable[[Workspace, Run], None]


def framed_run(
    settings: Settings,
    flow: str,
    prepare: Callable[[Workspace], Work],
    *,
    call: Call = plainly,
    policy: RetryPolicy | None = None,
    now: datetime | None = None,
) -> Report:
    """One run of its own under the lock. `prepare` may refuse (UsageError) before it begins, and gives its work.

    `now` stands in for the clock. Raises StopRun (exit 1) and Busy (exit 4); what else goes wrong is in the report.
    """
    began = time.monotonic()
    with Workspace.opened(settings, f"propsync {flow}", policy) as workspace:
        refuse_lost_history(workspace)
        work = prepare(workspace)
        run = next_run(
            flow, max(filter(None, (workspace.journal.last_time(), _last_landed(workspace))), default=None), now
        )
        for killed in workspace.journal.begin(run):
            _log.warning("run %s was killed; what it landed whole is merged now", killed)
        try:
            mended = finish_earlier(workspace, run)
            work(workspace, run)
            check(workspace, run)
            report = _end(workspace, run, began)
            if report.status != "failed":
                call("publish", lambda: mended.extend(workspace.publisher.publish(workspace.warehouse, run.run_id)))
            _tidy(workspace, run)
        except BaseException as error:
            workspace.journal.end(run, "failed", in_one_line(error))
            raise
    return replace(report, notes=[*report.notes, *mended])


def _tidy(workspace: Workspace, run: Run) -> None:
    """What is left lying is no reason to call a run failed that published."""
    try:
        prune(workspace, run)
    except PropsyncError as error:
        _log.error("landing was not pruned: %s", error)


def finish_earlier(workspace: Workspace, run: Run) -> list[str]:
    """Merges snapshots that a killed run landed whole, and publishes what an earlier run could not.

    Returns what `Publisher.publish` does.
    """
    merge_earlier(workspace, run)
    if workspace.publisher.is_behind(workspace.warehouse):
        try:
            check(workspace, run)
            return workspace.publisher.publish(workspace.warehouse, run.run_id)
        except CheckFailed as error:
            _log.error("%s", error)  # this run's own checks decide
    return []


def check(workspace: Workspace, run: Run) -> None:
    """Checks what changed since it was last published, also in a run whose checks failed. Raises CheckFailed."""
    published = str(workspace.publisher.note().get("run", ""))
    for warning in run_checks(workspace.warehouse, run.run_id, since=published):
        _log.warning("%s", warning)


def merge_earlier(workspace: Workspace, run: Run) -> None:
    """Merges and builds what a killed run landed or merged: published are its history and its tables, or neither."""
    for resource in SYNCED:
        try:
            ResourceSync(workspace, run, resource).finish_earlier()
        except ResourceFailed as error:
            _log.error("%s", error)  # its tables stay as they were; the others are finished


def _last_landed(workspace: Workspace) -> datetime | None:
    """The latest run that landed anything, which the journal does not know where the state was lost."""
    runs = [run_id for resource in RESOURCES for run_id in workspace.manifests.runs(resource)]
    return time_of(max(runs)) if runs else None


def _end(workspace: Workspace, run: Run, began: float) -> Report:
    verdicts = workspace.journal.verdicts(run.run_id)
    unread = [told for told in workspace.shapes.unread() if told[0] in verdicts]
    in_lists = lists_left_behind(workspace.warehouse, run.run_id)
    status = run_status(verdicts, workspace.journal.held(run.run_id) + len(unread) + len(in_lists))
    errors = workspace.journal.errors(run.run_id)
    lines = left_behind(verdicts, errors, workspace.journal.reasons_held(run.run_id), run.run_id)
    lines += [*not_understood(unread), *in_lists]
    workspace.journal.end(run, status, "; ".join(lines) or None)
    counts = workspace.journal.counts(run.run_id)
    published = None if status == "failed" else str(workspace.settings.published)
    ordered = {name: counts[name] for name in RESOURCES if name in counts}
    return Report(run.run_id, status, time.monotonic() - began, ordered, lines, published)
