"""Serves the receiver: uvicorn, with bounds on connections and on the time that a sender takes for its headers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from propsync.webhook.receiver import Receiver

MOST_CONNECTIONS = 500
HEADER_SECONDS = 10.0
_IDLE_SECONDS = 75  # longer than proxies keep a connection, so that they close it first
_MOST_HEADER_BYTES = 16_384
_STOP_SECONDS = 15


class BoundedProtocol(H11Protocol):
    """Closes a connection whose next request does not begin in time, and connections beyond the most."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Refuses one too many; the others have some seconds."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
        else:
            self._begin_wait()

    def data_received(self, data: bytes) -> None:
        """Takes bytes in. Between two requests, the first of them starts the clock, and the others do not stop it."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._end_wait()
        elif self._deadline is None:
            self._begin_wait()

    def on_response_complete(self) -> None:
        """An answer is out; a rest of its body that nobody wants must end."""
        super().on_response_complete()
        is_idle = self.conn.their_state is h11.IDLE or not self.cycle.response_complete
        if not is_idle and self._deadline is None:
            self._begin_wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection has gone."""
        self._end_wait()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's own words, for nobody
        """Answers what is no HTTP like everything else that is wrong."""
        self.transport.write(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        self.transport.close()

    def _begin_wait(self) -> None:
        self._deadline = self.loop.call_later(HEADER_SECONDS, self.transport.abort)

    def _end_wait(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class _Server(uvicorn.Server):
    """A server whose signals belong to the program."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leaves them alone."""
        yield


def server_of(receiver: Receiver) -> _Server:
    """A server of the receiver: `serve(sockets=[…])` runs until `should_exit` is true."""
    app: Any = receiver
    config = uvicorn.Config(
        app,
        http=BoundedProtocol,
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        log_level="error",  # each post that is no HTTP would be a warning
        access_log=False,  # the path is a secret
        proxy_headers=False,  # no caller may choose its own address
        server_header=False,
        date_header=False,
        timeout_keep_alive=_IDLE_SECONDS,
        timeout_graceful_shutdown=_STOP_SECONDS,
        h11_max_incomplete_event_size=_MOST_HEADER_BYTES,
    )
    return _Server(config)
