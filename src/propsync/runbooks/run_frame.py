"""The frame of every run: the lock, the journal, unfinished work of earlier runs, the checks, publishing."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Protocol

from propsync.api import RetryPolicy
from propsync.errors import CheckFailed, HidingOutgrown, PropsyncError, ResourceFailed
from propsync.merge import forget_contents, lists_left_behind, note_erasures
from propsync.runbooks.check import check, check_marts
from propsync.runbooks.dashboard import draw_dashboard
from propsync.runbooks.desk import build_desk
from propsync.runbooks.known_api import note_api, other_api
from propsync.runbooks.landed_apis import refuse_foreign_landing
from propsync.runbooks.last_time import APART, last_time
from propsync.runbooks.opened import opened_workspace
from propsync.runbooks.push.abandoned import record_abandoned
from propsync.runbooks.report import Report, in_one_line, left_behind, not_understood
from propsync.runbooks.resource_sync import ResourceSync
from propsync.runbooks.retention import prune, refuse_lost_history
from propsync.runbooks.workspace import Workspace
from propsync.runs import Run, next_run, note_landed, run_status
from propsync.settings import Settings
from propsync.suppression import FORGOTTEN, Erasures
from propsync.warehouse import statement
from propsync.webhook.rows import take_in

_log = logging.getLogger("propsync.run")
_FREQUENT = ("hints",)
"""Runs that leave old files to the next night: there may be hundreds a day, and a base costs as much each time."""


Step = Callable[[], "str | None"]
"""A step; it returns a line about anything that it left behind."""


class Call(Protocol):
    """How a step is called: plainly, or as a Prefect task."""

    def __call__(self, name: str, step: Step) -> None:
        """Runs `step` under a name."""


def plainly(name: str, step: Step) -> None:
    """Runs a step by calling it."""
    _log.debug("step %s", name)
    step()


Work = Callable[[Workspace, Run], "Sequence[str] | None"]
"""The work of a run; it returns a line for each thing that it left behind."""


def _nothing() -> None:
    """Does nothing."""


def framed_run(
    settings: Settings,
    flow: str,
    prepare: Callable[[Workspace], Work],
    *,
    call: Call = plainly,
    policy: RetryPolicy | None = None,
    now: datetime | None = None,
    then: Callable[[], None] = _nothing,
) -> Report:
    """One run under the lock. `prepare` may refuse (UsageError) before the run begins, and returns the run's work.

    `then` is called when the run has published, still under the lock. `now` replaces the clock. Raises StopRun (exit 1)
    and Busy (exit 4); any other failure is in the report.
    """
    try:
        return _framed(settings, flow, prepare, call, policy, now, then)
    except HidingOutgrown as outgrown:
        _log.warning("%s", outgrown)
        return _framed(settings, flow, prepare, call, policy, now, then)


def _framed(
    settings: Settings,
    flow: str,
    prepare: Callable[[Workspace], Work],
    call: Call,
    policy: RetryPolicy | None,
    now: datetime | None,
    then: Callable[[], None],
) -> Report:
    began = time.monotonic()
    with opened_workspace(settings, f"propsync {flow}", policy) as workspace:
        refuse_lost_history(workspace)
        refuse_foreign_landing(workspace, landed := workspace.manifests.all_runs())
        work = prepare(workspace)
        run = next_run(flow, last_time(workspace, now, landed), now)
        ahead = _ahead_of_clock(run, now or datetime.now(UTC))
        for killed in workspace.journal.begin(run):
            _log.warning("run %s was killed; this run merges what it landed completely", killed)
        try:
            lines = _Lines(mended=finish_earlier(workspace, run))
            _do_work(workspace, run, work, lines)
            report = _publish_checked(workspace, run, call, began, lines)
            if run.flow not in _FREQUENT:
                _tidy(workspace, run)
            then()
        except BaseException as error:
            workspace.journal.end(run, "failed", in_one_line(error))
            raise
    return replace(report, notes=[*report.notes, *lines.warned, *ahead, *lines.mended])


@dataclass
class _Lines:
    """Lines about a run for people. `mended` are those of `Publisher.publish`, and `warned` the warnings of checks."""

    mended: list[str]
    left: list[str] = field(default_factory=list)
    """A line for each thing that the run left behind."""
    warned: list[str] = field(default_factory=list)


def _do_work(workspace: Workspace, run: Run, work: Work, lines: _Lines) -> None:
    """The work of a run, between what every run does before it and after it."""
    record_abandoned(workspace, run)
    _begin_with(workspace, run)
    other = other_api(workspace)
    lines.left += work(workspace, run) or ()
    lines.left += [other] if note_api(workspace, run) and other else []
    _hide_the_rest(workspace, run)
    _warn_of_unmatched(workspace)
    workspace.warehouse.empty_staging()


def _publish_checked(workspace: Workspace, run: Run, call: Call, began: float, lines: _Lines) -> Report:
    """Checks the tables, builds what people see of them, ends the run, and publishes unless it failed."""
    withheld = check(workspace, run)
    lines.left += withheld.lines
    lines.warned += withheld.warnings
    pages: dict[str, bytes] = {}
    if run_status(workspace.journal.verdicts(run.run_id)) != "failed":  # else nobody sees them, dated today
        call("marts", lambda: _build_desk(workspace, run, withheld.tables, lines))
        call("dashboard", lambda: _draw(workspace, run, withheld.tables, lines, pages))
    report = _end(workspace, run, began, lines.left)
    if report.status == "failed":
        _note_failure(workspace, run, report)
        lines.warned.clear()  # they send people to tables of this run
    else:
        call("publish", lambda: _publish(workspace, run, withheld.tables, pages, lines.mended))
    return report


def _note_failure(workspace: Workspace, run: Run, report: Report) -> None:
    """Gives `propsync status` the reason, which the published tables cannot have."""
    why = next((counts["error"] for counts in report.resources.values() if counts["error"]), None)
    if why and run.flow not in _FREQUENT:  # those look again in minutes
        workspace.place.note.error = f"nothing could be read: {why}"


def _ahead_of_clock(run: Run, now: datetime) -> list[str]:
    """A line if the clock is far behind the last run: this run has the day of that one, and so have its marts."""
    if run.time - now <= APART:
        return []
    line = (
        f"the last run is of {run.time:%Y-%m-%d %H:%M} UTC, and the clock of this machine is behind it. Until then, "
        "history dates each change with that time, and the marts count days up to it. If the clock was wrong in that "
        "run, restore home from a backup made before it"
    )
    _log.warning("%s", line)
    return [line]


def _begin_with(workspace: Workspace, run: Run) -> None:
    """Takes accepted hints in, without anything that was erased, and brings the list of erasures up to date."""
    take_in(workspace.warehouse, workspace.storage, run.time, with_payloads=workspace.hiding is None)
    if erasures := Erasures(workspace.storage).all():
        note_erasures(workspace.warehouse, erasures)
        if not any(one.text and one.documents for one in erasures if one.state != FORGOTTEN):
            workspace.warehouse.execute(statement("erasing/forget_documents"))


def _tidy(workspace: Workspace, run: Run) -> None:
    """Removes old files; a failure here does not make a run fail that published."""
    try:
        prune(workspace, run)
    except (PropsyncError, OSError) as error:
        _log.error("propsync did not prune landing: %s", in_one_line(error))


def finish_earlier(workspace: Workspace, run: Run) -> list[str]:
    """Merges snapshots that a killed run landed completely, and publishes changes that an earlier run could not.

    Before anything was read there are tables without rows, which look like an empty API. Returns the result of
    `Publisher.publish`.
    """
    merge_earlier(workspace, run)
    if workspace.publisher.is_behind(workspace.warehouse) and workspace.journal.resources_read():
        try:
            withheld = check(workspace, run)
            workspace.place.commit(run.run_id)
            return workspace.publisher.publish(workspace.warehouse, run.run_id, withheld.tables, has_ended=False)
        except CheckFailed as error:
            _log.error("%s", error)  # this run's own checks decide
    return []


def merge_earlier(workspace: Workspace, run: Run) -> None:
    """Merges and builds the snapshots of a killed run: propsync publishes its history and its tables, or neither."""
    for resource in workspace.catalogue.families:
        try:
            ResourceSync(workspace, run, resource).finish_earlier()
        except ResourceFailed as error:
            _log.error("%s", error)  # its tables stay as they were; the other resources continue
    found = (workspace.manifests.sound(name, run_id) for run_id, name in workspace.journal.merged_unknown())
    note_landed(workspace.journal, workspace.warehouse, [one for one in found if one is not None])
    _hide_the_rest(workspace, run)


def _hide_the_rest(workspace: Workspace, run: Run) -> None:
    """Takes out what only all lists together show to be hidden."""
    _refuse_half_hidden(workspace)
    if workspace.hiding is not None:
        forget_contents(workspace.warehouse, workspace.hiding, run.run_id)


def _refuse_half_hidden(workspace: Workspace) -> None:
    """Raises HidingOutgrown before anything is published that a label found now hides."""
    if workspace.hiding is not None and workspace.hiding.is_outgrown:
        raise HidingOutgrown("[privacy] hide", "a field that was shown before is hidden by its label now")


def _warn_of_unmatched(workspace: Workspace) -> None:
    for line in workspace.hiding.warnings() if workspace.hiding else ():
        _log.warning("%s", line)


def _build_desk(workspace: Workspace, run: Run, withheld: Collection[str], lines: _Lines) -> str | None:
    unbuilt = build_desk(workspace, run.run_id, withheld)
    checked = check_marts(workspace, run)
    failed = [*unbuilt, *checked.lines]
    lines.left += failed
    lines.warned += checked.warnings
    return "; ".join(failed) or None


def _draw(
    workspace: Workspace, run: Run, withheld: Collection[str], lines: _Lines, pages: dict[str, bytes]
) -> str | None:
    drawn, failed = draw_dashboard(workspace, run.run_id, withheld)
    pages.update(drawn)
    lines.left += failed
    return "; ".join(failed) or None


def _publish(
    workspace: Workspace, run: Run, withheld: Collection[str], pages: Mapping[str, bytes], mended: list[str]
) -> None:
    workspace.place.commit(run.run_id)
    mended += workspace.publisher.publish(workspace.warehouse, run.run_id, withheld, pages)


def _end(workspace: Workspace, run: Run, began: float, others: Sequence[str]) -> Report:
    verdicts = workspace.journal.verdicts(run.run_id)
    unread = [line for line in workspace.shapes.unread() if line[0] in verdicts]
    in_lists = lists_left_behind(workspace.warehouse, run.run_id)
    status = run_status(verdicts, workspace.journal.held(run.run_id) + len(unread) + len(in_lists) + len(others))
    errors = workspace.journal.errors(run.run_id)
    held = workspace.journal.reasons_held(run.run_id)
    read, left_out = workspace.journal.resources_read(), workspace.journal.left_out(run.run_id)
    lines = left_behind(verdicts, errors, held, run.run_id, read, left_out)
    lines += [*not_understood(unread), *in_lists, *others]
    workspace.journal.end(run, status, "; ".join(lines) or None)
    counts = workspace.journal.counts(run.run_id)
    published = None if status == "failed" else str(workspace.settings.published)
    ordered = {name: counts[name] for name in workspace.catalogue.names if name in counts}
    return Report(run.run_id, status, time.monotonic() - began, ordered, lines, published)
