"""Sends an answer into the socket: whole, slowly, cut short, or not at all (see `faults`)."""

import gzip
import socket
import struct
import time
from collections.abc import Iterator
from email.utils import formatdate
from http import HTTPStatus
from threading import Event, Lock

from .exchange import JSON, Answer
from .faults import Effect

_WORTH_PACKING = 512
# Bytes sent before a reset must have reached the client, or the kernel discards them.
_BEFORE_RESET = 0.05
_NO_BODY = (204, 304)


class Crowd:
    """Counts the requests that wait for their answer, and the most that ever did at one moment."""

    def __init__(self) -> None:
        self.most = 0
        self._now = 0
        self._lock = Lock()

    def enter(self) -> None:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)

    def leave(self) -> None:
        with self._lock:
            self._now -= 1


class Wire:
    """One answer on one connection. `send` returns False if it did not go out whole; then the connection is closed."""

    def __init__(self, connection: socket.socket, closing: Event, keep_alive: bool, packed: bool, crowd: Crowd) -> None:
        self.connection = connection
        self.closing = closing
        self.keep_alive = keep_alive
        self.packed = packed
        self._crowd: Crowd | None = crowd
        crowd.enter()

    def leave(self) -> None:
        """Leaves the crowd before the answer can reach the client, which may send its next request at once."""
        if self._crowd is not None:
            self._crowd.leave()
        self._crowd = None

    def send(self, answer: Answer, effect: Effect | None = None) -> bool:
        kind = effect.kind if effect else "whole"
        send = getattr(self, f"_send_{kind}", None)
        if effect is None or send is None:
            return self._send_whole(answer)
        sent: bool = send(answer, effect)
        return sent

    def _send_whole(self, answer: Answer) -> bool:
        head, body = self._head_and_body(answer)
        self.leave()
        # One call for both: a small packet of its own for the head would cost a round trip.
        self.connection.sendall(head + body)
        return True

    def _send_delay(self, answer: Answer, effect: Effect) -> bool:
        self._wait(effect.seconds)
        return self._send_whole(answer)

    def _send_slow_body(self, answer: Answer, effect: Effect) -> bool:
        head, body = self._head_and_body(answer)
        self.connection.sendall(head)
        for piece in _pieces(body, effect.chunks):
            self._wait(effect.seconds / effect.chunks)
            self.connection.sendall(piece)
        return True

    def _send_cut_body(self, answer: Answer, effect: Effect) -> bool:
        self.connection.sendall(self._cut(answer, effect.fraction))
        return False

    def _send_cut_chunked(self, answer: Answer, effect: Effect) -> bool:
        if answer.status in _NO_BODY:
            return self._send_cut_body(answer, effect)
        head, body = self._head_and_body(answer, chunked=True)
        self.connection.sendall(head)
        for piece in _pieces(_part(body, effect.fraction), 4):
            self.connection.sendall(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        return False

    def _send_reset(self, answer: Answer, effect: Effect) -> bool:
        if effect.where == "body":
            self.connection.sendall(self._cut(answer, effect.fraction))
            self._wait(_BEFORE_RESET)
        # Linger on for zero seconds: close() then sends RST in place of FIN.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return False

    def _send_close(self, _answer: Answer, _effect: Effect) -> bool:
        return False

    def _send_stall(self, _answer: Answer, effect: Effect) -> bool:
        self._wait(effect.seconds)
        return False

    def _cut(self, answer: Answer, fraction: float) -> bytes:
        """An answer without a body ends within its head."""
        head, body = self._head_and_body(answer)
        return head + _part(body, fraction) if body else _part(head, fraction)

    def _wait(self, seconds: float) -> None:
        """Ends early if the sandbox is closing."""
        self.closing.wait(seconds)

    def _head_and_body(self, answer: Answer, chunked: bool = False) -> tuple[bytes, bytes]:
        body = b"" if answer.status in _NO_BODY else answer.body()
        headers = {"Server": "propsync-sandbox", "Date": formatdate(time.time(), usegmt=True)}
        if answer.status not in _NO_BODY:
            headers["Content-Type"] = answer.content_type
            if self.packed and answer.content_type == JSON and len(body) >= _WORTH_PACKING:
                body = gzip.compress(body, 1, mtime=0)
                headers["Content-Encoding"] = "gzip"
            headers |= {"Transfer-Encoding": "chunked"} if chunked else {"Content-Length": str(len(body))}
        headers |= answer.headers
        headers["Connection"] = "keep-alive" if self.keep_alive else "close"
        return _head(answer.status, headers), body


def _head(status: int, headers: dict[str, str]) -> bytes:
    try:
        reason = HTTPStatus(status).phrase
    except ValueError:
        reason = "Planned"
    lines = [f"HTTP/1.1 {status} {reason}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"


def _part(body: bytes, fraction: float) -> bytes:
    """Never the whole body."""
    return body[: min(int(len(body) * fraction), max(0, len(body) - 1))]


def _pieces(body: bytes, count: int) -> Iterator[bytes]:
    size = max(1, -(-len(body) // count))
    for start in range(0, len(body), size):
        yield body[start : start + size]
