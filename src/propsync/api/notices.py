"""A run's notice to an address of the operator's own, which is not the API: one POST, never repeated."""

from __future__ import annotations

import threading

import httpx

from propsync import log
from propsync.api.connections import is_about_certificate, trust

NOTICE_SECONDS = 10.0


def post_notice(url: str, body: bytes) -> str | None:
    """Posts JSON to `url` once; returns why it did not get there, None when a 2xx came. Never tells the address.

    The address is a secret (whoever knows it can write to a chat), so no log line shows it from now on. Whatever
    answers there has so many seconds in all, and its body is not read.
    """
    log.conceal(url)
    told: list[str | None] = []
    thread = threading.Thread(target=lambda: told.append(_posted(url, body)), daemon=True)
    thread.start()
    thread.join(NOTICE_SECONDS)
    return told[0] if told else f"no answer came within {NOTICE_SECONDS:.0f} s"


def _posted(url: str, body: bytes) -> str | None:
    headers = {"Content-Type": "application/json", "User-Agent": "propsync"}
    try:
        with (
            httpx.Client(verify=trust(url), timeout=NOTICE_SECONDS, follow_redirects=False) as client,
            client.stream("POST", url, content=body, headers=headers) as answer,
        ):
            return None if answer.is_success else f"the answer was {answer.status_code}"
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, ImportError) as error:  # the last two: a proxy variable
        return "the server's certificate was not accepted" if is_about_certificate(error) else type(error).__name__
