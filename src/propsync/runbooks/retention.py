"""The contents of landing: the snapshots of some days, a base for all older ones, and no page without a manifest."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from typing import Any

from propsync.documents.blobs import Blobs
from propsync.errors import BaseLost, ManifestUnreadable, StateUnusable
from propsync.landing import Base, BaseFile, manifest_key
from propsync.merge import CARRIED, carry_out, has_changed, knows_erasures, merged_forms, write_history
from propsync.resources import definition_of
from propsync.runbooks.erasure.lost import refuse_lost_erasures
from propsync.runbooks.workspace import Workspace
from propsync.runs import Run, time_of
from propsync.storage import PARTIAL
from propsync.suppression import Erasures
from propsync.warehouse import statement

_log = logging.getLogger("propsync.retention")
_DAY = timedelta(days=1)
_AT_ONCE = 3  # due runs before propsync writes a base although history changed: a large base costs too much every night


def prune(workspace: Workspace, run: Run) -> None:
    """Removes snapshots older than the setting, once a base has the history up to them; then collects."""
    base = _whole_base(workspace)
    due = _due(workspace, run, base)
    if due and (len(due) >= _AT_ONCE or _is_quiet(workspace, base, due[-1])):
        _log.info("landing: propsync now keeps %d runs up to %s as history alone", len(due), due[-1])
        _write_base(workspace, base, due[-1], _forms(workspace, base, due))
    collect(workspace)


def refuse_lost_history(workspace: Workspace) -> None:
    """Stops a run on a state database that lacks published data, or data that landing alone cannot restore.

    Raises StateUnusable: the run would publish less than people have, or what was erased.
    """
    refuse_lost_erasures(workspace.warehouse, workspace.storage)
    path, published = str(workspace.warehouse.path), workspace.publisher.note().get("run")
    until = workspace.bases.newest_run()
    if workspace.journal.last_time() is None:
        if until is not None:
            raise StateUnusable(path, "it holds no run, though history of earlier runs is kept")
        if Blobs(workspace.storage).all():
            raise StateUnusable(path, "it holds no run, though documents of earlier runs are kept")
        if workspace.publisher.is_there():
            raise StateUnusable(path, "it holds no run, though tables of earlier runs are published")
    elif not knows_erasures(workspace.warehouse, Erasures(workspace.storage).all()):
        raise StateUnusable(path, "it is older than an erasure, and may have what was erased")
    elif published and not workspace.journal.is_known(str(published)):
        raise StateUnusable(path, f"it does not hold run {published}, whose tables are published")
    elif until is not None and not workspace.journal.is_known(until):
        raise StateUnusable(
            path, f"it does not hold run {until}, and landing has the history up to it in its base alone"
        )


def collect(workspace: Workspace) -> None:
    """Removes snapshots that the newest base replaces, and files that nothing names."""
    try:
        base = workspace.bases.newest()
        workspace.bases.keep_only(base)
        landed = workspace.manifests.all_runs()
        for run_id, names in landed.items():
            for name in names if base is not None and run_id <= base.run_id else ():
                workspace.manifests.delete(name, run_id)
        _refuse_missing(workspace, base, landed)
        removed = workspace.pages.keep_only(workspace.manifests.named())
        _log.debug("landing: propsync removed %d pages that nothing names", removed)
    except ManifestUnreadable as error:  # propsync cannot know its pages, so it removes none
        _log.warning("propsync did not clean landing: %s", error)


def _refuse_missing(workspace: Workspace, base: Base | None, landed: Mapping[str, Collection[str]]) -> None:
    """Raises ManifestUnreadable if a manifest is gone: it may come back from a backup, and needs its pages then."""
    for run_id, name in workspace.warehouse.rows(statement("runs/expected_snapshots")):
        if (base is None or run_id > base.run_id) and name not in landed.get(run_id, ()):
            raise ManifestUnreadable(manifest_key(name, run_id), "it is missing")


def _due(workspace: Workspace, run: Run, base: Base | None) -> list[str]:
    """Runs that are old enough and merged or passed over, oldest first, up to the first that is not."""
    due = []
    for run_id, names in workspace.manifests.all_runs().items():
        if base is not None and run_id <= base.run_id:
            continue
        age = (run.time - time_of(run_id)) / _DAY  # a number: every setting compares with it
        if age <= workspace.settings.landing_keep_days or not all(
            _is_dealt_with(workspace, run_id, name) for name in names
        ):
            break
        due.append(run_id)
    return due


def _is_dealt_with(workspace: Workspace, run_id: str, name: str) -> bool:
    """Whether it is merged or passed over: no later run will need this snapshot."""
    return workspace.journal.is_merged(run_id, name) or run_id < workspace.journal.latest_merged(name)


def _is_quiet(workspace: Workspace, base: Base | None, until: str) -> bool:
    """Whether the base's history covers these runs too."""
    return base is not None and not any(_has_news(workspace, base, name, until) for name in workspace.catalogue.names)


def _has_news(workspace: Workspace, base: Base, name: str, until: str) -> bool:
    is_held = f"history.{name}" in base.files
    return not is_held or has_changed(workspace.warehouse, name, time_of(base.run_id), time_of(until))


def _whole_base(workspace: Workspace) -> Base | None:
    """The newest base; propsync writes a damaged one again from the state database, which has the same history.

    Raises BaseLost if the state does not know the base's run.
    """
    # a rebuild compares versions of unknown forms again
    until = workspace.bases.newest_run()
    forms: Mapping[str, list[dict[str, Any]]] = {name: [{}] for name in workspace.catalogue.names}
    if until is None:
        return None
    try:
        if (base := workspace.bases.newest()) is not None:
            forms = base.forms
            workspace.bases.paths(base)
    except BaseLost as error:
        if not workspace.journal.is_known(until):
            raise
        _log.warning(
            "%s: %s. The state database has the same history, and propsync writes the file again",
            error.where,
            error.what,
        )
        return _write_base(workspace, None, until, forms)
    return base


def _write_base(
    workspace: Workspace, before: Base | None, until: str, forms: Mapping[str, list[dict[str, Any]]]
) -> Base:
    files = {f"history.{name}": _history(workspace, before, name, until) for name in workspace.catalogue.names}
    for name in CARRIED:
        path = workspace.work / f"{name}.parquet{PARTIAL}"
        carry_out(workspace.warehouse, name, path)
        files[name] = workspace.bases.put_file(until, name, path)
    definitions = {one.name: definition_of(one) for one in workspace.catalogue.further}
    base = Base(until, files, dict(forms), definitions)
    workspace.bases.put(base)
    return base


def _forms(workspace: Workspace, before: Base | None, runs: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """How propsync compared versions up to these runs; unknown for a damaged snapshot."""
    found = workspace.manifests.all_runs()
    landed = {(name, run_id): workspace.manifests.sound(name, run_id) for run_id in runs for name in found[run_id]}
    forms = merged_forms(before.forms if before else {}, filter(None, landed.values()))
    for name, _ in (one for one, manifest in landed.items() if manifest is None):
        forms.setdefault(name, []).append({})
    return forms


def _history(workspace: Workspace, before: Base | None, name: str, until: str) -> BaseFile:
    """One history up to a run: the base's file, if nothing has come since."""
    if before is not None and not _has_news(workspace, before, name, until):
        return before.files[f"history.{name}"]
    path = workspace.work / f"history.{name}.parquet{PARTIAL}"
    write_history(workspace.warehouse, name, time_of(until), path, workspace.hiding)
    return workspace.bases.put_file(until, f"history.{name}", path)
