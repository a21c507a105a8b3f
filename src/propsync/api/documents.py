"""The endpoints of documents (API §4.7 and 4.8): saving them, and asking whether they exist."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import BinaryIO, TypeVar

from propsync.api import requests as ask
from propsync.api.answers import Saved
from propsync.api.exchange import Exchange, receive_start
from propsync.api.gate import Gate
from propsync.api.pool import in_parallel
from propsync.api.requests import ApiRequest
from propsync.api.saving import Saving
from propsync.errors import AccessForbidden, ApiUnreachable, RequestRefused, ResourceFailed, TokenRefused, UsageError
from propsync.resources import ASSESSMENTS, ListQuery

T = TypeVar("T")
MAX_DOCUMENT_BYTES = 20 * 1024 * 1024 * 1024


class Documents:
    """The documents of one client, see `Api.documents`; `threads` is how many requests it sends at once.

    Every call may raise the errors of `Api`.
    """

    def __init__(self, exchange: Exchange, gate: Gate, threads: int) -> None:
        self._exchange = exchange
        self._gate = gate
        self._threads = threads

    def report(self, assessment_id: str, into: BinaryIO, *, max_bytes: int = MAX_DOCUMENT_BYTES) -> Saved:
        """API §4.7: writes the report PDF to `into`, a seekable file, from its position (a repeat truncates it)."""
        return self._save(ask.report_request(assessment_id), into, max_bytes)

    def bundle(self, assessment_id: str, into: BinaryIO, *, max_bytes: int = MAX_DOCUMENT_BYTES) -> Saved:
        """API §4.8: writes the bundle ZIP to `into`, a seekable file, from its position (a repeat truncates it)."""
        return self._save(ask.bundle_request(assessment_id), into, max_bytes)

    def _save(self, request: ApiRequest, into: BinaryIO, max_bytes: int) -> Saved:
        return self._exchange.run(request, Saving(into, max_bytes), threading.Event())

    def save_each(
        self,
        requests: Iterable[ApiRequest],
        into: Callable[[ApiRequest], AbstractContextManager[BinaryIO]],
        then: Callable[[ApiRequest, BinaryIO, Saved], T],
        failed: Callable[[ApiRequest, ResourceFailed], T],
    ) -> Iterator[T]:
        """Saves documents at once, each to the file that `into` opens for it; returns them as they complete.

        `then` gets the open file in the thread that sent the request; it may raise ResourceFailed for an incomplete
        document. A failure costs only its own document; an API out of reach, or StopRun, ends everything. A 401 comes
        with AccessForbidden if the API accepts the token for the list of assessments.
        """
        cancel = threading.Event()

        def one(request: ApiRequest) -> T:
            try:
                with into(request) as file:
                    saved = self._exchange.run(request, Saving(file, MAX_DOCUMENT_BYTES), cancel)
                    return then(request, file, saved)
            except ApiUnreachable:
                raise
            except TokenRefused as refused:
                return failed(request, self._forbidden(refused))
            except ResourceFailed as error:
                return failed(request, error)

        return in_parallel(one, requests, threads=self._threads, cancel=cancel, wake=self._gate.wake)

    def probe_report(self, assessment_id: str) -> None:
        """Asks for the report PDF and reads its first bytes: returns if it exists, raises NotFound and so on if not."""
        self._exchange.run(ask.report_request(assessment_id), receive_start(MAX_DOCUMENT_BYTES), threading.Event())

    def probe_reports(self, assessment_ids: Iterable[str]) -> Iterator[tuple[str, ResourceFailed | None]]:
        """The same for many, as they complete: each id with the error that the API answered, None for a report.

        An id from the API that cannot be part of an address comes with RequestRefused. A 401 comes with AccessForbidden
        if the API accepts the token for the list of assessments.
        """

        def one(assessment_id: str) -> tuple[str, ResourceFailed | None]:
            try:
                self.probe_report(assessment_id)
            except ApiUnreachable:
                raise
            except TokenRefused as refused:
                return assessment_id, self._forbidden(refused)
            except UsageError as error:
                return assessment_id, RequestRefused(error.where, error.what)
            except ResourceFailed as error:
                return assessment_id, error
            return assessment_id, None

        cancel = threading.Event()
        return in_parallel(one, assessment_ids, threads=self._threads, cancel=cancel, wake=self._gate.wake)

    def _forbidden(self, refused: TokenRefused) -> AccessForbidden:
        """The error of a 401 for a document alone: some APIs answer it for what a token has no right to.

        Raises `refused` if the API refuses the token for the list of assessments too.
        """
        if not self._is_token_good_for_lists():
            raise refused
        return AccessForbidden(refused.where, refused.what, status=401)

    def _is_token_good_for_lists(self) -> bool:
        request = ask.page_request(ASSESSMENTS, ListQuery("token"), 1)
        try:
            self._exchange.run(request, receive_start(MAX_DOCUMENT_BYTES), threading.Event())
        except TokenRefused:
            return False
        return True
