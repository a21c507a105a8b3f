"""The receiver as an ASGI application: 202 for a post that is on the disk, and for anything else 404 without a body."""

from __future__ import annotations

import asyncio
import hmac
import logging
import time
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from propsync.webhook.bounds import Rate, Room
from propsync.webhook.group import Group
from propsync.webhook.inbox import Inbox, Post
from propsync.webhook.items import MOST_ITEMS, content_of, count_items
from propsync.webhook.signature import why_unsigned

MOST_BYTES = 1_000_000
"""Of one body."""
MOST_A_MINUTE = 60
"""Requests of one address."""
_ROOM = 16 * MOST_BYTES
_SECONDS = 10.0
_log = logging.getLogger("propsync.webhook")

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


@dataclass(frozen=True)
class Rules:
    """Whom the receiver believes. `signing_key` is None if the service does not sign.

    `address_header` names the header in which the proxy gives the address of the sender; None without a proxy.
    """

    secret: str
    signing_key: bytes | None = None
    address_header: str | None = None
    seconds: float = _SECONDS
    """How long a sender may take for its body."""


class Receiver:
    """Accepts posts at `/hooks/<secret>` and calls `accepted` after each that names something to read."""

    def __init__(self, rules: Rules, inbox: Inbox, accepted: Callable[[], None]) -> None:
        self._rules, self._accepted = rules, accepted
        self._path = f"/hooks/{rules.secret}".encode()
        self._group, self._rate, self._room = Group(inbox), Rate(MOST_A_MINUTE), Room(_ROOM)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if scope["type"] != "http":
            return
        try:
            status = await self._status(scope, receive)
        except Exception as error:  # noqa: BLE001 - the sender only needs to know that it should send again
            _log.error("propsync could not keep a hint, and the sender has to send it again: %s", error)
            status = 503
        await send({"type": "http.response.start", "status": status, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body"})

    async def _status(self, scope: Message, receive: Receive) -> int:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        is_known = hmac.compare_digest(bytes(scope["raw_path"]), self._path) and scope["method"] == "POST"
        size = _size(headers)
        if not is_known or size is None or not self._rate.passes(self._address(scope, headers), time.monotonic()):
            return 404
        try:
            async with asyncio.timeout(self._rules.seconds) as limit, self._room.of(size):
                body = await _body(receive, size)
                if body is None or not self._is_fit(headers, body):
                    return 404
                limit.reschedule(None)  # an fsync takes as long as it takes
                return await self._keep(body)
        except TimeoutError:
            return 404

    async def _keep(self, body: bytes) -> int:
        await self._group.add(Post(datetime.now(UTC), body))
        if content_of(body).subjects:
            self._accepted()
        return 202

    def _is_fit(self, headers: dict[str, str], body: bytes) -> bool:
        key = self._rules.signing_key
        why = None if key is None else why_unsigned(key, headers, body, time.time())
        if why:  # its sender knows the secret path, so perhaps every post of the service meets this
            _log.warning("propsync refused a post: %s", why)
        return why is None and body != b"" and count_items(body) <= MOST_ITEMS

    def _address(self, scope: Message, headers: dict[str, str]) -> str:
        """The sender's address; a list in the header ends with the one that the proxy saw."""
        own = scope["client"][0] if scope.get("client") else ""
        if self._rules.address_header is None:
            return own
        return headers.get(self._rules.address_header.lower(), "").rpartition(",")[2].strip()[:100] or own


def _size(headers: dict[str, str]) -> int | None:
    """The most bytes that the body may have; None if that is too much."""
    length = headers.get("content-length")
    if length is None:
        return MOST_BYTES
    return int(length) if length.isdecimal() and len(length) < 10 and int(length) <= MOST_BYTES else None


async def _body(receive: Receive, most: int) -> bytes | None:
    """The whole body; None if it is longer, or the sender has gone."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if len(body) > most:
            return None
        if not message.get("more_body"):
            return bytes(body)
