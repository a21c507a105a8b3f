"""Talks to our own Prefect server over loopback, with its password; no proxy, no token of the API."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any

from propsync.errors import StopRun

_TIMEOUT = 30  # seconds
_TRIES = 10
_START_SECONDS = 180  # the first start makes the database, on a slow disk and one core


class Server:
    """The server's API at `url`, called with `headers`. Raises StopRun if it does not answer properly."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        self.url, self._headers = url, headers
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def wait(self, check: Callable[[], None]) -> None:
        """Waits until it answers; `check` raises if its program has ended."""
        deadline = time.monotonic() + _START_SECONDS
        while not self._is_up():
            check()
            if time.monotonic() > deadline:
                raise StopRun("serve", f"the server did not answer within {_START_SECONDS} s", "Read its log")
            time.sleep(0.2)

    def get(self, path: str) -> Any:
        """The answer at `path`; None if it does not exist."""
        return self._ask("GET", path)

    def post(self, path: str, body: object) -> Any:
        """The answer to posting `body`."""
        return self._ask("POST", path, body)

    def patch(self, path: str, body: object) -> Any:
        """The answer to changing the object at `path`."""
        return self._ask("PATCH", path, body)

    def all_of(self, path: str, body: dict[str, object]) -> list[dict[str, Any]]:
        """Everything that a filter finds, page by page."""
        found: list[dict[str, Any]] = []
        while page := self.post(path, body | {"limit": 200, "offset": len(found)}):
            found += page
        return found

    def _is_up(self) -> bool:
        try:
            with self._opener.open(f"{self.url}/health", timeout=5):
                return True
        except (OSError, http.client.HTTPException):
            return False

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        """Retries after a 503, as Prefect's own client does: the server sends one while SQLite is locked."""
        for _ in range(_TRIES):
            try:
                return self._once(method, path, body)
            except urllib.error.HTTPError as error:
                if error.code == 404:
                    return None
                if error.code != 503:
                    raise StopRun("serve", f"the server answered {error.code} to {method} {path}") from error
            except (OSError, http.client.HTTPException) as error:
                raise StopRun("serve", f"the server did not answer {method} {path}: {error}") from error
            time.sleep(1)
        raise StopRun("serve", f"the server's database stayed locked at {method} {path}", "Run `propsync serve` again")

    def _once(self, method: str, path: str, body: object) -> Any:
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(  # noqa: S310 - our own address
            f"{self.url}{path}", content, {"Content-Type": "application/json", **self._headers}, method=method
        )
        with self._opener.open(request, timeout=_TIMEOUT) as answer:
            text = answer.read()
        return json.loads(text) if text else None
