"""A server in front of another that passes requests on, but for the faults that a test asks for."""

from __future__ import annotations

import http.client
import re
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import urlsplit

_HOP = ("connection", "transfer-encoding", "keep-alive")
_SLOW_DOWN = b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"
_INTERNAL = b"<Error><Code>InternalError</Code><Message>Please try again.</Message></Error>"


class Fault(Enum):
    """What happens to a request."""

    BROKEN = auto()  # 500, and the server never saw the request
    LACKING = auto()  # 501: the server does not know what the request asks for
    ELSEWHERE = auto()  # 301 without an address, as of a bucket in another region
    ABSENT = auto()  # 404 with a page of a proxy's own
    CONFLICT = auto()  # 409 in the words of S3: another request is in the way, and the server did nothing
    SKEWED = auto()  # 403, since the clock of the client is wrong
    SLOW_DOWN = auto()  # 503 in the words of S3
    SILENT = auto()  # no answer until the client gives up; the server never saw the request
    SILENT_AFTER = auto()  # no answer, though the server did it
    CUT_BEFORE = auto()  # the connection breaks, and the server never saw the request
    CUT_AFTER = auto()  # the connection breaks after the server did it: the answer is lost
    BROKEN_AFTER = auto()  # 500 after the server did it
    EMPTY = auto()  # no byte of the answer's body, and its length is said to be 0
    CUT_BODY = auto()  # half of the answer's body, then the connection breaks
    REVERSED = auto()  # the objects of a list in another order, as S3 Express gives them


_LISTED = re.compile(rb"<Contents>.*?</Contents>|<Blob>.*?</Blob>", re.DOTALL)
_MOVED = b"<Error><Code>PermanentRedirect</Code><Message>Please send requests to that endpoint.</Message></Error>"
_SKEWED = (
    b"<Error><Code>RequestTimeTooSkewed</Code>"
    b"<Message>The difference between the request time and the current time is too large.</Message></Error>"
)
_ABORTED = b"<Error><Code>OperationAborted</Code><Message>A conflicting operation is in progress.</Message></Error>"
_ANSWERS = {
    Fault.SKEWED: (403, _SKEWED),
    Fault.ABSENT: (404, b"<html>Nothing is here.</html>"),
    Fault.CONFLICT: (409, _ABORTED),
    Fault.ELSEWHERE: (301, _MOVED),
    Fault.BROKEN: (500, _INTERNAL),
    Fault.LACKING: (501, b"<Error><Code>NotImplemented</Code><Message>No such header here.</Message></Error>"),
    Fault.SLOW_DOWN: (503, _SLOW_DOWN),
}


def _reversed(listed: bytes) -> bytes:
    last = iter(reversed(_LISTED.findall(listed)))
    return _LISTED.sub(lambda _: next(last), listed)


@dataclass
class Request:
    """One request, as the faults see it."""

    method: str
    path: str
    headers: dict[str, str] = field(repr=False)


class FaultProxy:
    """Passes everything on to the server at `target` while the block runs. `requests` has every request since then.

    `fault` may be replaced at any time; it says what happens to a request, None for nothing.
    """

    def __init__(self, target: str) -> None:
        self.target = urlsplit(target).netloc
        self.requests: list[Request] = []
        self.fault: Callable[[Request], Fault | None] = lambda request: None
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.proxy = self
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        self.ended = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    def next_ones(self, *faults: Fault | None, method: str = "") -> None:
        """The next requests, or the next with this method, meet these faults in turn; later ones meet none."""
        left, lock = list(faults), threading.Lock()

        def fault(request: Request) -> Fault | None:
            with lock:
                return left.pop(0) if left and method in ("", request.method) else None

        self.fault = fault

    def always(self, fault: Fault | None) -> None:
        """All requests meet this fault from now on."""
        self.fault = lambda request: fault

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.ended.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    proxy: FaultProxy

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that gave up is no fault of the proxy."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    server: _Http

    def _serve(self) -> None:
        proxy = self.server.proxy
        request = Request(self.command, self.path, {name.lower(): value for name, value in self.headers.items()})
        proxy.requests.append(request)
        fault = proxy.fault(request)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if fault in _ANSWERS:
            self._answer(*_ANSWERS[fault])
        elif fault is Fault.CUT_BEFORE:
            self._cut()
        elif fault is Fault.SILENT:
            self._wait()
        else:
            self._pass_on(body, fault)

    do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = _serve  # noqa: N815 - http.server's names

    def _pass_on(self, body: bytes, fault: Fault | None) -> None:
        connection = http.client.HTTPConnection(self.server.proxy.target, timeout=60)
        try:
            connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in _HOP:
                    connection.putheader(name, value)
            connection.endheaders(body)
            answer = connection.getresponse()
            received = answer.read()
        finally:
            connection.close()
        if fault is Fault.CUT_AFTER:
            self._cut()
        elif fault is Fault.SILENT_AFTER:
            self._wait()
        elif fault is Fault.BROKEN_AFTER:
            self._answer(500, _INTERNAL)
        else:
            changed: dict[Fault | None, bytes] = {Fault.EMPTY: b"", Fault.REVERSED: _reversed(received)}
            self._give_back(answer, changed.get(fault, received), is_cut=fault is Fault.CUT_BODY)

    def _give_back(self, answer: http.client.HTTPResponse, received: bytes, *, is_cut: bool) -> None:
        self.send_response_only(answer.status, answer.reason)
        for name, value in answer.getheaders():
            if name.lower() not in (*_HOP, "content-length"):
                self.send_header(name, value)
        has_length = self.command == "HEAD" and answer.headers.get("Content-Length")
        if answer.status != 204:
            self.send_header("Content-Length", has_length or str(len(received)))
        self.end_headers()
        if is_cut:
            self.wfile.write(received[: len(received) // 2])
            self.wfile.flush()
            self._cut()
        elif self.command != "HEAD":
            self.wfile.write(received)

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response_only(status)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _cut(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _wait(self) -> None:
        deadline = time.monotonic() + 60
        while not self.server.proxy.ended.wait(0.05) and time.monotonic() < deadline:
            if self._is_gone():
                break
        self._cut()

    def _is_gone(self) -> bool:
        try:
            return self.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: a test that fails shows `requests`."""
