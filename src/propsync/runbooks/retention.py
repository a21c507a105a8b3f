"""What landing keeps: the snapshots of some days, a base in the place of older ones, and no page that nothing names."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import timedelta

from propsync.documents.blobs import Blobs
from propsync.errors import ManifestUnreadable, StateUnusable
from propsync.landing import Base, BaseFile, Manifest
from propsync.merge import CARRIED, carry_out, has_changed, merged_forms, write_history
from propsync.resources import RESOURCES
from propsync.runbooks.site import Site
from propsync.runs import Run, time_of
from propsync.storage import PARTIAL

_log = logging.getLogger("propsync.retention")
_AT_ONCE = 3  # runs that must be due where history changed: a base of many records is not written every night


def prune(site: Site, run: Run) -> None:
    """Removes snapshots older than the setting says, after keeping history up to them as a base; then `collect`."""
    base = site.bases.newest()
    due = _due(site, run, base)
    if due and (len(due) >= _AT_ONCE or _is_quiet(site, base, due[-1])):
        _log.info("landing: %d runs up to %s are kept as history alone from now on", len(due), due[-1])
        _write_base(site, base, due)
    collect(site)


def refuse_lost_history(site: Site) -> None:
    """A new database would begin where landing begins, and what landing does not tell would be lost.

    Raises StateUnusable where that is history up to a base, or documents.
    """
    if site.journal.last_time() is not None:
        return
    if site.bases.newest() is not None:
        raise StateUnusable(str(site.warehouse.path), "it knows no run, though history of earlier runs is kept")
    if Blobs(site.storage).all():
        raise StateUnusable(str(site.warehouse.path), "it knows no run, though documents of earlier runs are kept")


def collect(site: Site) -> None:
    """Removes what the newest base stands for, and files that nothing names."""
    try:
        base = site.bases.newest()
        site.bases.keep_only(base)
        for run_id, names in site.manifests.all_runs().items():
            for name in names if base is not None and run_id <= base.run_id else ():
                site.manifests.delete(name, run_id)
        removed = site.pages.keep_only(site.manifests.named())
        _log.debug("landing: %d pages that nothing names were removed", removed)
    except ManifestUnreadable as error:  # what it names is not known, so nothing may go
        _log.warning("landing is not cleaned: %s", error)


def _due(site: Site, run: Run, base: Base | None) -> list[str]:
    """Runs that are old enough and dealt with, oldest first, up to the first that is not."""
    before = run.time - timedelta(days=site.settings.landing_keep_days)
    due = []
    for run_id, names in site.manifests.all_runs().items():
        if base is not None and run_id <= base.run_id:
            continue
        if time_of(run_id) >= before or not all(_is_dealt_with(site, run_id, name) for name in names):
            break
        due.append(run_id)
    return due


def _is_dealt_with(site: Site, run_id: str, name: str) -> bool:
    """Merged or passed over: no later run will ask for this snapshot."""
    return site.journal.is_merged(run_id, name) or run_id < site.journal.latest_merged(name)


def _is_quiet(site: Site, base: Base | None, until: str) -> bool:
    """Whether the base's history can stand for these runs too."""
    return base is not None and not any(_has_news(site, base, name, until) for name in RESOURCES)


def _has_news(site: Site, base: Base, name: str, until: str) -> bool:
    is_there = f"history.{name}" in base.files
    return not is_there or has_changed(site.warehouse, name, time_of(base.run_id), time_of(until))


def _write_base(site: Site, before: Base | None, due: Sequence[str]) -> None:
    until = due[-1]
    files = {f"history.{name}": _history(site, before, name, until) for name in RESOURCES}
    for name in CARRIED:
        path = site.work / f"{name}.parquet{PARTIAL}"
        carry_out(site.warehouse, name, path)
        files[name] = site.bases.put_file(until, name, path)
    forms = merged_forms(before.forms if before else {}, _manifests(site, due))
    site.bases.put(Base(until, files, forms))


def _history(site: Site, before: Base | None, name: str, until: str) -> BaseFile:
    """One history up to a run: the file there is, where nothing came since."""
    if before is not None and not _has_news(site, before, name, until):
        return before.files[f"history.{name}"]
    path = site.work / f"history.{name}.parquet{PARTIAL}"
    write_history(site.warehouse, name, time_of(until), path)
    return site.bases.put_file(until, f"history.{name}", path)


def _manifests(site: Site, runs: Sequence[str]) -> list[Manifest]:
    found = site.manifests.all_runs()
    return [one for run_id in runs for name in found[run_id] if (one := site.manifests.get(name, run_id))]
