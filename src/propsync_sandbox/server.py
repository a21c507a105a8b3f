"""Sockets: a thread a connection, HTTP/1.1 with keep-alive, loopback only."""

import contextlib
import socket
import socketserver
import ssl
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from urllib.parse import urlsplit

from .app import App
from .control import PREFIX, Control
from .exchange import Request
from .wire import Crowd, Wire

HOST = "127.0.0.1"
_IDLE_SECONDS = 120
_MOST_BODY = 64 * 2**20


class Connection(BaseHTTPRequestHandler):
    """Reads requests and hands answers to the wire; the base class parses request lines and headers."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = _IDLE_SECONDS
    server: "Server"

    def log_message(self, format: str, *args: object) -> None:
        """Quiet: the journal is the log."""

    def answer(self) -> None:
        request = self._request()
        if request is None:
            return
        wire = self._wire()
        try:
            self._answer(request, wire)
        finally:
            wire.leave()

    def _answer(self, request: Request, wire: Wire) -> None:
        if request.path.startswith(PREFIX):
            wire.send(self.server.control.answer(request))
            return
        effect = self.server.control.faults.draw(request.method, request.path, request.query)
        answer, sequence = self.server.app.answer(replace(request, effect=effect))
        whole = False
        try:
            whole = wire.send(answer, effect)
        finally:
            if not whole:
                self.server.app.journal.not_delivered(sequence)
                self._hang_up()

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = answer  # noqa: N815  the base class looks for these names

    def _request(self) -> Request | None:
        length = self.headers.get("Content-Length", "0")
        if "Transfer-Encoding" in self.headers or not length.isdigit() or int(length) > _MOST_BODY:
            self.send_error(411)
            return None
        url = urlsplit(self.path)
        headers = {name.lower(): text for name, text in self.headers.items()}
        body = self.rfile.read(int(length))
        if len(body) < int(length):  # the client died in the middle of its request
            self.close_connection = True
            return None
        return Request(self.command, url.path, url.query, headers, body)

    def _wire(self) -> Wire:
        packed = self.server.packing and "gzip" in self.headers.get("Accept-Encoding", "")
        return Wire(self.connection, self.server.closing, not self.close_connection, packed, self.server.crowd)

    def _hang_up(self) -> None:
        """Closes at once: the base class would end politely and spoil a reset."""
        self.close_connection = True
        self.rfile.close()
        self.connection.close()


class Server(socketserver.ThreadingTCPServer):
    """Tracks its connections and threads, so that `stop` leaves no socket open."""

    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128

    def __init__(
        self, app: App, control: Control, *, port: int = 0, packing: bool = True, tls: ssl.SSLContext | None = None
    ) -> None:
        self.app = app
        self.control = control
        self.packing = packing
        self.tls = tls
        self.closing = threading.Event()
        self.crowd = Crowd()
        self._connections: set[socket.socket] = set()
        self._conversations: set[threading.Thread] = set()
        self._lock = threading.Lock()
        super().__init__((HOST, port), Connection)
        self._accepting = threading.Thread(target=self.serve_forever, args=(0.02,), name="sandbox", daemon=True)

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def start(self) -> None:
        self._accepting.start()

    def stop(self) -> None:
        """Stops accepting, wakes stalled threads, closes every connection and waits for its thread."""
        self.closing.set()
        if self._accepting.is_alive():
            self.shutdown()
            self._accepting.join()
        self.server_close()
        with self._lock:
            connections, threads = list(self._connections), list(self._conversations)
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join(5)

    def process_request(self, request: socket.socket | tuple[bytes, socket.socket], client_address: object) -> None:
        assert isinstance(request, socket.socket)
        thread = threading.Thread(target=self._converse, args=(request, client_address), daemon=True)
        with self._lock:
            self._connections.add(request)
            self._conversations.add(thread)
        thread.start()

    def _converse(self, request: socket.socket, client_address: object) -> None:
        """Serves one connection from start to end. A client that disconnects is no error here."""
        connection = request
        try:
            if self.tls is not None:
                connection = self._secured(request)
            with contextlib.suppress(OSError):
                self.finish_request(connection, client_address)
        except OSError:
            pass  # the TLS handshake failed, as in tests of certificates
        finally:
            self.shutdown_request(connection)
            with self._lock:
                self._connections.discard(request)
                self._connections.discard(connection)
                self._conversations.discard(threading.current_thread())

    def _secured(self, request: socket.socket) -> socket.socket:
        """Does the handshake in the connection's own thread, so that a slow client delays nobody."""
        assert self.tls is not None
        request.settimeout(_IDLE_SECONDS)
        secured = self.tls.wrap_socket(request, server_side=True, do_handshake_on_connect=False)
        with self._lock:
            self._connections.discard(request)
            self._connections.add(secured)
        try:
            secured.do_handshake()
        except OSError:
            secured.close()
            raise
        return secured
