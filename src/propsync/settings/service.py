"""Which service an address of the API means, however people write it."""

from __future__ import annotations

from urllib.parse import urlsplit

from propsync.settings.checks import is_loopback

_HTTPS = 443
_LOOPBACK = "loopback"


def is_same_service(one: str, other: str) -> bool:
    """Whether two checked addresses mean the same API.

    http is for loopback alone, so the scheme says nothing. Neither do the names and ports of loopback: a sandbox or a
    tunnel may get another port each time it starts.
    """
    return _service(one) == _service(other)


def _service(address: str) -> tuple[str, int | None, str]:
    parts = urlsplit(address)
    host = (parts.hostname or "").rstrip(".")
    place = (_LOOPBACK, None) if is_loopback(host) else (host, parts.port or _HTTPS)
    return *place, parts.path.rstrip("/")
