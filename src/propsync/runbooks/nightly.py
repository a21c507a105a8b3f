"""The nightly run: read each resource, merge what came, build the tables, publish."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from propsync.api import RetryPolicy
from propsync.errors import ApiUnreachable, ResourceFailed, UsageError
from propsync.merge import build_reference, note_orphans
from propsync.resources import SYNCED, Resource
from propsync.runbooks.deletes import accepted_run
from propsync.runbooks.family import Family
from propsync.runbooks.one_run import Call, Work, one_run, plainly
from propsync.runbooks.report import Report
from propsync.runbooks.site import Site
from propsync.runs import Run
from propsync.settings import Settings

_SEE_ABOVE = "Mend what stands above, then run again"


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
    """Syncs the resources named by `only`, or all, and publishes; `policy` says how patiently requests are repeated.

    `accept` names a run whose held deletes are to go, those that are still gone. `now` stands in for the clock.
    Raises UsageError (exit 2), StopRun (exit 1) and Busy (exit 4); whatever else goes wrong is in the report.
    """
    chosen = _chosen(only)

    def prepare(site: Site) -> Work:
        accepted = accepted_run(site, accept) if accept else None

        def work(site: Site, run: Run) -> None:
            build_reference(site.warehouse, run.run_id, site.settings.reference)
            families = [Family(site, run, resource, accepted=accepted) for resource in chosen]
            sync_all(families, call)
            note_orphans(site.warehouse, run.run_id, site.settings.reference)

        return work

    return one_run(settings, flow, prepare, call=call, policy=policy, now=now)


def _chosen(only: Sequence[str]) -> list[Resource]:
    known = {resource.name: resource for resource in SYNCED}
    unknown = [name for name in only if name not in known]
    if unknown:
        raise UsageError("--only", f"there is no resource {', '.join(unknown)}", f"Name some of {', '.join(known)}")
    return [resource for resource in SYNCED if not only or resource.name in only]


def sync_all(families: Sequence[Family], call: Call = plainly) -> None:
    """Syncs one after the other; one that fails keeps yesterday's rows, and the others go on."""
    unreachable: list[ApiUnreachable] = []

    def sync(family: Family) -> str | None:
        if unreachable:  # waiting again for a server that is not there would only cost the night
            return family.failed(ResourceFailed(family.name, "not asked for, the API could not be reached", _SEE_ABOVE))
        try:
            family.sync()
        except ResourceFailed as error:
            unreachable.extend([error] if isinstance(error, ApiUnreachable) else [])
            return family.failed(error)
        return None

    for family in families:
        call(family.name, lambda family=family: sync(family))  # type: ignore[misc]  # the loop's own family
