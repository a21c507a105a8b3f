"""The lists (API §4.2, 4.5, 4.9, and that of properties): filter, order, page, and what a fault does to the page."""

import re
import secrets
import time
from collections.abc import Callable
from functools import partial

from . import assessments, schedules
from .exchange import Answer, Refusal, Request
from .order import Order
from .shelf import Record
from .tear import Tear
from .values import FILES_URL
from .world import World

LIMIT = 1000
_FILE_LINK = re.compile(f'({re.escape(FILES_URL)}/[^"]*)"'.encode())


class Lists:
    """`signed_links`: links in values carry a signature that differs at every request, as signed URLs do.

    `most` is the most records of a page, however many a client asks for.
    """

    def __init__(self, world: World, order: Order, signed_links: bool = False, most: int = LIMIT) -> None:
        self.world = world
        self.order = order
        self.signed_links = signed_links
        self.most = most
        self.tear = Tear()
        self.lag = 0.0
        """Seconds for which lists do not show a change yet."""

    def assets(self, request: Request) -> Answer:
        """GET /properties/assets (API §4.2)."""
        ids, properties = request.words("id"), request.words("property")
        types = self.world.asset_types.named(request.words("type")) if request.words("type") else set()
        asked_type = bool(request.words("type"))

        def wanted(record: Record) -> bool:
            return (
                (not ids or record.key in ids)
                and (not properties or record.property in properties)
                and (not asked_type or record.type in types)
            )

        return self._page("assets", wanted, request, types=self.world.asset_types.listed_json())

    def assessments(self, request: Request) -> Answer:
        """GET /assessments (API §4.5)."""
        with_flags = request.truth("includeflags")
        statuses = request.words("status", "approved")
        ids, properties, types = request.words("assessment"), request.words("property"), request.words("type")
        performed = request.words("performed", ",".join(assessments.PERFORMED))
        if not performed <= set(assessments.PERFORMED):
            raise Refusal(400, "PerformedInvalid", "performed must be For, By or both")

        def wanted(record: Record) -> bool:
            return (
                record.status in statuses
                and not performed.isdisjoint(record.performed)
                and (not ids or record.key in ids)
                and (not properties or record.property in properties)
                and (not types or record.type in types)
            )

        return self._page("assessments", wanted, request, with_flags=with_flags)

    def schedules(self, request: Request) -> Answer:
        """GET /assessments/schedules (API §4.9); `asset` is the deprecated name of `property`."""
        statuses = request.words("status", ",".join(schedules.STATUSES))
        properties, types = request.words("property") | request.words("asset"), request.words("type")

        def wanted(record: Record) -> bool:
            return (
                record.status in statuses
                and (not properties or record.property in properties)
                and (not types or record.type in types)
            )

        return self._page("schedules", wanted, request)

    def properties(self, request: Request) -> Answer:
        """GET /properties, whose answers the API's document does not show."""
        ids = request.words("id")
        return self._page("properties", lambda record: not ids or record.key in ids, request)

    def _page(
        self,
        resource: str,
        wanted: Callable[[Record], bool],
        request: Request,
        *,
        with_flags: bool = False,
        types: bytes | None = None,
    ) -> Answer:
        limit = min(self.most, request.whole_number("limit", LIMIT, LIMIT))
        page = request.whole_number("page", 1)
        there = self.tear.without_hidden(self._candidates(resource, request), request.effect)
        matching = self.order.arrange(resource, [record for record in there if wanted(record)])
        records = self.tear.rows(matching, request, page, limit)
        total = self.tear.total(len(matching), request.effect, limit, len(records))
        write = partial(self._write, resource, total, records, with_flags, types)
        return Answer(200, write, total=total, records=tuple(records), types=types, with_flags=with_flags)

    def _candidates(self, resource: str, request: Request) -> list[Record]:
        """All records, or the only one that a filter by id can mean: callers read thousands back one by one."""
        if self.lag:
            shown = self.world.shelf(resource).by_key()
            return list(self.world.changes.records_before(resource, time.monotonic() - self.lag, shown).values())
        shelf, ids = self.world.shelf(resource), request.words("id") if resource == "assets" else set()
        if len(ids) != 1:
            return shelf.records()
        record = shelf.get(ids.pop())
        return [record] if record else []

    def _write(self, resource: str, total: int, records: list[Record], with_flags: bool, types: bytes | None) -> bytes:
        """Joins records as bytes: a page of a thousand costs a millisecond."""
        rows = b",".join(record.shown(with_flags) for record in records)
        if self.signed_links:
            signature = secrets.token_hex(8).encode()
            rows = _FILE_LINK.sub(rb"\1?signature=" + signature + b'"', rows)
        head = f'{{"total":{total},"{resource}":['.encode()
        tail = b"]}" if types is None else b'],"types":' + types + b"}"
        return head + rows + tail
