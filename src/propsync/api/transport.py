"""The only user of httpx: one exchange within its bounds, with failures as setbacks or errors."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NoReturn

import httpx

from propsync import log
from propsync.api.answers import Traffic
from propsync.api.clock import Clock
from propsync.api.connections import Connections, certificate_fault, unread_authority
from propsync.api.decoding import ACCEPT_ENCODING
from propsync.api.requests import ApiRequest
from propsync.api.retry import Setback
from propsync.errors import CertificateRefused, PageTooLarge, UsageError

CONNECT_SECONDS = 10.0
READ_SECONDS = 60.0
WRITE_SECONDS = 60.0
WHOLE_SECONDS = 300.0
# A document may be of any size: it gets more time for every so-many bytes received.
DOCUMENT_BYTES_PER_SECOND = 64 * 1024
ERROR_BODY_BYTES = 64 * 1024
# httpx raises these before anything has left this computer.
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError, httpx.UnsupportedProtocol)
_OTHER_NAME = "Correct the host in PROPSYNC_BASE_URL, or ask the operator of the API for a certificate of that name"
_CUT_SHORT = ("Server disconnected", "peer ")  # httpcore's and h11's words for a connection that ended too early
_LONG_HEADERS = "Receive buffer too long"  # h11's, of more than 100 KB
_ASK = "Show this line to the people who run the API, or the proxy before it"
_CERTIFICATE_STEPS = {  # by OpenSSL's X509_V_ERR_ codes; trust in the authority would not help
    9: "Correct the clock of this machine: the certificate is not valid yet",
    10: "Ask the operator of the API to renew the certificate; if it is in date, correct the clock of this machine",
    62: _OTHER_NAME,
    64: _OTHER_NAME,
}


class Reply:
    """An answer with its body still unread: status, header names in lower case, and the chunks."""

    def __init__(
        self, request: ApiRequest, response: httpx.Response, traffic: Traffic, clock: Clock, began: float
    ) -> None:
        self.status = response.status_code
        self.headers: Mapping[str, str] = {name.lower(): value for name, value in response.headers.items()}
        self._request = request
        self._response = response
        self._traffic = traffic
        self._clock = clock
        self._began = began  # before the request: slow headers are late as well

    def chunks(self, bound: int) -> Iterator[bytes]:
        """The body as received. Raises PageTooLarge beyond `bound` bytes, Setback if it comes too slowly."""
        where = str(self._request)
        declared = self.headers.get("content-length", "")
        check_bound(where, int(declared) if declared.isdecimal() else 0, bound)
        received = 0
        for chunk in self._response.iter_raw():
            received += len(chunk)
            self._traffic.count(bytes=len(chunk))
            check_bound(where, received, bound)
            self._check_pace(received)
            yield chunk

    def _check_pace(self, received: int) -> None:
        document = self._request.is_document
        allowed = WHOLE_SECONDS + (received / DOCUMENT_BYTES_PER_SECOND if document else 0)
        if self._clock.monotonic() - self._began > allowed:
            raise Setback(f"the body did not arrive within {allowed:.0f} s", crowded=True)

    def start_of_body(self) -> bytes:
        """At most 64 KB of an error's body; it skips any part that it cannot read, as the status counts."""
        body = b""
        try:
            for chunk in self._response.iter_raw():
                self._traffic.count(bytes=len(chunk))
                body += chunk
                if len(body) >= ERROR_BODY_BYTES:
                    break
                self._check_pace(len(body))
        except (httpx.HTTPError, httpx.StreamError, Setback):
            return body[:ERROR_BODY_BYTES]
        return body[:ERROR_BODY_BYTES]


def check_bound(where: str, size: int, bound: int) -> None:
    """Raises PageTooLarge when `size` bytes exceed `bound`."""
    if size > bound:
        raise PageTooLarge(where, f"the body exceeds {bound:,} bytes")


class Transport:
    """Sends requests over HTTP/1.1; it follows no redirect, as the token must not go elsewhere."""

    def __init__(self, base_url: str, verify: ssl.SSLContext | None, clock: Clock) -> None:
        self.traffic = Traffic()
        self._base_url = base_url.rstrip("/")
        self._clock = clock
        self._connections = Connections(base_url, verify, clock.monotonic)
        self._timeout = httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS, write=WRITE_SECONDS).as_dict()

    def close(self) -> None:
        """Closes all connections."""
        self._connections.close()

    @contextmanager
    def send(self, request: ApiRequest, token: str, cancel: threading.Event, *, is_repeat: bool) -> Iterator[Reply]:
        """Sends once. A failure inside the block too becomes Setback or CertificateRefused. Raises Cancelled.

        A write waits for its answer whatever happens, since the answer says what became of it.
        """
        self.traffic.count(requests=1, retries=int(is_repeat))
        began = self._clock.monotonic()
        try:
            asked = self._asked(request, token)
            late = began + WHOLE_SECONDS
            # a body has a pace of its own: this ends what comes after it, or between its parts
            too_late = None if request.is_document else late + READ_SECONDS
            ends_with = cancel if request.method == "GET" else None
            with self._connections.answer(asked, late, too_late, ends_with) as response:
                yield Reply(request, response, self.traffic, self._clock, began)
            return
        except (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL) as error:
            failure = error
        # Raises outside the handler: httpx's errors carry the request, and with it the token.
        if isinstance(failure, httpx.TimeoutException) and self._clock.monotonic() - began >= WHOLE_SECONDS:
            raise Setback(f"the answer did not arrive within {WHOLE_SECONDS:.0f} s", crowded=True)
        _raise(str(request), failure, self._connections)

    def _asked(self, request: ApiRequest, token: str) -> httpx.Request:
        return httpx.Request(
            request.method,
            self._base_url + request.target(),
            headers=_headers(request, token),
            content=request.body,
            extensions={"timeout": self._timeout},
        )


def _headers(request: ApiRequest, token: str) -> dict[str, str]:
    document = request.is_document
    headers = {
        "Authorization": f"Bearer {token}",
        "Accept": request.accept.media_type,
        # Documents are compressed formats, and propsync can check their length only if the server adds no compression.
        "Accept-Encoding": "identity" if document else ACCEPT_ENCODING,
        # a second look proves nothing if a proxy repeats its answer to the first
        "Cache-Control": "no-cache",
        "User-Agent": "propsync",
    }
    if request.rest:
        headers |= {"Range": f"bytes={request.rest.after}-", "If-Range": request.rest.etag}
    return headers if request.body is None else headers | {"Content-Type": "application/json"}


def _raise(where: str, error: Exception, connections: Connections) -> NoReturn:
    reason = log.redact(str(error)) or type(error).__name__
    if fault := certificate_fault(error):
        step = _CERTIFICATE_STEPS.get(fault.verify_code)
        if step is None and (path := unread_authority()):
            step = f"Correct SSL_CERT_FILE: {path} has no certificate that this user can read"
        raise CertificateRefused(where, f"the server's certificate was not accepted ({reason})", step)
    if isinstance(error, httpx.InvalidURL | httpx.UnsupportedProtocol):
        raise UsageError(where, f"the address cannot be used ({reason})", "Check PROPSYNC_BASE_URL")
    sent = not isinstance(error, _NOT_SENT)
    if isinstance(error, httpx.TimeoutException):
        late = f"timed out ({type(error).__name__})"
        raise Setback(late if sent else f"no connection to {connections.server}: {late}", sent=sent, crowded=True)
    if isinstance(error, httpx.RemoteProtocolError) and not reason.startswith(_CUT_SHORT):
        wrong = "has more than 100 KB of headers" if reason == _LONG_HEADERS else f"is not valid HTTP: {reason[:200]}"
        raise Setback(f"the answer {wrong}", next_step=_ASK)
    if "WRONG_VERSION_NUMBER" in reason:  # OpenSSL's words for an answer in plain HTTP
        reason = f"the server, or a proxy, does not speak https ({reason})"
    what = f"the connection failed{connections.through}" if sent else f"no connection to {connections.server}"
    raise Setback(f"{what}: {reason}", sent=sent)
