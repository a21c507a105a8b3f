"""The nightly run: reads each resource, merges the answers, builds the tables, publishes."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from propsync.api import RetryPolicy
from propsync.errors import ApiUnreachable, ResourceFailed, UsageError
from propsync.merge import build_reference, finish_reference
from propsync.resources import Catalogue, Resource
from propsync.runbooks.deletes import accepted_run
from propsync.runbooks.hints.by_night import settle_by_night
from propsync.runbooks.landing_damage import damage_in_landing
from propsync.runbooks.rebuilding.catching_up import caught_up
from propsync.runbooks.report import Report
from propsync.runbooks.resource_sync import ResourceSync
from propsync.runbooks.run_frame import Call, Work, framed_run, plainly
from propsync.runbooks.workspace import Workspace, configured_catalogue
from propsync.runs import Run
from propsync.settings import Settings

_log = logging.getLogger("propsync.sync")
_SEE_ABOVE = "Fix the errors above, then run again"


def nightly(
    settings: Settings,
    only: Sequence[str] = (),
    *,
    accept: str | None = None,
    call: Call = plainly,
    flow: str = "nightly",
    policy: RetryPolicy | None = None,
    now: datetime | None = None,
) -> Report:
    """Syncs the resources in `only`, or all, and publishes; `policy` sets the patience of retries.

    `accept` names a run whose held deletes to carry out if the records are still gone. `now` replaces the clock. Raises
    UsageError (exit 2), StopRun (exit 1) and Busy (exit 4); the report has every other failure.
    """
    chosen = _chosen(configured_catalogue(settings), only)
    notes: list[str] = []

    def prepare(workspace: Workspace) -> Work:
        accepted = accepted_run(workspace, accept) if accept is not None else None

        def work(workspace: Workspace, run: Run) -> None:
            notes[:] = build_reference(workspace.warehouse, run.run_id, workspace.settings.reference)
            _warn_of_dropped(workspace)
            syncs = [ResourceSync(workspace, run, resource, accepted=accepted) for resource in chosen]
            sync_all(syncs, call)
            notes.extend(line for one in syncs for line in one.notes)
            finish_reference(workspace.warehouse, run.run_id, workspace.settings.reference)
            settle_by_night(workspace, run)
            damaged = damage_in_landing(workspace)
            for line in damaged:
                _log.warning("%s", line)
            notes.extend(damaged)

        return work

    run = partial(framed_run, settings, flow, prepare, call=call, policy=policy, now=now)
    report = caught_up(settings, run)
    return replace(report, notes=[*report.notes, *notes, *([] if only else _nothing_listed(report))])


def _chosen(catalogue: Catalogue, only: Sequence[str]) -> list[Resource]:
    known = [resource.name for resource in catalogue.synced]
    unknown = [name for name in only if name not in known]
    if unknown:
        raise UsageError("--only", f"there is no resource {', '.join(unknown)}", f"Name some of {', '.join(known)}")
    return [resource for resource in catalogue.synced if not only or resource.name in only]


def _nothing_listed(report: Report) -> list[str]:
    """A line if every list is empty: a token without rights looks the same as an organisation without records."""
    if report.status != "ok" or any(counts["fetched"] for counts in report.resources.values()):
        return []
    line = (
        "the API listed no record of any kind. If your organisation has some, this token may not see them: "
        "ask the person who made the token"
    )
    _log.warning("%s", line)
    return [line]


def _warn_of_dropped(workspace: Workspace) -> None:
    for one in workspace.catalogue.dropped:
        _log.warning("%s: propsync.toml no longer names this list, so its tables stay as they are", one.words)


def sync_all(syncs: Sequence[ResourceSync], call: Call = plainly) -> None:
    """Syncs one after the other; one that fails keeps its rows, and the others continue."""
    unreachable: list[ApiUnreachable] = []

    def sync(one: ResourceSync) -> str | None:
        if unreachable:  # waiting again for an unreachable server would only cost the night
            what = "propsync did not ask for it, because it could not reach the API"
            return one.failed(ResourceFailed(f"GET {one.path}", what, _SEE_ABOVE))
        try:
            one.sync()
        except ResourceFailed as error:
            unreachable.extend([error] if isinstance(error, ApiUnreachable) else [])
            return one.failed(error)
        return None

    for one in syncs:
        call(one.name, lambda one=one: sync(one))  # type: ignore[misc]  # the loop's own resource
