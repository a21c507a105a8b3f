"""The API as propsync sees it: twelve endpoints (API §4) behind one gate and one retry policy."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from types import TracebackType
from typing import Self, TypeVar

from propsync.api import requests as ask
from propsync.api.answers import Answer, Traffic
from propsync.api.clock import SYSTEM_CLOCK, Clock
from propsync.api.documents import Documents
from propsync.api.exchange import Check, Exchange, Revise, receive_answer
from propsync.api.gate import Cancelled, Gate
from propsync.api.pool import in_parallel
from propsync.api.requests import ApiRequest
from propsync.api.retry import Again, RetryPolicy, Sent
from propsync.api.token import TokenSource
from propsync.api.transport import Transport
from propsync.api.writes import (
    FieldKind,
    ScheduleChanges,
    check_values,
    created_id,
    new_asset_body,
    schedule_body,
    values_body,
)
from propsync.errors import ApiUnreachable, NotFound, RequestRefused, ResourceFailed

S = TypeVar("S")
T = TypeVar("T")
Values = Mapping[str, object]
Fields = Mapping[str, FieldKind]
Look = Callable[[Sent], None]
"""Looks at a record before a write is sent again. It raises to send nothing more."""
MAX_BODY_BYTES = 512 * 1024 * 1024


class Api:
    """A client of the API that threads may share. Use it as a context manager, or close it.

    `revise` sees each JSON body before anybody else, and returns what propsync may keep of it.

    Every call may raise, by recovery: StopRun (TokenRefused, CertificateRefused) and ResourceFailed (AccessForbidden,
    NotFound, RequestRefused, UnexpectedAnswer, PageTooLarge, TransientApiError); see `propsync.errors`.
    """

    def __init__(
        self,
        base_url: str,
        token: TokenSource,
        *,
        max_concurrency: int = 8,
        clock: Clock = SYSTEM_CLOCK,
        verify: ssl.SSLContext | None = None,
        max_body_bytes: int = MAX_BODY_BYTES,
        policy: RetryPolicy | None = None,
        revise: Revise | None = None,
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self._threads = max_concurrency
        self._max_body_bytes = max_body_bytes
        self._revise = revise
        self._clock = clock
        self._policy = policy or RetryPolicy()
        self._gate = Gate(max_concurrency, clock)
        self._transport = Transport(self.base_url, verify, clock)
        self._exchange = Exchange(self._transport, token, self._gate, clock, self._policy)
        self._cancel: threading.Event | None = None

    def __repr__(self) -> str:
        return f"Api({self.base_url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Closes all connections."""
        self._transport.close()

    def with_token(self, token: TokenSource) -> Api:
        """The same client with another token: they share connections, the gate and the counts."""
        other = copy(self)
        other._exchange = Exchange(self._transport, token, self._gate, self._clock, self._policy)
        return other

    @property
    def traffic(self) -> Traffic:
        """Counts of requests, retries and bytes since the start."""
        return self._transport.traffic

    @property
    def concurrency(self) -> int:
        """The number of concurrent requests, as learnt so far."""
        return self._gate.limit

    @property
    def crowdings(self) -> int:
        """How often the API said, or showed, that it is overloaded."""
        return self._gate.halvings

    def begin_at(self, concurrency: int, most: int) -> None:
        """Continues from a concurrency that other clients have learnt, and may grow to `most`."""
        self._threads = most
        self._gate.begin_at(concurrency, most)

    @property
    def documents(self) -> Documents:
        """The endpoints of documents."""
        return Documents(self._exchange, self._gate, self._threads)

    def fetch(self, request: ApiRequest, *, check: Check | None = None, walks: bool = False) -> Answer:
        """Returns one answer. `check` may raise MalformedBody to repeat the request.

        `walks` says that `check` reads all of a JSON body itself, so that the client need not.
        """
        return self._fetch(request, check, self._cancel or threading.Event(), walks=walks)

    def _fetch(
        self,
        request: ApiRequest,
        check: Check | None,
        cancel: threading.Event,
        *,
        walks: bool = False,
        again: Again | None = None,
    ) -> Answer:
        receive = receive_answer(self._max_body_bytes, check, walks=walks, revise=self._revise)
        return self._exchange.run(request, receive, cancel, again)

    def fetch_all(
        self,
        requests: Iterable[ApiRequest],
        then: Callable[[Answer], T],
        *,
        check: Check | None = None,
        walks: bool = False,
        refused: Callable[[ApiRequest, ResourceFailed], T] | None = None,
    ) -> Iterator[T]:
        """The results of `then` for each answer, as they complete; it runs in the thread that sent the request.

        `requests` is read as needed, at most some 2 × max_concurrency ahead. The first error cancels the rest, and the
        client raises it when the requests under way have ended. With `refused`, a request that the API refuses (400) or
        does not find (404) gives the result of `refused` instead of an error.
        """
        cancel = threading.Event()

        def one(request: ApiRequest) -> T:
            try:
                answer = self._fetch(request, check, cancel, walks=walks)
            except (RequestRefused, NotFound) as error:
                if refused is None:
                    raise
                return refused(request, error)
            return then(answer)

        return in_parallel(one, requests, threads=self._threads, cancel=cancel, wake=self._gate.wake)

    def fetch_each(
        self,
        requests: Iterable[ApiRequest],
        then: Callable[[Answer], T],
        failed: Callable[[ApiRequest, ResourceFailed], T],
        check: Check | None = None,
    ) -> Iterator[T]:
        """Like `fetch_all`, but a failed request costs only itself; an API out of reach still ends everything."""
        cancel = threading.Event()

        def one(request: ApiRequest) -> T:
            try:
                answer = self._fetch(request, check, cancel)
            except ApiUnreachable:
                raise
            except ResourceFailed as error:
                return failed(request, error)
            return then(answer)

        return in_parallel(one, requests, threads=self._threads, cancel=cancel, wake=self._gate.wake)

    def each(self, subjects: Iterable[S], work: Callable[[Api, S], T]) -> Iterator[T]:
        """The results of `work` for each subject, as they complete: it sends several requests, one after the other.

        Threads and errors are as with `fetch_all`; `work` gets a client whose requests end with the others.
        """
        cancel = threading.Event()
        bound = copy(self)
        bound._cancel = cancel
        threads = self._threads
        return in_parallel(
            lambda subject: work(bound, subject), subjects, threads=threads, cancel=cancel, wake=self._gate.wake
        )

    def attempts(self) -> Iterator[int]:
        """Numbers of attempts from 1, at least one: it waits between them, and ends, as the retry policy says.

        For a POST after a lost answer (API §4.3), which the client itself never repeats. Raises Cancelled.
        """
        for attempt in range(1, self._policy.attempts):
            yield attempt
            self.wait(self._policy.jitter(attempt))
        yield max(1, self._policy.attempts)

    def wait(self, seconds: float) -> None:
        """Waits by the clock that it was given. Raises Cancelled."""
        cancel = self._cancel or threading.Event()
        self._clock.sleep(seconds, cancel)
        if cancel.is_set():
            raise Cancelled

    def create_asset(
        self, property_id: str, type_id: str, values: Values | None = None, fields: Fields | None = None
    ) -> str:
        """API §4.3: returns the id of the new asset; `fields` are those of its type, and the client checks values
        against them.

        Raises InvalidValue before it sends anything, and AnswerLost if the API may have created the asset.
        """
        check_values(fields or {}, values or {})
        request = ask.create_asset_request(property_id, new_asset_body(type_id, values))
        return created_id(self.fetch(request))

    def update_asset(
        self, property_id: str, asset_id: str, values: Values, fields: Fields, look: Look | None = None
    ) -> None:
        """API §4.4: sets values by field id, None removes one; `fields` are those of the asset's type.

        Raises InvalidValue before it sends anything (API §2.3).
        """
        check_values(fields, values)
        self._write(ask.update_asset_request(property_id, asset_id, values_body(values)), look)

    def schedule(self, property_id: str, type_id: str) -> Answer:
        """API §4.10: a schedule (API §2.6); the body may also be `null`."""
        return self.fetch(ask.schedule_request(property_id, type_id))

    def put_schedule(
        self,
        property_id: str,
        type_id: str,
        changes: ScheduleChanges,
        again: Callable[[Sent], ScheduleChanges] | None = None,
    ) -> None:
        """API §4.11: creates or updates a schedule; sends only the members given. Raises InvalidValue.

        `again` looks before the client sends them again, and returns the members to send then.
        """

        def request(members: ScheduleChanges) -> ApiRequest:
            return ask.schedule_request(property_id, type_id, "PUT", schedule_body(members))

        self._send(request(changes), None if again is None else lambda sent: request(again(sent)))

    def delete_schedule(self, property_id: str, type_id: str, look: Look | None = None) -> None:
        """API §4.12: deletes a schedule."""
        self._write(ask.schedule_request(property_id, type_id, "DELETE"), look)

    def _write(self, request: ApiRequest, look: Look | None) -> None:
        def again(sent: Sent) -> ApiRequest:
            if look is not None:
                look(sent)
            return request

        self._send(request, again)

    def _send(self, request: ApiRequest, again: Again | None) -> None:
        self._fetch(request, None, self._cancel or threading.Event(), again=again)
