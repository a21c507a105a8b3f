"""Plans an erasure: finds the thing in tables, landing, documents and other files."""

from __future__ import annotations

import logging
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime

from propsync.documents.verification import Verification
from propsync.documents.worker.client import WorkerPool
from propsync.erasing.files import OtherFiles
from propsync.erasing.landed import ErasedLanding
from propsync.erasing.refusals import refuse_needed, refuse_of_another_kind
from propsync.erasing.request import Request
from propsync.erasing.search import (
    LOOKED_AT,
    Found,
    erased_documents,
    erased_versions,
    search_tables,
    tables_with,
)
from propsync.errors import BaseLost, UsageError
from propsync.landing import Inspection
from propsync.runbooks.erasure.documents import DocumentSearch
from propsync.runbooks.erasure.own_lists import refuse_own_lists
from propsync.runbooks.push.bucket import refuse_sent_elsewhere
from propsync.runbooks.retention import refuse_lost_history
from propsync.runbooks.workplace import Workplace, blobs_of
from propsync.runbooks.workspace import WAREHOUSE, Workspace
from propsync.settings import Settings
from propsync.storage import LocalStorage, refuse_unreadable
from propsync.suppression import Erasure, Marker, Suppression
from propsync.warehouse import Warehouse, statement
from propsync.webhook.inbox import Inbox
from propsync.webhook.rows import take_in

_log = logging.getLogger("propsync.erase")
_ALL = 1 << 62  # bytes
_PRUNE = (
    "Restore it from a backup, then erase. Without a backup, set PROPSYNC_LANDING_KEEP_DAYS to fewer days than its "
    "age, and run `propsync sync`: the tables' history takes its place. Then erase"
)


def planned(
    settings: Settings, place: Workplace, request: Request, marker: Marker, *, is_dry_run: bool = False
) -> tuple[Erasure, Found]:
    """The erasure that a request asks for, with its counts, and all that it has to change.

    Raises UsageError, also if the tables need what it names, and BaseLost if landing is damaged.
    """
    state = settings.state / WAREHOUSE
    if not state.exists():
        raise UsageError("erase", "this home has no tables yet", "Run `propsync sync`")
    with Workspace.offline(settings, place, state) as workspace:
        refuse_lost_history(workspace)
        _refuse_damage(workspace)
        warehouse = workspace.warehouse
        if not is_dry_run:  # posts on the disk are encoded: no search would find anything in them
            take_in(warehouse, workspace.storage, datetime.now(UTC), with_payloads=workspace.hiding is None)
        erasure = request.erasure(marker, warehouse)
        storage, suppression = LocalStorage(settings.home), Suppression(marker, [erasure])
        _refuse(settings, warehouse, request, suppression, is_dry_run=is_dry_run)
        documents, unread = _documents(settings, place, suppression, warehouse, request)
        found = Found(
            tables=_tables(warehouse, request, suppression),
            histories=frozenset(f"history.{name}" for name in workspace.catalogue.names),
            documents=documents,
            unread=unread,
            versions=list(erased_versions(warehouse, workspace.catalogue, request)),
        )
    others = OtherFiles(storage, suppression)
    others.refuse_unfinished()
    refuse_sent_elsewhere(place, suppression)
    found.bodies = ErasedLanding(storage, suppression).count()
    found.files = [*others.found(), *_posts_with(storage, suppression)]
    if request.assessment:
        found.documents = sorted({*found.documents, *others.documents(request.assessment)})
    whole = replace(erasure, counts=found.counts(), versions=tuple(found.versions), documents=tuple(found.documents))
    return whole, found


def _refuse(
    settings: Settings, warehouse: Warehouse, request: Request, suppression: Suppression, *, is_dry_run: bool
) -> None:
    refuse_needed(warehouse, request, suppression)
    if not is_dry_run:  # to look is no harm
        refuse_own_lists(settings, suppression)
    if suppression.sees(request.reason):
        what = "it names what is to be erased, and the reason stays"
        raise UsageError("--reason", what, "Give a reason without it")


def _tables(warehouse: Warehouse, request: Request, suppression: Suppression) -> dict[str, int]:
    """The rows of each table that has it. Raises UsageError if the id is of another kind."""
    tables = dict(search_tables(warehouse, request))
    if request.text is None:  # the pattern finds longer ids too
        seen = dict(tables_with(warehouse, request, suppression))
        tables = {name: tables[name] if tables[name] > LOOKED_AT else rows for name, rows in seen.items()}
    if tables:
        refuse_of_another_kind(warehouse, request)
    return tables


def _posts_with(storage: LocalStorage, suppression: Suppression) -> list[str]:
    """The files of accepted posts that have it, and that no run has taken in."""
    inbox = Inbox(storage)
    return [
        key
        for key in inbox.files()
        if any(suppression.sees(post.body.decode("utf-8", "replace"), is_json=True) for post in inbox.read(key) or ())
    ]


def _documents(
    settings: Settings, place: Workplace, suppression: Suppression, warehouse: Warehouse, request: Request
) -> tuple[list[str], list[str]]:
    """The hashes of documents to remove, and the names of those that cannot be read.

    A killed archive run may have left a document of an assessment that no table has.
    """
    if request.text is None and request.assessment is None:
        return [], []
    with WorkerPool() as pdf, closing(blobs_of(settings, place.folder)) as blobs:
        search = DocumentSearch(blobs, suppression, pdf, place.folder)
        if request.text is None:
            unnamed = Verification(warehouse).unnamed(blobs.all())
            found = sorted({*erased_documents(warehouse, request), *search.among(unnamed)})
        else:
            found = search.found(warehouse, request.words)
    for name in search.unread:
        _log.warning("%s cannot be read, so propsync does not know whether it has it", name)
    return found, search.unread


def _refuse_damage(workspace: Workspace) -> None:
    """Raises BaseLost if landing is damaged: the tables could not be made again from it. Raises HomeUnusable too."""
    refuse_unreadable(workspace.settings.landing)
    expected = workspace.warehouse.rows(statement("runs/expected_snapshots"))
    found = Inspection(workspace.storage, _ALL).damage([(run_id, name) for run_id, name in expected])
    if found:
        raise BaseLost(found[0].file, found[0].what, _PRUNE)


def by_place(found: Found) -> dict[str, int]:
    """How often each place has it, without those that have nothing."""
    places = {"landing": found.bodies, "documents": len(found.documents), "files": len(found.files)}
    return {name: count for name, count in (places | found.tables).items() if count}
