"""Kept connections to one server; they use the system's trust store and proxy variables."""

from __future__ import annotations

import ipaddress
import os
import ssl
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from propsync.api.internals import Pace, holds_more, keep_pace, receive_at_once
from propsync.errors import UsageError

_AT_ONCE = 256 * 1024  # bytes; with httpcore's own 64 KB a page took half as long again to receive


class Connections:
    """Connections with an httpx transport each, which threads use in turn.

    A shared pool looks at every idle connection before each request. A client handles cookies and redirects that the
    API does not have, and makes a request cost half as much again. Raises UsageError for an invalid proxy.
    """

    def __init__(self, base_url: str, verify: ssl.SSLContext | None, monotonic: Callable[[], float]) -> None:
        self._verify = verify or trust(base_url)
        self._proxy = _proxy(base_url, self._verify)
        self._host = urlsplit(base_url).netloc.rpartition("@")[2]
        self._monotonic = monotonic
        self._idle: deque[tuple[httpx.HTTPTransport, Pace]] = deque()

    @property
    def server(self) -> str:
        """The server's address as the end of "no connection to", and the proxy's, without its password."""
        return f"{self._host}{self.through}"

    @property
    def through(self) -> str:
        """The proxy's address as the end of "the connection failed", without its password; empty without a proxy."""
        return f" through the proxy {self._proxy.url.netloc.decode()}" if self._proxy else ""

    def close(self) -> None:
        """Closes all connections."""
        while self._idle:
            self._idle.pop()[0].close()

    @contextmanager
    def answer(
        self,
        request: httpx.Request,
        head_until: float,
        body_until: float | None,
        cancel: threading.Event | None = None,
    ) -> Iterator[httpx.Response]:
        """The answer to a request, with its body still unread. Raises httpx's own errors, and Cancelled.

        A server may send part of a header, or a further interim answer, again and again. So the head must be there by
        one moment of the clock, and the body's last read by another, if there is one.
        """
        with self._one() as (connection, pace):
            pace.until, pace.cancel = head_until, cancel
            with closing(connection.handle_request(request)) as response:
                receive_at_once(connection, _AT_ONCE)
                pace.until = body_until
                yield response

    @contextmanager
    def _one(self) -> Iterator[tuple[httpx.HTTPTransport, Pace]]:
        """The connection used last, which is the most likely to be open still, or a new one."""
        try:
            kept = self._idle.pop()
        except IndexError:
            kept = self._new()
        try:
            yield kept
        finally:
            if holds_more(kept[0]):
                kept[0].close()
            else:
                self._idle.append(kept)

    def _new(self) -> tuple[httpx.HTTPTransport, Pace]:
        connection, pace = httpx.HTTPTransport(verify=self._verify, proxy=self._proxy), Pace(self._monotonic)
        keep_pace(connection, pace)
        return connection, pace


def trust(base_url: str) -> ssl.SSLContext:
    """The system's trust store, which takes longer to read than many a sync; plain HTTP does not need it."""
    if base_url.lower().startswith("http://"):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # it trusts no certificate
    return ssl.create_default_context()


def unread_authority() -> str | None:
    """The file in SSL_CERT_FILE if nobody can read it: OpenSSL leaves out such a one, and says nothing."""
    if not (path := os.environ.get("SSL_CERT_FILE")):
        return None
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=path)
    except OSError:  # ssl.SSLError is one: the file has no certificate
        return path
    return None


def _proxy(base_url: str, verify: ssl.SSLContext) -> httpx.Proxy | None:
    """The proxy that the environment names for an address; an invalid variable is an error in any case."""
    configured = {scheme: address for scheme, address in getproxies().items() if scheme in ("http", "https", "all")}
    try:
        proxies = {scheme: _usable(address, verify) for scheme, address in configured.items() if address}
    except (ValueError, ImportError, httpx.InvalidURL):
        failure = "a proxy variable (HTTP_PROXY, HTTPS_PROXY, ALL_PROXY) holds an address that cannot be used"
    else:
        url = urlsplit(base_url)
        return None if _is_direct(url) else proxies.get(url.scheme.lower()) or proxies.get("all")
    # Raises outside the handler: the address may contain a password.
    raise UsageError("proxy", failure, "Correct or unset it, then run `propsync doctor`")


def _is_direct(url: SplitResult) -> bool:
    """Whether to go without a proxy: for hosts in NO_PROXY, and for this computer, as plain HTTP would carry the
    token out of it.
    """
    host = url.hostname or ""
    with suppress(ValueError):
        if ipaddress.ip_address(host).is_loopback:
            return True
    # the variable has an IPv6 address without its brackets
    return host == "localhost" or any(map(proxy_bypass, (url.netloc.rpartition("@")[2], host)))


def _usable(address: str, verify: ssl.SSLContext) -> httpx.Proxy:
    proxy = httpx.Proxy(address if "://" in address else f"http://{address}")
    httpx.HTTPTransport(verify=verify, proxy=proxy).close()  # it checks for the packages that proxies of this kind need
    return proxy


def certificate_fault(error: BaseException | None) -> ssl.SSLCertVerificationError | None:
    """The refusal of a certificate from which a failure comes; None if it comes from something else."""
    while error is not None and not isinstance(error, ssl.SSLCertVerificationError):
        error = error.__cause__ or error.__context__
    return error
