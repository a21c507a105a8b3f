"""The receiver of hints on a loopback port, in a thread, and raw conversations with it."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from propsync.serving.listener import listening
from propsync.storage import LocalStorage
from propsync.webhook.inbox import Inbox
from propsync.webhook.receiver import Receiver, Rules
from propsync.webhook.server import server_of

SECRET = "a-secret-of-the-tests-with-40-characters"
HOOK = f"/hooks/{SECRET}"


class Receiving:
    """A running receiver: its port, its inbox, and how often it asked for a read."""

    def __init__(self, home: Path, rules: Rules) -> None:
        self.inbox = Inbox(LocalStorage(home))
        self.asked = 0
        self._receiver = Receiver(rules, self.inbox, self._ask)
        self._listener = listening("webhook", "127.0.0.1", 0)
        self.port = int(self._listener.getsockname()[1])
        self.server: Any = None

    def _ask(self) -> None:
        self.asked += 1

    def run(self) -> None:
        """Serves until `server.should_exit`."""
        with self._listener:
            asyncio.run(self._serve())

    async def _serve(self) -> None:
        self.server = server_of(self._receiver)
        await self.server.serve(sockets=[self._listener])

    def bodies(self) -> list[bytes]:
        """The bodies on the disk, in order."""
        return [post.body for post in self.inbox.posts()]

    def post(self, body: bytes, path: str = HOOK, method: str = "POST", **headers: str) -> bytes:
        """The whole answer to one request on a connection of its own."""
        named = {"Content-Length": str(len(body))} | {name.replace("_", "-"): text for name, text in headers.items()}
        lines = "".join(f"{name}: {text}\r\n" for name, text in named.items())
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{lines}\r\n"
        return self.say(head.encode("latin-1") + body)

    def say(self, words: bytes, then: Callable[[socket.socket], None] | None = None) -> bytes:
        """The answer to these bytes until the receiver hangs up; a reset is an end too."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
            answer = b""
            try:
                connection.sendall(words)
                if then:
                    then(connection)
                while lot := connection.recv(65536):
                    answer += lot
            except (ConnectionResetError, BrokenPipeError):
                pass
            return answer


@contextmanager
def receiving(home: Path, **given: Any) -> Iterator[Receiving]:
    """A receiver with these rules."""
    made = Receiving(home, Rules(SECRET, **given))
    thread = threading.Thread(target=made.run, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        if made.server is not None:
            made.server.should_exit = True
        thread.join(20)


def is_accepted(answer: bytes) -> bool:
    """Whether an answer is a 202 without a body."""
    return answer.startswith(b"HTTP/1.1 202 ") and answer.endswith(b"\r\n\r\n")


def is_refused(answer: bytes) -> bool:
    """Whether an answer is a 404 without a body."""
    head, _, body = answer.partition(b"\r\n\r\n")
    return head.startswith(b"HTTP/1.1 404 ") and b"content-length: 0" in head and not body
