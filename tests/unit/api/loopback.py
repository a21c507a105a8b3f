"""A small HTTP server that answers from a script, and a clock on which waiting takes no time."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from propsync.api import ApiRequest

LIST = ApiRequest("GET", "/properties/assets")
TOKEN = "tok-0123456789abcdef"
EPOCH = 1_750_000_000.0


@dataclass
class Reply:
    """The server's answer to one request; `raw` replaces all of it, None hangs up."""

    status: int = 200
    body: bytes = b'{"total":0}'
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = b""


HANG_UP = Reply(raw=None)


@dataclass
class Seen:
    """A request as it arrived."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


class Server(ThreadingHTTPServer):
    """Answers by script, then always by its last line; or by `answer`, when that is set."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 50

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script: list[Reply] = [Reply()]
        self.answer: Callable[[Seen], Reply] | None = None
        self.seen: list[Seen] = []
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def next_reply(self, seen: Seen) -> Reply:
        with self.lock:
            self.seen.append(seen)
            if self.answer is None:
                return self.script.pop(0) if len(self.script) > 1 else self.script[0]
        return self.answer(seen)

    def handle_error(self, request, client_address) -> None:
        """Clients that hang up are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        reply = self.server.next_reply(Seen(self.command, self.path, dict(self.headers), body))
        if reply.raw is None or reply.raw:
            self.wfile.write(reply.raw or b"")
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        self.send_response_only(reply.status)
        headers = {"Content-Length": str(len(reply.body))} | reply.headers
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(reply.body)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer  # noqa: N815 - http.server's names

    def log_message(self, *args) -> None:
        """Silent."""


class FakeClock:
    """Sleeping moves it on, once `release` is set; with `stuck`, sleepers stay until they are woken."""

    def __init__(self) -> None:
        self.elapsed = 0.0
        self.sleeps: list[float] = []
        self.stuck = False
        self.release = threading.Event()
        self.release.set()
        self.asleep = threading.Event()
        self.tick = 0.0
        self._lock = threading.Lock()

    def now(self) -> float:
        return EPOCH + self.elapsed

    def monotonic(self) -> float:
        with self._lock:
            self.elapsed += self.tick
            return 1000.0 + self.elapsed

    def sleep(self, seconds: float, wake: threading.Event) -> None:
        with self._lock:
            self.sleeps.append(seconds)
        self.asleep.set()
        if self.stuck:
            assert wake.wait(20), "nobody woke the sleeper"
            return
        assert self.release.wait(20), "nobody released the sleeper"
        with self._lock:
            self.elapsed += seconds


def http_date(epoch: float) -> str:
    """The date form of HTTP headers."""
    return formatdate(epoch, usegmt=True)
