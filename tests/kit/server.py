"""One server for the scripted APIs of tests: whatever answers, it answers over HTTP on loopback."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol, Self

TOKEN = "the-token-of-the-tests"
Query = dict[str, str]
Answer = tuple[int, Any]
"""A status, and a body: bytes as they are, or a value that becomes JSON."""


class Api(Protocol):
    """The part of an API that a server needs: the answer to an address."""

    def respond(self, address: str) -> Answer: ...


class Server:
    """Serves an API from `with` on; it refuses callers without the token."""

    def __init__(self, api: Api) -> None:
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.api = api
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    api: Api


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body in one packet
    server: _Http

    def do_GET(self) -> None:
        has_token = self.headers.get("Authorization") == f"Bearer {TOKEN}"
        status, body = self.server.api.respond(self.path) if has_token else (401, {"code": "no such token"})
        text = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/pdf" if text.startswith(b"%PDF") else "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: a test that fails shows the API's `requests`."""
