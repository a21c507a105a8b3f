"""The private members of httpx and httpcore that propsync uses.

Nothing public tells whether bytes came beyond an answer. Nor does it set how much to receive at once, or one time limit
for all reads of an answer. A version that moves these members would mix answers up silently, so importing this module
then raises LibraryUnfit.
"""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator
from importlib import metadata
from typing import Any

import httpcore
import httpx

from propsync.api.gate import Cancelled
from propsync.errors import LibraryUnfit

_LOOK_AGAIN = 0.5  # seconds


def holds_more(transport: httpx.HTTPTransport) -> bool:
    """Whether bytes came beyond the answer: httpcore would read them as the next request's answer."""
    return any(one._h11_state.trailing_data[0] for one in _http11_of(transport))


def receive_at_once(transport: httpx.HTTPTransport, size: int) -> None:
    """Makes an open connection receive up to that many bytes in one call, from its next read on."""
    for one in _http11_of(transport):
        one.READ_NUM_BYTES = size


class Pace:
    """When the reads of one connection must end: each of them has a time limit, and an endless row of them has none.

    They also end, with Cancelled, soon after something sets `cancel`. A silent server would keep a stopped run for a
    minute, and Prefect kills it after half of that.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self.until: float | None = None
        self.cancel: threading.Event | None = None
        self._monotonic = monotonic

    def read(self, receive: Callable[[float | None], bytes], timeout: float | None) -> bytes:
        """The bytes from `receive`, which gets the seconds to wait. Raises ReadTimeout when the time is over."""
        left = self._allowed(timeout)
        while self.cancel is not None and (left is None or left > _LOOK_AGAIN):
            try:
                return receive(_LOOK_AGAIN)
            except httpcore.ReadTimeout:
                left = self._allowed(None if left is None else left - _LOOK_AGAIN)
            if self.cancel.is_set():
                raise Cancelled
        return receive(left)

    def _allowed(self, timeout: float | None) -> float | None:
        if self.until is None:
            return timeout
        left = self.until - self._monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout("the answer did not arrive in time")
        return left if timeout is None else min(left, timeout)


class _PacedStream(httpcore.NetworkStream):
    def __init__(self, stream: httpcore.NetworkStream, pace: Pace) -> None:
        self._stream = stream
        self._pace = pace
        self.write = stream.write  # type: ignore[method-assign]
        self.close = stream.close  # type: ignore[method-assign]
        self.get_extra_info = stream.get_extra_info  # type: ignore[method-assign]

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._pace.read(lambda seconds: self._stream.read(max_bytes, seconds), timeout)

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _PacedStream(self._stream.start_tls(ssl_context, server_hostname, timeout), self._pace)


class _PacedBackend(httpcore.NetworkBackend):
    def __init__(self, backend: httpcore.NetworkBackend, pace: Pace) -> None:
        self._backend = backend
        self._pace = pace

    def connect_tcp(self, *place: Any, **options: Any) -> httpcore.NetworkStream:
        return _PacedStream(self._backend.connect_tcp(*place, **options), self._pace)


def keep_pace(transport: httpx.HTTPTransport, pace: Pace) -> None:
    """Makes all connections that the transport opens from now on keep to `pace`."""
    pool: Any = transport._pool
    pool._network_backend = _PacedBackend(pool._network_backend, pace)


def _http11_of(transport: httpx.HTTPTransport) -> Iterator[Any]:
    """The connections of HTTP/1.1; a proxy's connection wraps the one that goes through it."""
    for one in transport._pool.connections:
        inner: Any = one
        while inner is not None and not isinstance(inner, httpcore.HTTP11Connection):
            inner = inner._connection
        if inner is not None:
            yield inner


def check() -> None:
    """Raises LibraryUnfit if one of these members is missing, or is of another kind."""
    for library, member, is_as_known in _looked_at():
        if not is_as_known:
            required = [one for one in metadata.requires("propsync") or () if one.startswith(library)]
            step = f"Install {required[0]}" if required else f"Install another version of {library}"
            what = f"{member} has moved or no longer exists"
            raise LibraryUnfit(f"{library} {metadata.version(library)}", what, step)


def _looked_at() -> Iterator[tuple[str, str, bool]]:
    """Library, member, and whether it exists: checked on real connections that nobody opens."""
    # it trusts no certificate: the system's trust store takes long to read
    transport = httpx.HTTPTransport(verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
    yield "httpx", "HTTPTransport._pool", isinstance(getattr(transport, "_pool", None), httpcore.ConnectionPool)
    backend = getattr(getattr(transport, "_pool", None), "_network_backend", None)
    yield "httpcore", "ConnectionPool._network_backend", isinstance(backend, httpcore.NetworkBackend)
    plain, secure = httpcore.Origin(b"http", b"localhost", 80), httpcore.Origin(b"https", b"localhost", 443)
    proxy = httpcore.HTTPProxy("http://localhost")
    for around in (httpcore.HTTPConnection(plain), proxy.create_connection(plain), proxy.create_connection(secure)):
        yield "httpcore", f"{type(around).__name__}._connection", hasattr(around, "_connection")
    inner: Any = httpcore.HTTP11Connection(plain, httpcore.MockStream([]))
    yield "httpcore", "HTTP11Connection.READ_NUM_BYTES", isinstance(getattr(inner, "READ_NUM_BYTES", None), int)
    trailing = getattr(getattr(inner, "_h11_state", None), "trailing_data", None)
    yield "httpcore", "HTTP11Connection._h11_state.trailing_data", trailing == (b"", False)


check()
