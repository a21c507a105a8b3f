"""One request until it has an answer: gate, token, attempt, verdict, body."""

from __future__ import annotations

import codecs
import gzip
import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from propsync.api.answers import Answer
from propsync.api.bodies import HEADER_BYTES, check_age, check_body, check_header
from propsync.api.clock import Clock
from propsync.api.decoding import Decoder, decoded, encoding_of
from propsync.api.gate import Cancelled, Gate, Outcome
from propsync.api.requests import Accept, ApiRequest, Rest
from propsync.api.retry import Again, Effort, RetryPolicy, Setback
from propsync.api.status_codes import ACCEPTED, is_good, is_passing, is_success, refusal, setback
from propsync.api.token import TokenSource
from propsync.api.transport import Reply, Transport, check_bound
from propsync.api.unmade import Unmade
from propsync.errors import (
    AnswerLost,
    MalformedBody,
    PropsyncError,
    TokenRefused,
    TransientApiError,
)

T = TypeVar("T")
Check = Callable[[Answer], Any]
"""Looks at an answer; what it returns goes with the answer. Raises MalformedBody to have the request repeated."""
Revise = Callable[[bytes], bytes]
"""Returns what propsync may keep of a JSON body: the same object if that is all of it. Raises ValueError."""
_JSON = (Accept.JSON, Accept.JSON_OR_NULL)
_log = logging.getLogger("propsync.api")


@dataclass(frozen=True, slots=True)
class Receiving:
    """A good answer with its body still unread: `asked_at` in epoch seconds, `attempts` counts this one too."""

    request: ApiRequest
    reply: Reply
    attempts: int
    asked_at: float
    cancel: threading.Event

    @property
    def where(self) -> str:
        """The request, for messages."""
        return str(self.request)

    def chunks(self, bound: int) -> Iterator[bytes]:
        """The body as received. Also raises Cancelled between chunks."""
        for chunk in self.reply.chunks(bound):
            if self.cancel.is_set():
                raise Cancelled
            yield chunk


Receive = Callable[[Receiving], T]


class Resuming(ABC):
    """A `Receive` that can resume at the point where the last attempt stopped."""

    @abstractmethod
    def rest(self) -> Rest | None:
        """The part of the body to request, None for all of it."""


class Exchange:
    """The state that all requests of one client share."""

    def __init__(self, transport: Transport, token: TokenSource, gate: Gate, clock: Clock, policy: RetryPolicy) -> None:
        self._transport = transport
        self._token = token
        self._gate = gate
        self._clock = clock
        self._policy = policy
        self._unmade = Unmade()

    def run(self, request: ApiRequest, receive: Receive[T], cancel: threading.Event, again: Again | None = None) -> T:
        """The result of `receive` for the first good answer. Raises the errors of `propsync.errors`, or Cancelled.

        `again` gives the request of each attempt that had to wait; its errors end the attempts.
        """
        policy = replace(self._policy, attempts=1) if request.once else self._policy
        effort = Effort(request, policy, self._clock, cancel, again)
        try:
            result = effort.run(lambda effort: self._attempt(effort, receive))
        except TransientApiError as error:
            if error.status == ACCEPTED:
                self._unmade.add()
            raise
        if request.is_document and effort.waited:
            self._unmade.clear()
        return result

    def _attempt(self, effort: Effort, receive: Receive[T]) -> T:
        self._mind_the_hold(effort)
        ticket = self._enter(effort)
        outcome = Outcome.FAILED
        try:
            result = self._with_token(effort, receive)
            outcome = Outcome.GOOD
            return result
        except PropsyncError as error:
            # The API answered, and did not say that it is overloaded.
            outcome = Outcome.FAILED if isinstance(error, MalformedBody) else Outcome.GOOD
            raise
        except Setback as failure:
            outcome = Outcome.CROWDED if failure.crowded else Outcome.FAILED
            held = None if failure.status == ACCEPTED else failure.retry_after
            if held is not None and held <= effort.left:
                self._gate.hold(held)
            raise
        finally:
            self._gate.leave(ticket, outcome)

    def _mind_the_hold(self, effort: Effort) -> None:
        # A first attempt waits as long as the API asks; a repeat pays for the wait from its own budget.
        held = self._gate.held_for() if effort.attempts > 1 else 0.0
        if held > effort.left:
            raise effort.exhausted(held)
        if held > 0:
            effort.wait(held)

    def _enter(self, effort: Effort) -> int:
        # Others may have edited the record while the write had to wait.
        if effort.again is None:
            return self._gate.enter(effort.cancel)
        is_repeat = effort.attempts > 1
        while True:
            if self._gate.wait_out_hold(effort.cancel) or is_repeat:
                effort.request, is_repeat = effort.again(effort.sent), False
            if (ticket := self._gate.enter_unless_held(effort.cancel)) is not None:
                return ticket

    def _with_token(self, effort: Effort, receive: Receive[T]) -> T:
        token, is_repeat = self._token.current(), effort.attempts > 1
        while True:
            try:
                return self._send(effort, token, is_repeat, receive)
            except _Unauthorized:
                fresh = self._token.after_refusal(token)
            if fresh is None:
                what = f"the API answered 401: {self._token.where} is not accepted"
                raise TokenRefused(str(effort.request), what, self._token.advice)
            token, is_repeat = fresh, True

    def _send(self, effort: Effort, token: str, is_repeat: bool, receive: Receive[T]) -> T:
        request = _rest_of(effort.request, receive)
        asked_at, started = self._clock.now(), self._clock.monotonic()
        begun = None
        try:
            with self._transport.send(request, token, effort.cancel, is_repeat=is_repeat) as reply:
                if not is_good(request, reply.status):
                    raise self._verdict(request, reply)
                begun = reply.status
                with _malformed_as_setback():
                    result = receive(Receiving(request, reply, effort.attempts, asked_at, effort.cancel))
        except Setback as failure:
            if request.method == "POST" and begun is not None:
                failure.status = begun  # it says that the API has done it, whatever became of the body
            raise
        _log.debug("%s: %d after %.2f s", request, reply.status, self._clock.monotonic() - started)
        return result

    def _verdict(self, request: ApiRequest, reply: Reply) -> Exception:
        if reply.status == 401:
            return _Unauthorized()
        is_in_vain = reply.status == ACCEPTED and self._unmade.is_too_many
        if is_passing(request, reply.status) and not is_in_vain:
            return setback(reply.status, reply.headers, self._clock.now())
        if request.method == "POST" and is_success(reply.status):
            what = f"the API answered {reply.status} instead of 200, so propsync does not know whether the API did it"
            return AnswerLost(str(request), what, status=reply.status, attempts=1)
        return refusal(request, reply.status, reply.headers, _error_body(request, reply))


def _rest_of(request: ApiRequest, receive: Receive[T]) -> ApiRequest:
    """The request for the missing bytes, if the last attempt can be resumed."""
    rest = receive.rest() if isinstance(receive, Resuming) else None
    return replace(request, rest=rest) if rest else request


class _Unauthorized(Exception):
    """401."""


@contextmanager
def _malformed_as_setback() -> Iterator[None]:
    try:
        yield
    except MalformedBody as error:
        setback = Setback(error.what, malformed=True, next_step=error.next_step)
    else:
        return
    raise setback


def _error_body(request: ApiRequest, reply: Reply) -> bytes:
    raw = reply.start_of_body()
    body = b""
    try:
        decoder = Decoder(encoding_of(reply.headers.get("content-encoding", ""), str(request)), str(request))
        for piece in decoder.feed(raw):
            body += piece
            if len(body) > len(raw) + 1024 * 1024:
                return b""
    except MalformedBody:
        return b""
    return body


def receive_answer(
    bound: int, check: Check | None, *, walks: bool = False, revise: Revise | None = None
) -> Receive[Answer]:
    """Reads a body of at most `bound` bytes, compressed and not, and checks that it is of the requested kind.

    `walks` says that `check` reads all of a JSON body itself.
    """

    def receive(receiving: Receiving) -> Answer:
        request, where, headers = receiving.request, receiving.where, receiving.reply.headers
        raw = b"".join(receiving.chunks(bound))
        if request.method == "GET":
            check_age(headers.get("age"), where)
        empty = request.accept is Accept.NOTHING
        encoding = "" if empty else encoding_of(headers.get("content-encoding", ""), where)
        body = _decode(raw, encoding, bound, where) if encoding else raw
        mark = codecs.BOM_UTF8 if request.accept in _JSON and body.startswith(codecs.BOM_UTF8) else b""
        body = body[len(mark) :]
        if not empty:
            check_body(request.accept, body, where, walk=not walks)
        if revise is not None and request.accept in _JSON:
            after = _revised(revise, body, where)
            if after is not body:
                raw, body, mark = gzip.compress(after, mtime=0), after, b""
        content_type = headers.get("content-type", "")
        answer = Answer(
            request,
            receiving.reply.status,
            raw,
            body,
            receiving.attempts,
            receiving.asked_at,
            content_type,
            mark=mark,
        )
        return answer if check is None else checked(check, answer)

    return receive


def _revised(revise: Revise, body: bytes, where: str) -> bytes:
    try:
        return revise(body)
    except ValueError as error:
        raise MalformedBody(where, f"the body is not JSON ({error})") from error


def checked(check: Check, answer: Answer) -> Answer:
    """The answer with what `check` found in it. Raises MalformedBody."""
    try:
        return replace(answer, found=check(answer))
    except MalformedBody:
        check_body(answer.request.accept, answer.body, str(answer.request))  # for a body that is not JSON it says more
        raise


def _decode(raw: bytes, encoding: str, bound: int, where: str) -> bytes:
    pieces, size = [], 0
    for piece in decoded([raw], Decoder(encoding, where)):
        size += len(piece)
        check_bound(where, size, bound)
        pieces.append(piece)
    return b"".join(pieces)


def receive_start(bound: int) -> Receive[None]:
    """Reads the first bytes of a document, which show its kind, and closes the connection instead of keeping it."""

    def receive(receiving: Receiving) -> None:
        where = receiving.where
        encoding = encoding_of(receiving.reply.headers.get("content-encoding", ""), where)
        start = b""
        for piece in decoded(receiving.chunks(bound), Decoder(encoding, where)):
            start += piece[:HEADER_BYTES]
            if len(start) >= HEADER_BYTES:
                break
        check_header(receiving.request.accept, start, where)

    return receive
