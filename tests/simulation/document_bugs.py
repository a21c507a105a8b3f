"""Bugs to plant in what archives documents (see `bugs`)."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from propsync.api import saving
from propsync.api.answers import Saved
from propsync.documents import blobs
from propsync.documents.blobs import Blobs
from propsync.documents.fetch_log import FetchLog
from propsync.documents.inspect import DocumentReader
from propsync.documents.ledger import Ledger
from propsync.errors import DocumentDamaged, ResourceFailed
from propsync.merge import carry_over as carried
from propsync.runbooks.archiving import workspace as archive_site
from propsync.runbooks.archiving.workspace import ArchiveWorkspace

from .planting import Patches, Plant, entered

DOCUMENT_BUGS: dict[str, Plant] = {}
_bug = partial(entered, DOCUMENT_BUGS)
_WANTED = "staging/wanted_documents"
_AFTER = "staging/documents_after"


@_bug("a changed record does not make its document wanted")
def _change_unnoticed(patches: Patches) -> None:
    patches.rewrite(_WANTED, "or pairs.changed_at > asked.of_changed_at", "")


@_bug("every document is wanted every night")
def _always_wanted(patches: Patches) -> None:
    patches.rewrite(_WANTED, "when asked.failed_due_at is null and asked.due_at <= $now then 4", "else 4")


@_bug("what failed or was missing is never asked for again")
def _never_again(patches: Patches) -> None:
    patches.rewrite(_WANTED, "when asked.failed_due_at <= $now then 3", "")


@_bug("lines of what came are cleared before it is in the tables")
def _cleared_early(patches: Patches) -> None:
    def read(self: Any) -> Any:
        taken = before(self)
        self.clear()
        return taken

    before = patches.put(FetchLog, "all", read)


@_bug("what a killed run had asked for is forgotten")
def _taken_forgotten(patches: Patches) -> None:
    def fetcher(self: Any, budget: Any) -> Any:
        self.taken.clear()
        return before(self, budget)

    before = patches.put(ArchiveWorkspace, "fetcher", fetcher)


@_bug("a cut body is kept")
def _cut_body_kept(patches: Patches) -> None:
    def receive(self: Any, receiving: Any) -> Any:
        try:
            return before(self, receiving)
        except Exception:
            if not self._size:
                raise
            return Saved(self._size, self._digest.hexdigest(), receiving.attempts)

    before = patches.put(saving.Saving, "__call__", receive)
    _check_nothing(patches)


@_bug("a broken-off body is resumed whatever the validator says")
def _mixed_versions(patches: Patches) -> None:
    patches.put(saving, "_strong_etag", lambda *_: "any")


@_bug("a page in place of a document is kept")
def _page_kept(patches: Patches) -> None:
    patches.put(saving, "check_header", lambda *_: None)
    _check_nothing(patches)


def _check_nothing(patches: Patches) -> None:
    def check(self: Any, kind: Any, path: Path) -> Any:
        with suppress(DocumentDamaged, ResourceFailed):
            return before(self, kind, path)
        return None

    before = patches.put(DocumentReader, "check", check)


@_bug("a document is recorded though its file was not put in place")
def _file_forgotten(patches: Patches) -> None:
    patches.put(Blobs, "keep", lambda self, kind, sha256, source: blobs.key_of(kind, sha256))
    patches.put(ArchiveWorkspace, "_on_disk", lambda self, taken: taken)


@_bug("a new version takes the place of the one before")
def _overwritten(patches: Patches) -> None:
    patches.rewrite(_AFTER, "last_version + 1", "greatest(last_version, 1)")
    patches.rewrite(
        _AFTER, "where before.version is not null", "where before.version < due.last_version or due.is_same"
    )


@_bug("documents go with their assessment")
def _gone_with_assessment(patches: Patches) -> None:
    def record(self: Any, *what: Any) -> Any:
        counts = before(self, *what)
        self._warehouse.execute(
            "delete from main.documents where assessment_id not in (select assessment_id from main.assessments)"
        )
        return counts

    before = patches.put(Ledger, "record", record)


@_bug("an archive publishes what a killed sync had merged in part")
def _half_published(patches: Patches) -> None:
    patches.put(archive_site, "merge_earlier", lambda *_: None)
    patches.silence_checks()


@_bug("lacking documents are not reported")
def _coverage_forgotten(patches: Patches) -> None:
    patches.put(Ledger, "cover", lambda *_: 0)


@_bug("a rebuild forgets documents")
def _rebuild_forgets_documents(patches: Patches) -> None:
    patches.put(carried, "DOCUMENTS", ())
