"""The private members of httpx and httpcore that propsync uses.

Nothing public gives two things: whether bytes came beyond an answer, and how much to receive at once. A version that
moves these members would mix answers up silently, so importing this module then raises LibraryUnfit.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from importlib import metadata
from typing import Any

import httpcore
import httpx

from propsync.errors import LibraryUnfit


def holds_more(transport: httpx.HTTPTransport) -> bool:
    """Whether bytes came beyond the answer: httpcore would read them as the next request's answer."""
    return any(one._h11_state.trailing_data[0] for one in _http11_of(transport))


def receive_at_once(transport: httpx.HTTPTransport, size: int) -> None:
    """Makes an open connection receive up to that many bytes in one call, from its next read on."""
    for one in _http11_of(transport):
        one.READ_NUM_BYTES = size


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
    plain, secure = httpcore.Origin(b"http", b"localhost", 80), httpcore.Origin(b"https", b"localhost", 443)
    proxy = httpcore.HTTPProxy("http://localhost")
    for around in (httpcore.HTTPConnection(plain), proxy.create_connection(plain), proxy.create_connection(secure)):
        yield "httpcore", f"{type(around).__name__}._connection", hasattr(around, "_connection")
    inner: Any = httpcore.HTTP11Connection(plain, httpcore.MockStream([]))
    yield "httpcore", "HTTP11Connection.READ_NUM_BYTES", isinstance(getattr(inner, "READ_NUM_BYTES", None), int)
    trailing = getattr(getattr(inner, "_h11_state", None), "trailing_data", None)
    yield "httpcore", "HTTP11Connection._h11_state.trailing_data", trailing == (b"", False)


check()
