"""The floor's way to the API: a kept connection a thread, pages cut into records and not parsed."""

import http.client
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Any
from urllib.parse import urlsplit

import msgspec

THREADS = 8
PAGE = 1000
TYPES = "/properties/assets/types"
_ASSESSMENTS = "/assessments?status=inprogress,submitted,approved&includeflags=true&performed="
LISTS = {
    "assets": ("/properties/assets?", "assets"),
    "assessments_for": (_ASSESSMENTS + "For&", "assessments"),
    "assessments_by": (_ASSESSMENTS + "By&", "assessments"),
    "schedules": ("/assessments/schedules?status=notstarted,inprogress&", "schedules"),
}
_PAGE_OF: dict[str, msgspec.json.Decoder[Any]] = {
    member: msgspec.json.Decoder(
        msgspec.defstruct("Page", [("total", int), ("records", list[msgspec.Raw], msgspec.field(name=member))])
    )
    for member in ("assets", "assessments", "schedules")
}


def cut(member: str, body: bytes) -> tuple[int, list[msgspec.Raw]]:
    """Total and records of a page."""
    page = _PAGE_OF[member].decode(body)
    return page.total, page.records


class Fetcher:
    """Fetches the needed pages and nothing else."""

    def __init__(self, base_url: str, token: str) -> None:
        self._base = urlsplit(base_url)
        self._headers = {"Authorization": f"Bearer {token}"}
        self._local = threading.local()

    def get(self, target: str) -> bytes:
        """The body of one answer."""
        if not hasattr(self._local, "connection"):
            self._local.connection = http.client.HTTPConnection(self._base.hostname or "", self._base.port)
        self._local.connection.request("GET", target, headers=self._headers)
        answer = self._local.connection.getresponse()
        body: bytes = answer.read()
        assert answer.status == 200, (target, answer.status)
        return body

    def pages(self, path: str, member: str, pool: ThreadPoolExecutor) -> Iterator[list[msgspec.Raw]]:
        """All pages of one list, in order."""
        total, records = self._page(path, member, 1)
        rest = pool.map(lambda number: self._page(path, member, number)[1], range(2, -(-total // PAGE) + 1))
        return chain([records], rest)

    def _page(self, path: str, member: str, number: int) -> tuple[int, list[msgspec.Raw]]:
        return cut(member, self.get(f"{path}limit={PAGE}&page={number}"))
