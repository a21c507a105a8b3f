"""What landing keeps: the snapshots of some days, a base in the place of older ones, and no page that nothing names."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from propsync.documents.blobs import Blobs
from propsync.errors import BaseLost, ManifestUnreadable, StateUnusable
from propsync.landing import Base, BaseFile
from propsync.merge import CARRIED, carry_out, has_changed, merged_forms, write_history
from propsync.resources import RESOURCES
from propsync.runbooks.site import Site
from propsync.runs import Run, time_of
from propsync.storage import PARTIAL

_log = logging.getLogger("propsync.retention")
_UNKNOWN_FORMS: Mapping[str, list[dict[str, Any]]] = {name: [{}] for name in RESOURCES}
"""A rebuild compares such versions again."""
_DAY = timedelta(days=1)
_AT_ONCE = 3  # runs that must be due where history changed: a base of many records is not written every night


def prune(site: Site, run: Run) -> None:
    """Removes snapshots older than the setting says, after keeping history up to them as a base; then `collect`."""
    base = _whole_base(site)
    due = _due(site, run, base)
    if due and (len(due) >= _AT_ONCE or _is_quiet(site, base, due[-1])):
        _log.info("landing: %d runs up to %s are kept as history alone from now on", len(due), due[-1])
        _write_base(site, base, due[-1], _forms(site, base, due))
    collect(site)


def refuse_lost_history(site: Site) -> None:
    """Stops a run on a state database that lacks what was published, or what landing alone cannot tell.

    Raises StateUnusable: the run would publish less than people have.
    """
    path, published = str(site.warehouse.path), site.publisher.note().get("run")
    if site.journal.last_time() is None:
        if site.bases.newest_run() is not None:
            raise StateUnusable(path, "it knows no run, though history of earlier runs is kept")
        if Blobs(site.storage).all():
            raise StateUnusable(path, "it knows no run, though documents of earlier runs are kept")
        if site.publisher.is_there():
            raise StateUnusable(path, "it knows no run, though tables of earlier runs are published")
    elif published and not site.journal.is_known(str(published)):
        raise StateUnusable(path, f"it does not know run {published}, whose tables are published")


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
    due = []
    for run_id, names in site.manifests.all_runs().items():
        if base is not None and run_id <= base.run_id:
            continue
        age = (run.time - time_of(run_id)) / _DAY  # a number: no setting is too large to compare with
        if age <= site.settings.landing_keep_days or not all(_is_dealt_with(site, run_id, name) for name in names):
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


def _whole_base(site: Site) -> Base | None:
    """The newest base; propsync writes a damaged one again from the state database, which has the same history.

    Raises BaseLost where the state does not know the base's run.
    """
    until, forms = site.bases.newest_run(), _UNKNOWN_FORMS
    if until is None:
        return None
    try:
        if (base := site.bases.newest()) is not None:
            forms = base.forms
            site.bases.paths(base)
    except BaseLost as error:
        if not site.journal.is_known(until):
            raise
        _log.warning("%s: %s. The state database has the same history: it is written again", error.where, error.what)
        return _write_base(site, None, until, forms)
    return base


def _write_base(site: Site, before: Base | None, until: str, forms: Mapping[str, list[dict[str, Any]]]) -> Base:
    files = {f"history.{name}": _history(site, before, name, until) for name in RESOURCES}
    for name in CARRIED:
        path = site.work / f"{name}.parquet{PARTIAL}"
        carry_out(site.warehouse, name, path)
        files[name] = site.bases.put_file(until, name, path)
    base = Base(until, files, dict(forms))
    site.bases.put(base)
    return base


def _forms(site: Site, before: Base | None, runs: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """How versions up to these runs were compared. That of a damaged snapshot is not known."""
    found = site.manifests.all_runs()
    landed = {(name, run_id): site.manifests.sound(name, run_id) for run_id in runs for name in found[run_id]}
    forms = merged_forms(before.forms if before else {}, filter(None, landed.values()))
    for name, _ in (one for one, manifest in landed.items() if manifest is None):
        forms.setdefault(name, []).append({})
    return forms


def _history(site: Site, before: Base | None, name: str, until: str) -> BaseFile:
    """One history up to a run: the file there is, where nothing came since."""
    if before is not None and not _has_news(site, before, name, until):
        return before.files[f"history.{name}"]
    path = site.work / f"history.{name}.parquet{PARTIAL}"
    write_history(site.warehouse, name, time_of(until), path)
    return site.bases.put_file(until, f"history.{name}", path)
