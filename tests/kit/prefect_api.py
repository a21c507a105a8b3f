"""The API of a Prefect server, as its own client asks it."""

from __future__ import annotations

import time
from typing import Any

import httpx


class PrefectApi:
    """Asks a Prefect server at `url`, and asks again on a 503: the server answers so when SQLite is locked."""

    def __init__(self, url: str) -> None:
        # a server beside the long tests is slow at times
        self.client = httpx.Client(base_url=url, timeout=120, trust_env=False)

    def get(self, path: str) -> Any:
        return self._ask("GET", path)

    def post(self, path: str, body: object) -> Any:
        return self._ask("POST", path, json=body)

    def patch(self, path: str, body: object) -> None:
        self._ask("PATCH", path, json=body)

    def delete(self, path: str) -> None:
        self._ask("DELETE", path)

    def _ask(self, method: str, path: str, **content: Any) -> Any:
        for _ in range(10):
            answer = self.client.request(method, path, **content)
            if answer.status_code != 503:
                break
            time.sleep(1)
        answer.raise_for_status()
        return answer.json() if answer.content else None
