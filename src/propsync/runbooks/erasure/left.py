"""A line for each thing that still has it after an erasure, or that propsync could not read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing

from propsync.documents.worker.client import WorkerPool
from propsync.erasing.files import OtherFiles
from propsync.erasing.request import Request
from propsync.erasing.search import tables_with
from propsync.runbooks.erasure.documents import DocumentSearch, documents_naming
from propsync.runbooks.erasure.verify import look_after_erasing
from propsync.runbooks.workplace import Workplace, blobs_of
from propsync.runbooks.workspace import WAREHOUSE, Workspace
from propsync.settings import Settings
from propsync.storage import LocalStorage
from propsync.suppression import Erasure, Erasures, Suppression
from propsync.traces import Needle, Place
from propsync.warehouse import statement

_SHOWN = 3
_NEXT = "Look with `propsync erase --verify`, with the same option"


def left_by_erasing(
    settings: Settings, place: Workplace, request: Request | None, suppression: Suppression
) -> Iterator[str]:
    """The files of other programs that have it, and the new tables that do. A killed erasure no longer knows these."""
    yield from OtherFiles(LocalStorage(settings.home), suppression).elsewhere()
    for erasure in suppression.erasures:
        yield from documents_that_name(settings, place, erasure)
    if request and request.kind != "asset field":  # both ids stay
        with Workspace.offline(settings, place, settings.state / WAREHOUSE) as workspace:
            left = [name for name, _ in tables_with(workspace.warehouse, request, suppression)]
        yield from (f"{name} still has it. This is a fault in propsync: report it" for name in left)


def documents_that_name(settings: Settings, place: Workplace, erasure: Erasure) -> Iterator[str]:
    """A line about documents of other records that name an erased id: their files stay as the service made them."""
    if erasure.pseudonym is None:
        return
    with Workspace.offline(settings, place, settings.state / WAREHOUSE) as workspace:
        by_rows = documents_naming(workspace.warehouse, erasure.pseudonym)
        others = [path for (path,) in workspace.warehouse.rows(statement("erasing/bundles_without_rows"))]
    by_files, unread = _bundles_naming(settings, place, erasure, others)
    if found := sorted({*by_rows, *by_files}):
        shown = "; ".join(found[:_SHOWN])
        yield f"documents of other records name it: {len(found):,}, such as {shown}. propsync changes no document"
    yield from (f"{name} cannot be read, so propsync does not know whether it has it" for name in unread)


def _bundles_naming(
    settings: Settings, place: Workplace, erasure: Erasure, keys: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Those of these bundles that have it in their CSVs, and those that cannot be read."""
    suppression = Suppression(Erasures(LocalStorage(settings.home)).marker(), [erasure])
    with WorkerPool() as pdf, closing(blobs_of(settings, place.folder)) as blobs:
        search = DocumentSearch(blobs, suppression, pdf, place.folder)
        return search.in_csvs(keys), search.unread


def left_in_spellings(settings: Settings, request: Request | None, reported: Sequence[str]) -> list[str]:
    """The findings of `propsync erase --verify` on an erased text, in files that no line of `reported` begins with.

    Raises StorageAway and StorageRefused with a bucket.
    """
    if request is None or request.kind != "text":
        return []
    needle, findings = look_after_erasing(settings, request.words)
    kinds = (
        (findings.traces, "places still have it in a spelling that propsync does not erase"),
        (findings.unread, "places cannot be read, so that propsync does not know whether they have it"),
    )
    found = ((_unreported(places, reported), what) for places, what in kinds)
    return [f"{what}: {len(places):,}{_first(places, needle)}. {_NEXT}" for places, what in found if places]


def _unreported(places: Sequence[Place], reported: Sequence[str]) -> list[Place]:
    return [one for one in places if not any(line.startswith((f"{one.file} ", f"{one.file}: ")) for line in reported)]


def _first(places: Sequence[Place], needle: Needle) -> str:
    """Some of the places; a line may not repeat an erased text that is in a name."""
    names = [name for name in map(str, places) if not needle.is_in(name.replace("_", " "))]
    return f", such as {'; '.join(names[:_SHOWN])}" if names else ""
