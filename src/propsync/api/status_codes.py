"""The meaning of a status other than the good one: retry, or an error named by recovery."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit, urlunsplit

import msgspec

from propsync import log
from propsync.api.error_words import error_words
from propsync.api.requests import Accept, ApiRequest
from propsync.api.retry import Setback
from propsync.api.write_codes import WriteErrorCode
from propsync.errors import (
    AccessForbidden,
    NotFound,
    RequestRefused,
    ResourceFailed,
    UnexpectedAnswer,
)

RETRY_AFTER_FLOOR = 1.0
_RETRY_AFTER_DIGITS = 9  # more of them are no number of seconds that anybody means
_AGAIN = frozenset((408, 425, 429))
# Answers to a request for part of a body: the body may be shorter by now, or the server rejects the header.
_NO_PART = frozenset((400, 412, 416, 417, 422))
_CROWDED = frozenset((408, 429, 503, 504))
_NO_METHOD = 501
_CREATED = 201
ACCEPTED = 202
"""For a document: the API still makes it. Its Retry-After is about this document alone."""
NO_CONTENT = 204
_ASK_FOR_200 = "Ask the people who run the API for 200 and a body, as its document shows, also if a list is empty"
_LONGEST_QUOTE = 200


def is_good(request: ApiRequest, status: int) -> bool:
    """Whether the status is the one that API §4 shows for the request, or the requested rest of a body.

    201 is HTTP's own word for what a POST here does, and has the id as 200 has it.
    """
    if request.method == "POST" and status == _CREATED:
        return True
    return status == (NO_CONTENT if request.accept is Accept.NOTHING else 200) or (
        request.rest is not None and status == 206
    )


def is_success(status: int) -> bool:
    """Whether the status says that the API did what it was asked, or will."""
    return 200 <= status < 300


def is_redirect(status: int | None) -> bool:
    """Whether the status points to a different address, which propsync does not follow; None is no status."""
    return status is not None and 300 <= status < 400


def is_passing(request: ApiRequest, status: int) -> bool:
    """Whether the same request may succeed later, or a request for the whole body may.

    501 says that the API does not know the method, which only a write (API §4.3, 4.4, 4.11, 4.12) can meet.
    """
    if status == ACCEPTED:
        return request.is_document
    if status == _NO_METHOD and request.method != "GET":
        return False
    return status in _AGAIN or status >= 500 or (request.rest is not None and status in _NO_PART)


def setback(status: int, headers: Mapping[str, str], now: float) -> Setback:
    """The setback for a passing status; `now` in epoch seconds replaces a missing Date header."""
    wait = retry_after(headers.get("retry-after"), headers.get("date"), now)
    return Setback(f"the API answered {status}", status=status, retry_after=wait, crowded=status in _CROWDED)


def retry_after(value: str | None, date: str | None, now: float) -> float | None:
    """Seconds that a Retry-After header asks to wait, at least 1; None if there is none, or an unreadable one."""
    if value is None:
        return None
    value = value.strip()
    if value.isascii() and value.isdigit() and len(value) <= _RETRY_AFTER_DIGITS:
        return max(RETRY_AFTER_FLOOR, float(value))
    until = _epoch(value)
    if until is None:
        return None
    asked = _epoch(date) if date else None
    return max(RETRY_AFTER_FLOOR, until - (now if asked is None else asked))


def _epoch(http_date: str) -> float | None:
    try:
        moment = parsedate_to_datetime(http_date)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None


def refusal(request: ApiRequest, status: int, headers: Mapping[str, str], body: bytes) -> ResourceFailed:
    """The error for a status that a retry does not change. `body` may be anything, also cut short."""
    where = str(request)
    code = error_code(body)
    if status == 403:
        return AccessForbidden(where, "the API answered 403: the token has no access to this", status=status)
    if status in (404, 410):
        return NotFound(where, f"the API answered {status}: not found", status=status)
    if status in (400, 416, 422):
        return _refused(where, status, code, error_words(body))
    if is_redirect(status):
        return UnexpectedAnswer(where, f"the API answered {status}{_pointing_to(headers)}", status=status)
    if status == NO_CONTENT:
        return UnexpectedAnswer(where, "the API answered 204 with no content", _ASK_FOR_200, status=status)
    said = f" ({code})" if code else ""
    return UnexpectedAnswer(
        where, f"the API answered {status}{said}, which the API's document does not mention", status=status
    )


def _refused(where: str, status: int, code: str | None, said: str | None) -> RequestRefused:
    known = WriteErrorCode.of(code)
    if known is not None:
        what = f"the API answered {status} {known.value}: {known.meaning}"
        return RequestRefused(where, what, known.next_step, status=status, code=code, said=said)
    what = f"the API refused the request: {status} {f'with code {code}' if code else 'without a code'}"
    return RequestRefused(where, what, status=status, code=code, said=said)


def _pointing_to(headers: Mapping[str, str]) -> str:
    location = headers.get("location")
    if not location:
        return ", which names no other address"
    try:
        parts = urlsplit(location)
        # without user and query, which may contain tokens
        server = parts.netloc.rpartition("@")[2]
    except ValueError:
        return ", a redirect to no address"
    place = urlunsplit((parts.scheme, server, parts.path, "", ""))
    return f", a redirect to {_quoted(place) or 'no address'}, which propsync does not follow"


def error_code(body: bytes) -> str | None:
    """The `code` of an error body (API §7), None if it has none; redacted, since servers echo."""
    try:
        answer = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
    code = answer.get("code") if isinstance(answer, dict) else None
    return _quoted(code) if isinstance(code, str) and code else None


def _quoted(text: str) -> str:
    return log.redact("".join(c if c.isprintable() else "?" for c in text))[:_LONGEST_QUOTE]
