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
from propsync.runbooks.workspace import Workspace
from propsync.runs import Run, time_of
from propsync.storage import PARTIAL

_log = logging.getLogger("propsync.retention")
_UNKNOWN_FORMS: Mapping[str, list[dict[str, Any]]] = {name: [{}] for name in RESOURCES}
"""A rebuild compares such versions again."""
_DAY = timedelta(days=1)
_AT_ONCE = 3  # runs that must be due where history changed: a base of many records is not written every night


def prune(workspace: Workspace, run: Run) -> None:
    """Removes snapshots older than the setting says, after keeping history up to them as a base; then `collect`."""
    base = _whole_base(workspace)
    due = _due(workspace, run, base)
    if due and (len(due) >= _AT_ONCE or _is_quiet(workspace, base, due[-1])):
        _log.info("landing: %d runs up to %s are kept as history alone from now on", len(due), due[-1])
        _write_base(workspace, base, due[-1], _forms(workspace, base, due))
    collect(workspace)


def refuse_lost_history(workspace: Workspace) -> None:
    """Stops a run on a state database that lacks what was published, or what landing alone cannot tell.

    Raises StateUnusable: the run would publish less than people have.
    """
    path, published = str(workspace.warehouse.path), workspace.publisher.note().get("run")
    if workspace.journal.last_time() is None:
        if workspace.bases.newest_run() is not None:
            raise StateUnusable(path, "it knows no run, though history of earlier runs is kept")
        if Blobs(workspace.storage).all():
            raise StateUnusable(path, "it knows no run, though documents of earlier runs are kept")
        if workspace.publisher.is_there():
            raise StateUnusable(path, "it knows no run, though tables of earlier runs are published")
    elif published and not workspace.journal.is_known(str(published)):
        raise StateUnusable(path, f"it does not know run {published}, whose tables are published")


def collect(workspace: Workspace) -> None:
    """Removes what the newest base stands for, and files that nothing names."""
    try:
        base = workspace.bases.newest()
        workspace.bases.keep_only(base)
        for run_id, names in workspace.manifests.all_runs().items():
            for name in names if base is not None and run_id <= base.run_id else ():
                workspace.manifests.delete(name, run_id)
        removed = workspace.pages.keep_only(workspace.manifests.named())
        _log.debug("landing: %d pages that nothing names were removed", removed)
    except ManifestUnreadable as error:  # what it names is not known, so nothing may go
        _log.warning("landing is not cleaned: %s", error)


def _due(workspace: Workspace, run: Run, base: Base | None) -> list[str]:
    """Runs that are old enough and dealt with, oldest first, up to the first that is not."""
    due = []
    for run_id, names in workspace.manifests.all_runs().items():
        if base is not None and run_id <= base.run_id:
            continue
        age = (run.time - time_of(run_id)) / _DAY  # a number: no setting is too large to compare with
        if age <= workspace.settings.landing_keep_days or not all(
            _is_dealt_with(workspace, run_id, name) for name in names
        ):
            break
        due.append(run_id)
    return due


def _is_dealt_with(workspace: Workspace, run_id: str, name: str) -> bool:
    """Merged or passed over: no later run will ask for this snapshot."""
    return workspace.journal.is_merged(run_id, name) or run_id < workspace.journal.latest_merged(name)


def _is_quiet(workspace: Workspace, base: Base | None, until: str) -> bool:
    """Whether the base's history can stand for these runs too."""
    return base is not None and not any(_has_news(workspace, base, name, until) for name in RESOURCES)


def _has_news(workspace: Workspace, base: Base, name: str, until: str) -> bool:
    is_there = f"history.{name}" in base.files
    return not is_there or has_changed(workspace.warehouse, name, time_of(base.run_id), time_of(until))


def _whole_base(workspace: Workspace) -> Base | None:
    """The newest base; propsync writes a damaged one again from the state database, which has the same history.

    Raises BaseLost where the state does not know the base's run.
    """
    until, forms = workspace.bases.newest_run(), _UNKNOWN_FORMS
    if until is None:
        return None
    try:
        if (base := workspace.bases.newest()) is not None:
            forms = base.forms
            workspace.bases.paths(base)
    except BaseLost as error:
        if not workspace.journal.is_known(until):
            raise
        _log.warning("%s: %s. The state database has the same history: it is written again", error.where, error.what)
        return _write_base(workspace, None, until, forms)
    return base


def _write_base(
    workspace: Workspace, before: Base | None, until: str, forms: Mapping[str, list[dict[str, Any]]]
) -> Base:
    files = {f"history.{name}": _history(workspace, before, name, until) for name in RESOURCES}
    for name in CARRIED:
        path = workspace.work / f"{name}.parquet{PARTIAL}"
        carry_out(workspace.warehouse, name, path)
        files[name] = workspace.bases.put_file(until, name, path)
    base = Base(until, files, dict(forms))
    workspace.bases.put(base)
    return base


def _forms(workspace: Workspace, before: Base | None, runs: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """How versions up to these runs were compared. That of a damaged snapshot is not known."""
    found = workspace.manifests.all_runs()
    landed = {(name, run_id): workspace.manifests.sound(name, run_id) for run_id in runs for name in found[run_id]}
    forms = merged_forms(before.forms if before else {}, filter(None, landed.values()))
    for name, _ in (one for one, manifest in landed.items() if manifest is None):
        forms.setdefault(name, []).append({})
    return forms


def _history(workspace: Workspace, before: Base | None, name: str, until: str) -> BaseFile:
    """One history up to a run: the file there is, where nothing came since."""
    if before is not None and not _has_news(workspace, before, name, until):
        return before.files[f"history.{name}"]
    path = workspace.work / f"history.{name}.parquet{PARTIAL}"
    write_history(workspace.warehouse, name, time_of(until), path)
    return workspace.bases.put_file(until, f"history.{name}", path)
