"""Erases: takes a thing out of everything that tables are made from, and makes the tables again from that."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from secrets import token_bytes
from typing import Any

from propsync.erasing.files import OtherFiles
from propsync.erasing.landed import ErasedLanding
from propsync.erasing.request import Request
from propsync.errors import ErasureUnfinished, UsageError
from propsync.merge import ErasedRows
from propsync.runbooks.archiving.lock import without_partials
from propsync.runbooks.erasure.left import documents_that_name, left_by_erasing, left_in_spellings
from propsync.runbooks.erasure.own_lists import own_lists_with
from propsync.runbooks.erasure.planned import by_place, planned
from propsync.runbooks.notice import noticed
from propsync.runbooks.push.abandoned import forget_last_apply
from propsync.runbooks.rebuilding.rebuild import rebuild_in
from propsync.runbooks.report import Report
from propsync.runbooks.workplace import Workplace, blobs_of, workplace
from propsync.runs import exit_code
from propsync.settings import Settings
from propsync.storage import LocalStorage
from propsync.suppression import DONE, ID, TEXT, Erasure, Erasures, Marker, Suppression
from propsync.webhook.inbox import Inbox

_log = logging.getLogger("propsync.erase")
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
        erasure, found = planned(settings, place, request, marker, is_dry_run=True)
        own = list(own_lists_with(settings, Suppression(marker, [erasure])))
    notes = [f"Before you erase, take it out of your own file {one}: propsync does not write it" for one in own]
    return Erased(None, erasure.kind, by_place(found) | dict.fromkeys(own, 1), notes=notes)


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
    erasure, found = planned(settings, place, request, erasures.marker())
    unread += found.unread
    if found.is_empty:
        done = [one for one in erasures.all() if one.state == DONE and one.is_same_request(erasure)]
        if done:
            return done[-1], done[-1].counts
        raise UsageError("erase", "nothing in this home has it", _LOOK)
    return erasures.put(erasure), by_place(found)


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
