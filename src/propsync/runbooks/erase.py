"""Erases: takes a thing out of everything that tables are made from, and makes the tables again from that."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from secrets import token_bytes
from typing import Any

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
from propsync.errors import BaseLost, ErasureUnfinished, UsageError
from propsync.landing import Inspection
from propsync.merge import ErasedRows
from propsync.runbooks.archive_lock import without_partials
from propsync.runbooks.erase_documents import DocumentSearch
from propsync.runbooks.erase_left import documents_that_name, left_by_erasing, left_in_spellings
from propsync.runbooks.erase_lost import erasures_in, find_lost
from propsync.runbooks.erase_own_lists import own_lists_with, refuse_own_lists
from propsync.runbooks.notice import noticed
from propsync.runbooks.push_abandoned import forget_last_apply
from propsync.runbooks.push_bucket import refuse_sent_elsewhere
from propsync.runbooks.rebuild import rebuild_in
from propsync.runbooks.rebuild_sources import readable_databases
from propsync.runbooks.report import Report
from propsync.runbooks.retention import refuse_lost_history
from propsync.runbooks.workplace import Workplace, blobs_of, workplace
from propsync.runbooks.workspace import WAREHOUSE, Workspace
from propsync.runs import exit_code
from propsync.settings import Settings
from propsync.storage import LocalStorage, refuse_unreadable
from propsync.suppression import DONE, FORGOTTEN, ID, TEXT, Erasure, Erasures, Marker, Suppression
from propsync.warehouse import Warehouse
from propsync.webhook.inbox import Inbox
from propsync.webhook.rows import take_in

_log = logging.getLogger("propsync.erase")
_ALL = 1 << 62  # bytes
_LOOK = "Check the id or the text with `propsync query`, or look in every file with `propsync erase --verify`"
_UNKNOWN = "propsync did not look for other spellings, because it does not keep the text: look with --verify"
_AT_WORK = "A run on documents is at work: its unfinished files may have it until that run ends"


@dataclass(frozen=True)
class Erased:
    """The outcome: `found` are counts by place, or those of `ops.erasures` if it began before. `run` is that of the new
    tables, None for a dry run.
    """

    erasure_id: str | None
    kind: str
    found: Mapping[str, int]
    run: Report | None = None
    notes: list[str] = field(default_factory=list)
    still: list[str] = field(default_factory=list)
    """A line for each place that still has it, or that propsync could not look into."""

    @property
    def status(self) -> str:
        """As in `ops.runs`; attention if anything is left."""
        return "attention" if self.still else self.run.status if self.run else "ok"

    @property
    def left_behind(self) -> list[str]:
        """A line for each thing that is left, and for each that the new tables leave behind."""
        return [*self.still, *(self.run.left_behind if self.run else ())]

    @property
    def exit_code(self) -> int:
        """0, or 3 if anything is left behind."""
        return exit_code(self.status)

    def to_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "erasure_id": self.erasure_id,
            "kind": self.kind,
            "status": self.status,
            "left_behind": self.left_behind,
            "exit_code": self.exit_code,
            "found": dict(self.found),
            "run": self.run.to_json() if self.run else None,
            "notes": self.notes,
        }


def find(settings: Settings, request: Request) -> Erased:
    """Where everything is that `request` would erase; changes nothing. Raises UsageError, Busy, ErasureUnfinished."""
    request.check()
    with workplace(settings, "propsync erase --dry-run") as place:
        storage = LocalStorage(settings.home)
        marker = Erasures(storage).marker() if Erasures(storage).all() else Marker(token_bytes(32))
        erasure, found = _planned(settings, place, request, marker, is_dry_run=True)
        own = list(own_lists_with(settings, Suppression(marker, [erasure])))
    notes = [f"Before you erase, take it out of your own file {one}: propsync does not write it" for one in own]
    return Erased(None, erasure.kind, _by_place(found) | dict.fromkeys(own, 1), notes=notes)


@noticed("erase")
def erase(settings: Settings, request: Request | None) -> Erased:
    """Erases, and publishes the tables without it; None finishes what a killed erasure began.

    Raises UsageError if it is nowhere, ErasureUnfinished if another one has to be finished first, BaseLost if landing
    is damaged, and what a rebuild raises. With a bucket the search at the end raises StorageAway and StorageRefused.
    """
    if request is not None:
        request.check()
    what = "propsync erase"
    with workplace(settings, what, is_erasing=True) as place, without_partials(settings, what) as is_clear:
        unread: list[str] = []
        erasure, counts = _begun(settings, place, request, unread)
        if erasure.state == DONE:
            left = left_in_spellings(settings, request, ())
            left += documents_that_name(settings, place, erasure)
            return Erased(erasure.erasure_id, erasure.kind, counts, None, ["It was erased before"], left)
        _log.info("erasure %s: propsync writes landing again", erasure.erasure_id)
        _rewrite(settings, place, erasure)
        _log.info("erasure %s: propsync makes the tables again", erasure.erasure_id)
        report = rebuild_in(place, settings, flow="erase")
        erasures = Erasures(LocalStorage(settings.home))
        _remove_documents(settings, place, erasure)
        suppression = Suppression(erasures.marker(), [erasure])
        unread += Inbox(LocalStorage(settings.home)).damaged()
        still = [f"{name} cannot be read, so propsync does not know whether it has it" for name in unread]
        still += left_by_erasing(settings, place, request, suppression)
        place.settle()  # the bucket too is without it before anything says so
        kept = next(one for one in erasures.all() if one.erasure_id == erasure.erasure_id)
        erasures.change(kept, state=DONE)
        still += left_in_spellings(settings, request, still)
    notes = [] if is_clear else [_AT_WORK]
    notes += [_UNKNOWN] if request is None and erasure.kind == "text" else []
    return Erased(erasure.erasure_id, erasure.kind, counts, report, notes, still=still)


def forget(settings: Settings, given: str) -> Erasure:
    """Lets an erased thing come back, if the API still shows it: `given` is the erasure's id. Raises UsageError."""
    with workplace(settings, "propsync erase --forget") as place:
        erasures = Erasures(LocalStorage(settings.home))
        known = erasures.all()
        chosen = [one for one in known if one.erasure_id == given]
        if not chosen:
            databases = readable_databases(settings, place.folder).values()
            named = [erasures_in(settings, place.folder, path) for path in databases]
            chosen = [one for one in find_lost(settings, named) if one.erasure_id == given]
        if not chosen and known:
            marker = erasures.marker()
            chosen = [one for one in known if _is_of(marker, one, given)]
            _refuse_several(chosen)
        if not chosen:
            step = 'Take the id from `propsync query "select * from ops.erasures"`'
            raise UsageError("--forget", "there is no such erasure", step)
        return [erasures.change(one, state=FORGOTTEN) for one in chosen][-1]


def _refuse_several(found: list[Erasure]) -> None:
    """Raises UsageError for the id of a field that was erased of several assets: one of them may be meant."""
    active = [one for one in found if one.state != FORGOTTEN]
    if len({(one.kind, *one.marks) for one in active}) > 1:
        what = f"{len(active)} erasures are of this id: {', '.join(one.erasure_id for one in active)}"
        raise UsageError("--forget", what, "Give the id of one of these erasures, as in ops.erasures")


def _is_of(marker: Marker, erasure: Erasure, given: str) -> bool:
    if erasure.text:
        return marker.is_marked(given.strip(), erasure.text)  # as `erase --text` takes it
    return any(marker.is_marked(given, mark) for mark in (erasure.field or erasure.record,) if mark)


def _begun(
    settings: Settings, place: Workplace, request: Request | None, unread: list[str]
) -> tuple[Erasure, Mapping[str, int]]:
    """The erasure to do: a new one, on the disk before anything changes, or the one that was interrupted.

    Also returns its counts: by place as in a dry run, or those of `ops.erasures` if it began before. Adds documents
    that cannot be read to `unread`.
    """
    storage = LocalStorage(settings.home)
    erasures = Erasures(storage)
    unfinished = erasures.unfinished()
    if unfinished is not None:
        if request is not None and not _asks_for(request, unfinished, erasures.marker()):
            raise ErasureUnfinished(str(settings.home), "another erasure was interrupted, and a part of it is done")
        return unfinished, unfinished.counts
    if request is None:
        raise UsageError("--resume", "no erasure was interrupted", "Name what to erase")
    erasure, found = _planned(settings, place, request, erasures.marker())
    unread += found.unread
    if found.is_empty:
        done = [one for one in erasures.all() if one.state == DONE and one.is_same_request(erasure)]
        if done:
            return done[-1], done[-1].counts
        raise UsageError("erase", "nothing in this home has it", _LOOK)
    return erasures.put(erasure), _by_place(found)


def _asks_for(request: Request, erasure: Erasure, marker: Marker) -> bool:
    asked = (
        (request.asset or request.assessment, erasure.record, ID),
        (request.field, erasure.field, ID),
        (request.text and request.text.strip(), erasure.text, TEXT),
    )
    return request.kind == erasure.kind and all(
        (words is None and mark is None) or (words is not None and mark == marker.mark(form, words))
        for words, mark, form in asked
    )


def _planned(
    settings: Settings, place: Workplace, request: Request, marker: Marker, *, is_dry_run: bool = False
) -> tuple[Erasure, Found]:
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
        refuse_needed(warehouse, request, suppression)
        if not is_dry_run:  # to look is no harm
            refuse_own_lists(settings, suppression)
        if suppression.sees(request.reason):
            raise UsageError(
                "--reason", "it names what is to be erased, and the reason stays", "Give a reason without it"
            )
        documents, unread = _documents(settings, place, suppression, warehouse, request)
        tables = dict(search_tables(warehouse, request))
        if request.text is None:  # the pattern finds longer ids too
            seen = dict(tables_with(warehouse, request, suppression))
            tables = {name: tables[name] if tables[name] > LOOKED_AT else rows for name, rows in seen.items()}
        if tables:
            refuse_of_another_kind(warehouse, request)
        found = Found(
            tables=tables,
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
    found = Inspection(workspace.storage, _ALL).damage(())
    if found:
        where, what = found[0].file, found[0].what
        raise BaseLost(where, what, "Restore it from a backup, or accept its loss with `propsync rebuild`, then erase")


def _rewrite(settings: Settings, place: Workplace, erasure: Erasure) -> None:
    storage = LocalStorage(settings.home)
    suppression = Suppression.of(storage)
    landing = ErasedLanding(storage, suppression)
    landing.rewrite()
    _rewrite_earlier(Erasures(storage), suppression)
    OtherFiles(storage, suppression).remove()
    forget_last_apply(settings)
    landing.rewrite_base(place.folder, ErasedRows(suppression), erasure.erasure_id)


def _rewrite_earlier(erasures: Erasures, suppression: Suppression) -> None:
    """Takes it out of what earlier erasures left: their reasons, and the ids of records that they changed."""
    for one in erasures.all():
        same = tuple(same for same in one.same if not suppression.erased_key(same.key[0], same.resource))
        reason = suppression.text(one.reason)
        if (same, reason) != (one.same, one.reason):
            erasures.change(one, same=same, reason=reason)


def _remove_documents(settings: Settings, place: Workplace, erasure: Erasure) -> None:
    with closing(blobs_of(settings, place.folder)) as blobs:
        blobs.remove_by_hash({*erasure.documents})


def _by_place(found: Found) -> dict[str, int]:
    places = {"landing": found.bodies, "documents": len(found.documents), "files": len(found.files)}
    return {name: count for name, count in (places | found.tables).items() if count}
