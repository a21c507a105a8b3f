"""A run's notice to an address of the operator, which is not the API: one POST without a retry."""

from __future__ import annotations

import threading
import time
from contextlib import closing

import httpx

from propsync import log
from propsync.api.connections import Connections, certificate_fault
from propsync.errors import UsageError

NOTICE_SECONDS = 10.0


def post_notice(url: str, body: bytes) -> str | None:
    """Posts JSON to `url` once; returns the reason for a failure, None after a 2xx. Never reveals the address.

    The address is a secret, because anybody who knows it can write to a chat. So no log line shows it from now on; a
    client of httpx would log it. The receiver has that many seconds in all, and propsync does not read its answer.
    """
    log.conceal(url)
    failures: list[str | None] = []
    thread = threading.Thread(target=lambda: failures.append(_posted(url, body)), name="notice", daemon=True)
    thread.start()
    thread.join(NOTICE_SECONDS)
    return failures[0] if failures else _late()


def _posted(url: str, body: bytes) -> str | None:
    try:
        connections, late = Connections(url, None, time.monotonic), time.monotonic() + NOTICE_SECONDS
        with closing(connections), connections.answer(_request(url, body), late, late) as answer:
            return None if answer.is_success else f"the answer was {answer.status_code}"
    except UsageError as error:  # a proxy variable
        return error.what
    except httpx.ReadTimeout:
        return _late()
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        return "the server's certificate was not accepted" if certificate_fault(error) else type(error).__name__


def _late() -> str:
    return f"no answer came within {NOTICE_SECONDS:.0f} s"


def _request(url: str, body: bytes) -> httpx.Request:
    """With the user and password of the address, if it has any."""
    headers = {"Content-Type": "application/json", "User-Agent": "propsync"}
    timeout = httpx.Timeout(NOTICE_SECONDS).as_dict()
    request = httpx.Request("POST", url, headers=headers, content=body, extensions={"timeout": timeout})
    if not request.url.userinfo:
        return request
    return next(httpx.BasicAuth(request.url.username, request.url.password).auth_flow(request))
