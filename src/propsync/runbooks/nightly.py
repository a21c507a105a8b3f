"""The nightly run: read each resource, merge what came, build the tables, publish."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from propsync.api import RetryPolicy
from propsync.errors import ApiUnreachable, PropsyncError, ResourceFailed, UsageError
from propsync.log import redact
from propsync.merge import build_reference
from propsync.resources import RESOURCES, SYNCED, Resource
from propsync.runbooks.deletes import Accepted, accepted_run
from propsync.runbooks.family import Family
from propsync.runbooks.report import Report, left_behind
from propsync.runbooks.site import Site
from propsync.runs import Run, next_run, run_status, time_of
from propsync.settings import Settings
from propsync.warehouse import run_checks

_log = logging.getLogger("propsync.nightly")
_SEE_ABOVE = "Mend what stands above, then run again"


class Call(Protocol):
    """How a step is called: plainly, or as a Prefect task."""

    def __call__(self, name: str, step: Callable[[], None]) -> None:
        """Runs `step`, which is called `name`."""


def plainly(name: str, step: Callable[[], None]) -> None:
    """Runs a step by calling it."""
    _log.debug("step %s", name)
    step()


def nightly(
    settings: Settings,
    only: Sequence[str] = (),
    *,
    accept: str | None = None,
    call: Call = plainly,
    flow: str = "nightly",
    policy: RetryPolicy | None = None,
) -> Report:
    """Syncs the resources named by `only`, or all, and publishes; `policy` says how patiently requests are repeated.

    `accept` names a run whose held deletes are to go, those that are still gone.

    Raises UsageError (exit 2), StopRun (exit 1) and Busy (exit 4); whatever else goes wrong is in the report.
    """
    chosen = _chosen(only)
    began = time.monotonic()
    with Site.opened(settings, f"propsync {flow}", policy) as site:
        accepted = accepted_run(site, accept) if accept else None
        run = next_run(flow, max(filter(None, (site.journal.last_time(), _last_landed(site))), default=None))
        for killed in site.journal.begin(run):
            _log.warning("run %s was killed; what it landed whole is merged now", killed)
        try:
            _finish_earlier(site, run)
            build_reference(site.warehouse, run.run_id, site.settings.reference)
            _sync(site, run, chosen, call, accepted)
            for warning in run_checks(site.warehouse, run.run_id):
                _log.warning("%s", warning)
            report = _end(site, run, began)
            if report.status != "failed":
                call("publish", lambda: site.publisher.publish(site.warehouse, run.run_id))
        except BaseException as error:
            site.journal.end(run, "failed", _in_one_line(error))
            raise
    return report


def _last_landed(site: Site) -> datetime | None:
    """The latest run that landed anything, which the journal does not know where the state was lost."""
    runs = [run_id for resource in RESOURCES for run_id in site.manifests.runs(resource)]
    return time_of(max(runs)) if runs else None


def _chosen(only: Sequence[str]) -> list[Resource]:
    known = {resource.name: resource for resource in SYNCED}
    unknown = [name for name in only if name not in known]
    if unknown:
        raise UsageError("--only", f"there is no resource {', '.join(unknown)}", f"Name some of {', '.join(known)}")
    return [resource for resource in SYNCED if not only or resource.name in only]


def _finish_earlier(site: Site, run: Run) -> None:
    """Merges snapshots that a killed run landed whole, and publishes what an earlier run could not."""
    for resource in SYNCED:
        try:
            Family(site, run, resource).finish_earlier()
        except ResourceFailed as error:
            _log.error("%s", error)  # its tables stay as they were; the others are finished
    if site.publisher.is_behind(site.warehouse):
        site.publisher.publish(site.warehouse, run.run_id)


def _sync(site: Site, run: Run, chosen: Sequence[Resource], call: Call, accepted: Accepted | None) -> None:
    unreachable: list[ApiUnreachable] = []

    def sync(resource: Resource) -> None:
        family = Family(site, run, resource, accepted=accepted)
        if unreachable:  # waiting again for a server that is not there would only cost the night
            family.failed(ResourceFailed(resource.name, "not asked for, the API could not be reached", _SEE_ABOVE))
            return
        try:
            family.sync()
        except ResourceFailed as error:
            unreachable.extend([error] if isinstance(error, ApiUnreachable) else [])
            family.failed(error)

    for resource in chosen:
        call(resource.name, lambda resource=resource: sync(resource))  # type: ignore[misc]  # the loop's own resource


def _end(site: Site, run: Run, began: float) -> Report:
    verdicts = site.journal.verdicts(run.run_id)
    status = run_status(verdicts, site.journal.held(run.run_id))
    errors = site.journal.errors(run.run_id)
    lines = left_behind(verdicts, errors, site.journal.reasons_held(run.run_id))
    site.journal.end(run, status, "; ".join(lines) or None)
    counts = site.journal.counts(run.run_id)
    published = None if status == "failed" else str(site.settings.published)
    ordered = {name: counts[name] for name in RESOURCES if name in counts}
    return Report(run.run_id, status, time.monotonic() - began, ordered, lines, published)


def _in_one_line(error: BaseException) -> str:
    words = str(error) if isinstance(error, PropsyncError) else f"{type(error).__name__}: {error}"
    return redact(" ".join(words.split()))  # it stands in a table that people get
