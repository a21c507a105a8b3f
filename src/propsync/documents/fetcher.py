"""Requests documents, checks each, and stores the whole ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from propsync.api import Api, ApiRequest, Saved
from propsync.documents.blobs import Blobs
from propsync.documents.budget import Budget
from propsync.documents.fetch_log import Fetched
from propsync.documents.held import HeldContents, with_rows
from propsync.documents.inspect import DocumentReader
from propsync.documents.kinds import KINDS
from propsync.documents.ledger import WantedDocument
from propsync.documents.rights import Rights
from propsync.documents.zips.bundle import Bundle
from propsync.errors import AccessForbidden, DocumentDamaged, ResourceFailed, TransientApiError, UsageError
from propsync.storage import partial_file


class Fetcher:
    """Fetches documents through `api` into `blobs`; `partial` is a folder on the same disk for unfinished files."""

    def __init__(
        self, api: Api, blobs: Blobs, reader: DocumentReader, partial: Path, budget: Budget, *, with_text: bool = False
    ) -> None:
        self._api = api
        self._blobs = blobs
        self._reader = reader
        self._partial = partial
        self._budget = budget
        self._with_text = with_text
        self.chunk: int | None = None
        """How many documents one call of `fetch` should get, None for the usual number."""
        self._rights = Rights()
        self.forbidden, self.of_quotas = self._rights.forbidden, self._rights.of_quotas
        """Kinds that the API refuses for this run, with the error; the fetcher requests no more of them."""
        self.contents = HeldContents()
        """The contents of fetched documents, by hash."""

    def fetch(self, wanted: Sequence[WantedDocument], note: Callable[[Fetched], object]) -> Iterator[Fetched]:
        """Each result as it comes, good or not; fewer if the budget ends. Raises StopRun and ApiUnreachable.

        The thread of a request passes its result to `note`, even if another request ends this generator first.
        """

        def noted(taken: Fetched) -> Fetched:
            note(taken)
            return taken

        by_request, unusable = parted(wanted)

        def then(request: ApiRequest, file: BinaryIO, saved: Saved) -> Fetched:
            return noted(self._keep(by_request[request], file, saved))

        def failed(request: ApiRequest, error: ResourceFailed) -> Fetched:
            return noted(self._failed(by_request[request], error))

        if by_request:
            self._reader.start()
        yield from map(noted, unusable)
        yield from self._api.documents.save_each(self._within_budget(by_request), self._file, then, failed)

    def _within_budget(self, by_request: Mapping[ApiRequest, WantedDocument]) -> Iterator[ApiRequest]:
        for request, one in by_request.items():
            if self._budget.reason():
                return
            if one.kind not in self.forbidden:
                self._budget.ask()
                yield request

    def _file(self, _request: ApiRequest) -> AbstractContextManager[BinaryIO]:
        return partial_file(self._partial)

    def _keep(self, wanted: WantedDocument, file: BinaryIO, saved: Saved) -> Fetched:
        kind, path = KINDS[wanted.kind], Path(file.name)
        self._rights.came(wanted.kind)
        if saved.sha256 == wanted.sha256 and wanted.path and self._blobs.exists(wanted.path):
            # its check was before its storing; a move costs nothing, and replaces a file that was damaged since
            kept = wanted.path if self._blobs.is_far else self._blobs.keep(kind, saved.sha256, file)
            return _taken(wanted, "stored", saved=saved, path=kept)
        before = self._before(wanted)
        found = self._reader.check(kind, path)
        self._note(saved.sha256, path, found)
        same = wanted.same_text_as if before and self._reader.is_same(before, path, found) else None
        return _taken(wanted, "stored", saved=saved, path=self._blobs.keep(kind, saved.sha256, file), same=same)

    def _note(self, sha256: str, path: Path, bundle: Bundle | None) -> None:
        """Notes its contents here, where no run waits for the lock."""
        if bundle is not None:
            self.contents.hold(sha256, with_rows(path, bundle) if self._blobs.is_far else bundle)
        elif self._with_text:
            with suppress(DocumentDamaged):  # its pages open; a lack of text is no reason to refuse it
                self.contents.hold(sha256, self._reader.text(path))

    def _before(self, wanted: WantedDocument) -> Path | None:
        """The file of the latest version; None if there is none, or if it is lost."""
        try:
            return self._blobs.path(wanted.path) if wanted.path else None
        except FileNotFoundError:
            return None

    def _failed(self, wanted: WantedDocument, error: ResourceFailed) -> Fetched:
        if isinstance(error, AccessForbidden):
            advice = f"Ask for access to {wanted.kind}s, or leave them out of PROPSYNC_ARCHIVE_KINDS"
            self._rights.refused(wanted.kind, str(AccessForbidden(error.where, error.what, advice)))
        if isinstance(error, TransientApiError) and error.is_quota_spent:
            self._rights.spent(wanted.kind, str(error))
        outcome = "missing" if error.says_not_found else "failed"
        return _taken(wanted, outcome, error=error.what)


def parted(wanted: Iterable[WantedDocument]) -> tuple[dict[ApiRequest, WantedDocument], list[Fetched]]:
    """The usable requests, and how the others failed: an address cannot hold an id of dots alone."""
    usable, unusable = {}, []
    for one in wanted:
        try:
            usable[KINDS[one.kind].request(one.assessment_id)] = one
        except UsageError as error:
            unusable.append(_taken(one, "failed", error=error.what))
    return usable, unusable


def _taken(
    wanted: WantedDocument,
    outcome: str,
    *,
    saved: Saved | None = None,
    path: str | None = None,
    same: str | None = None,
    error: str | None = None,
) -> Fetched:
    return Fetched(
        assessment_id=wanted.assessment_id,
        kind=wanted.kind,
        outcome=outcome,
        asked_at=datetime.now(UTC).isoformat(),
        of_changed_at=wanted.changed_at.isoformat(),
        sha256=saved.sha256 if saved else None,
        size_bytes=saved.size if saved else None,
        path=path,
        error=error,
        same_text_as=same,
    )
