"""Checks each request to the Prefect server, and refuses those of other web pages or foreign names.

Prefect itself requires the password. That is not enough for a browser. A page of another origin may send requests with
it from this machine. It may also frame Prefect's pages, or reach them under its own name (DNS rebinding).
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
# Prefect's pages about its own API load scripts from other hosts, which could read the password in the browser
_CLOSED = frozenset({"/docs", "/redoc", "/openapi.json"})
_FOREIGN = frozenset({"cross-site", "same-site"})  # another port of this machine belongs to the same site
_NOT_FRAMED = [(b"x-frame-options", b"DENY"), (b"content-security-policy", b"frame-ancestors 'none'")]


class Guard:
    """An ASGI application around `app`, which receives only requests meant for a server that listens on `host`."""

    def __init__(self, app: App, host: str) -> None:
        self._app, self._names, self._any_address = app, names_of(host), not _is_loopback(host)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answers 4xx itself, or lets the application answer; it refuses a WebSocket before accepting it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
        elif refusal := self._refusal(scope):
            await _refuse(scope, send, *refusal)
        else:
            await self._app(scope, receive, _never_framed(send))

    def _refusal(self, scope: Message) -> tuple[int, str] | None:
        hosts = _values(scope, b"host")
        if len(hosts) != 1 or not self._is_known(_name(hosts[0])):
            return 400, "this server has no such name: use the address that `propsync serve` prints"
        if any(origin not in (f"http://{hosts[0]}", f"https://{hosts[0]}") for origin in _values(scope, b"origin")):
            return 403, "the request comes from a page of another origin"
        if _FOREIGN.intersection(_values(scope, b"sec-fetch-site")) and not _is_link_to_page(scope):
            return 403, "the request comes from a page of another origin"
        if _path(scope).removeprefix("/api").rstrip("/") in _CLOSED:
            return 404, "not served here"
        return None

    def _is_known(self, name: str) -> bool:
        return name in self._names or (self._any_address and _is_address(name))


def names_of(host: str) -> Collection[str]:
    """The names, in lower case, by which browsers may call a server that listens on `host`.

    A server that listens beyond loopback also has this machine's own names, and any numeric address, which no foreign
    DNS can point here.
    """
    own = [host, f"[{host}]"]
    if not _is_loopback(host):
        own += [socket.gethostname(), socket.getfqdn()]
    return _LOOPBACK | {name.casefold() for name in own if name}


def _is_loopback(host: str) -> bool:
    return host == "localhost" or (_is_address(host) and ipaddress.ip_address(host.strip("[]")).is_loopback)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _values(scope: Message, name: bytes) -> list[str]:
    return [value.decode("latin-1").strip().casefold() for key, value in scope["headers"] if key.lower() == name]


def _name(host: str) -> str:
    """The name without the port, which a tunnel or a container changes; an IPv6 address keeps its brackets."""
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdecimal() else host


def _path(scope: Message) -> str:
    return str(scope.get("path") or "/")


def _is_link_to_page(scope: Message) -> bool:
    """Whether somebody followed a link to one of the pages, which shows nothing to the page with the link."""
    is_page = scope["type"] == "http" and scope["method"] == "GET" and not f"{_path(scope)}/".startswith("/api/")
    return (
        is_page
        and _values(scope, b"sec-fetch-mode") == ["navigate"]
        and "document" in _values(scope, b"sec-fetch-dest")
    )


async def _refuse(scope: Message, send: Send, status: int, why: str) -> None:
    if scope["type"] == "websocket":  # closed before it is accepted: the browser gets a 403
        await send({"type": "websocket.close", "code": 1008, "reason": why})
        return
    body = f"propsync serve: {why}\n".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _never_framed(send: Send) -> Send:
    """Forbids every page to show Prefect's in a frame, which could mislead clicks."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *_NOT_FRAMED]
        await send(message)

    return sending
