"""An address that takes notices."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class NoticeReceiver:
    """An address that takes notices, and answers `status`."""

    def __init__(self) -> None:
        self.status = 200
        self.got: list[Any] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                receiver.got.append((dict(self.headers), self.rfile.read(length).decode()))
                self.send_response(receiver.status)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Nothing on standard error."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/hook/very-secret-part"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def only(self) -> dict[str, Any]:
        """The one notice."""
        ((headers, body),) = self.got
        assert headers["Content-Type"] == "application/json"
        assert "Authorization" not in headers
        return json.loads(body)

    def close(self) -> None:
        """Listens no more."""
        self._server.shutdown()
        self._server.server_close()
