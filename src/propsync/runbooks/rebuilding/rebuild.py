"""Rebuilds tables and history from landing; the present ones stay until the new ones are complete."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from datetime import datetime
from functools import partial
from pathlib import Path

from propsync.bucket import settle_restored
from propsync.landing import Base, Bases
from propsync.merge.hiding import HiddenField
from propsync.resources import Catalogue
from propsync.runbooks.hiding import install, remove_unnamed_hidden
from propsync.runbooks.notice import noticed
from propsync.runbooks.rebuilding.erased import ErasedSince
from propsync.runbooks.rebuilding.losses import check_run_ids, read_witnesses
from propsync.runbooks.rebuilding.restore import refuse_lost_edition, restored
from propsync.runbooks.rebuilding.sources import (
    find_source,
    knows,
    readable_databases,
    refuse_hidden_shown,
    whole_catalogue,
)
from propsync.runbooks.rebuilding.tables import RebuiltTables
from propsync.runbooks.report import Report
from propsync.runbooks.retention import collect
from propsync.runbooks.workplace import Workplace, workplace
from propsync.runbooks.workspace import WAREHOUSE, Workspace
from propsync.runs import Run
from propsync.settings import Settings
from propsync.storage import PARTIAL, LocalStorage, refuse_unreadable, remove, remove_partials
from propsync.warehouse import statement
from propsync.webhook.next_look import NextLook
from propsync.webhook.rows import Hints


@noticed("rebuild")
def rebuild(settings: Settings, *, accept_loss: Collection[str] = (), now: datetime | None = None) -> Report:
    """Rebuilds the state database from landing and publishes it; it never calls the API.

    `accept_loss` names runs whose versions may be lost. Raises UsageError if nothing is landed, and SettingsError if
    older tables hide parts and propsync.toml is missing. Raises BaseLost if it would lose other versions or the base is
    damaged. Raises Busy, HomeUnusable and CheckFailed too; nothing has changed after any of them.
    """
    check_run_ids(accept_loss)
    with workplace(settings, "propsync rebuild", may_be_behind=True) as place:
        return rebuild_in(place, settings, accept_loss=accept_loss, now=now)


def rebuild_in(
    place: Workplace,
    settings: Settings,
    *,
    accept_loss: Collection[str] = (),
    now: datetime | None = None,
    flow: str = "rebuild",
) -> Report:
    """The same for a caller that holds the lock."""
    began = time.monotonic()
    work = place.folder
    fresh = work / f"rebuild.duckdb{PARTIAL}"
    try:
        contents = restored(place)
        refuse_unreadable(settings.landing)
        databases = readable_databases(settings, work)
        refuse_hidden_shown(settings, work, databases)
        erased = ErasedSince.of(settings, work, databases)
        if flow == "rebuild":  # an erasure itself has done that
            erased.clean(settings, work)
        base = Bases(LocalStorage(settings.home)).newest()
        if place.bucket is not None and contents is not None:
            refuse_lost_edition(place.bucket, databases, partial(knows, settings=settings, work=work))
        catalogue = whole_catalogue(settings, work, base, databases)
        found = _found(settings, work, base, databases, erased, catalogue)
        make = partial(found, accepted=frozenset(accept_loss), now=now, flow=flow)
        rebuilt, run, counts = _built(settings, place, fresh, catalogue, make)
        place.check()
        install(fresh, settings.state / WAREHOUSE)
        if place.bucket is not None and contents is not None:
            settle_restored(place.bucket, contents)
    finally:
        remove_partials(work)
    mended = _publish(settings, place, run, rebuilt, erased)
    seconds = time.monotonic() - began
    left, notes = rebuilt.left_behind, [*rebuilt.notes, *mended]
    return Report(run.run_id, rebuilt.status, seconds, counts, left, str(settings.published), notes=notes)


def _found(
    settings: Settings,
    work: Path,
    base: Base | None,
    databases: dict[str, Path],
    erased: ErasedSince,
    catalogue: Catalogue,
) -> partial[RebuiltTables]:
    """The tables to make from the base, landing, and the rows of older databases without what was erased."""
    source = find_source(settings, work, base, databases)
    erased.rewrite(source.carried)
    witnesses = read_witnesses(settings, work, erased.current(databases), catalogue)

    def settle(workspace: Workspace) -> None:
        erased.settle(workspace, databases)

    return partial(RebuiltTables, base=base, source=source, witnesses=witnesses, settle=settle)


def _built(
    settings: Settings,
    place: Workplace,
    fresh: Path,
    catalogue: Catalogue,
    make: Callable[..., RebuiltTables],
) -> tuple[RebuiltTables, Run, dict[str, dict[str, int]]]:
    """Builds the database `fresh`, again if landing showed more that is hidden; also returns its run and its counts."""
    hidden: frozenset[HiddenField] = frozenset()
    while True:
        with Workspace.offline(settings, place, fresh, catalogue) as workspace:
            rebuilt = make(workspace=workspace, hidden_fields=hidden)
            run, counts = rebuilt.run(), _counts(workspace)
            if workspace.hiding is None or not rebuilt.has_learnt:
                return rebuilt, run, counts
            hidden = workspace.hiding.known_fields
        remove(fresh)


def _publish(settings: Settings, place: Workplace, run: Run, rebuilt: RebuiltTables, erased: ErasedSince) -> list[str]:
    """Publishes the new state and removes what it replaces; returns the result of `Publisher.publish`."""
    with Workspace.offline(settings, place, settings.state / WAREHOUSE) as workspace:
        place.commit(run.run_id)
        mended = workspace.publisher.publish(workspace.warehouse, run.run_id, pages=rebuilt.pages)
        erased.remove_documents(settings, workspace.warehouse)
        NextLook(workspace.storage).note(Hints(workspace.warehouse, run.time, run.run_id).next_look())
        collect(workspace)
    remove_unnamed_hidden(settings, place)  # they may have what was erased since
    return mended


def _counts(workspace: Workspace) -> dict[str, dict[str, int]]:
    names = workspace.catalogue.names
    queries = {name: statement("runbooks/count_versions", resource=name) for name in names}
    rows = {name: workspace.warehouse.rows(query)[0] for name, query in queries.items()}
    return {name: {"records": records, "versions": versions} for name, (records, versions) in rows.items()}
