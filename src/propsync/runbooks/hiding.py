"""Brings a state in line with `[privacy] hide`: a new file with all of history cut, or whole again."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

from propsync.merge import (
    HIDDEN_FILES,
    Carried,
    Hiding,
    build_reference,
    check_lines,
    finish_reference,
    keep_erased,
    mark_of,
    read_history,
    remembered,
)
from propsync.resources import ASSESSMENT_TYPES, ASSET_TYPES, Catalogue
from propsync.runbooks.desk import build_desk
from propsync.runbooks.erasure.lost import erasures_in, find_lost, refuse
from propsync.runbooks.last_time import last_time
from propsync.runbooks.rebuilding.sources import unnamed_lists, whole_catalogue
from propsync.runbooks.resource_sync import ResourceSync
from propsync.runbooks.workplace import Workplace
from propsync.runbooks.workspace import WAREHOUSE, Workspace, configured_catalogue
from propsync.runs import mark_all, next_run
from propsync.settings import Settings
from propsync.storage import PARTIAL, files_named, remove, remove_partials, replace
from propsync.suppression import Erasures
from propsync.warehouse import Warehouse, resource_fragments, settle_file, statement, text, write_rows

_log = logging.getLogger("propsync.hide")


def settle_hiding(settings: Settings, place: Workplace) -> None:
    """Cuts all of history by the present lines, or restores it, if the state hides anything else.

    The new state replaces the old one in one step, so a run that is killed before that changes nothing. Raises
    SettingsError for a line that cannot be hidden, StateUnusable if the file of hidden records is missing.
    """
    state = settings.state / WAREHOUSE
    lines = settings.privacy.hide
    if not state.exists() or not (lines or files_named(settings.state, HIDDEN_FILES)):
        return
    catalogue = whole_catalogue(settings, place.folder, None, {"state": state})
    check_lines(lines, catalogue)
    whole = _whole(settings, place, state, catalogue)
    if whole is None:
        return
    refuse(find_lost(settings, [erasures_in(settings, place.folder, state)]))
    _log.info("[privacy] hide has changed: propsync writes its tables again")
    fresh = place.folder / f"hide.duckdb{PARTIAL}"
    _write(settings, place, fresh, catalogue, whole)
    install(fresh, state)
    remove_partials(place.folder)
    _remove_others(settings, state, catalogue, place)


def _whole(settings: Settings, place: Workplace, state: Path, catalogue: Catalogue) -> Mapping[str, Path] | None:
    """Files with the whole history of each resource; None if the state hides what it should."""
    lines = settings.privacy.hide
    with Warehouse(state, memory_limit=settings.memory_limit, folder=place.folder, catalogue=catalogue) as old:
        known = remembered(old)
        hiding = Hiding.attached(old, lines)
        _remove_unnamed(settings, known[0] if known else None)
        if (known[1] if known else None) == (mark_of(lines) if lines else None) and not (hiding and hiding.is_outgrown):
            return None
        if known is None and old.value(statement("merge/latest_run")) is None:
            return None  # nothing is known yet: the run that is about to begin hides from the start
        files = {}
        for one in old.catalogue:
            files[one.name] = place.folder / f"whole.{one.name}.parquet{PARTIAL}"
            relation = hiding.whole_history(one) if hiding else resource_fragments(one)["history"]
            write_rows(old, statement("merge/hidden/all_of_history", history=relation), files[one.name])
        return files


def _write(settings: Settings, place: Workplace, fresh: Path, catalogue: Catalogue, whole: Mapping[str, Path]) -> None:
    """Makes a new state from the whole history and the run log."""
    for line in unnamed_lists(settings.state / WAREHOUSE, settings, place.folder):
        _log.warning("%s", line)
    carried = Carried.from_database(
        settings.state / WAREHOUSE,
        memory_limit=settings.memory_limit,
        folder=place.folder,
        state=settings.state,
        lists=settings.reference,
    )
    with Workspace.offline(settings, place, fresh, catalogue) as workspace:
        warehouse, hiding = workspace.warehouse, workspace.hiding
        carried.write_shapes(warehouse)
        if hiding:
            learn_from(workspace, hiding, whole)
        for name, path in whole.items():
            read_history(warehouse, name, path, hiding, workspace.shapes.get(name))
        carried.write_into(warehouse, hiding)
        run = next_run("hide", last_time(workspace))
        workspace.journal.begin(run)
        build_reference(warehouse, run.run_id, settings.reference)
        if erasures := Erasures(workspace.storage).all():
            keep_erased(warehouse, erasures, hides=hiding is not None)
        carried.write_late(warehouse, hiding)
        for resource in workspace.catalogue.families:
            ResourceSync(workspace, run, resource).build()
        finish_reference(warehouse, run.run_id, settings.reference)
        carried.settle_changes(warehouse, run.run_id, hiding)
        mark_all(warehouse, run)
        for line in build_desk(workspace, run.run_id):
            _log.warning("%s", line)  # the run that follows builds what is behind
        workspace.journal.end(run, "ok", None)
        warehouse.checkpoint()


def learn_from(workspace: Workspace, hiding: Hiding, whole: Mapping[str, Path]) -> None:
    """Finds the hidden fields and types in every version of types, before any row is shown."""
    for types in (ASSET_TYPES, ASSESSMENT_TYPES):
        if types.name in whole:
            query = statement("merge/hidden/payloads_of", file=text(str(whole[types.name])))
            payloads = [payload.encode() for (payload,) in workspace.warehouse.rows(query)]
            hiding.learn(types, payloads, workspace.shapes.get(types.name))


def install(fresh: Path, state: Path) -> None:
    """Replaces the old database by the new one in one step; the old one stays whole until then."""
    wal = state.with_name(f"{state.name}.wal")
    if wal.exists() and state.exists():
        settle_file(state)
    remove(wal)  # of a database that does not open: the new one must not use it
    replace(fresh, state)


def remove_unnamed_hidden(settings: Settings, place: Workplace) -> None:
    """Removes files of hidden records that the present state does not name."""
    _remove_others(settings, settings.state / WAREHOUSE, configured_catalogue(settings), place)


def _remove_others(settings: Settings, state: Path, catalogue: Catalogue, place: Workplace) -> None:
    with Warehouse(state, memory_limit=settings.memory_limit, folder=place.folder, catalogue=catalogue) as new:
        known = remembered(new)
    _remove_unnamed(settings, known[0] if known else None)


def _remove_unnamed(settings: Settings, named: str | None) -> None:
    """Removes files of hidden records that no state names: a killed run left them."""
    for path in files_named(settings.state, f"{HIDDEN_FILES}*"):
        if named is None or not path.name.startswith(named):
            remove(path)
