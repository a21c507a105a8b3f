"""Requests one answer, lands it and cuts it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from propsync.api import Accept, Answer, ApiRequest, Check, check_text, page_request, schedule_request
from propsync.errors import MalformedBody, NotFound, ResourceFailed, UnexpectedAnswer
from propsync.landing import Landed, PageStore
from propsync.records import (
    Cutter,
    Page,
    PayloadUnreadable,
    bytes_hash,
    has_error,
    is_nothing,
)
from propsync.resources import ListQuery, Resource
from propsync.shapes import Shape
from propsync.sweep.list_check import ListCheck
from propsync.sweep.replay import Replay, request_of
from propsync.sweep.totals import NoneCheck, error_alone, is_total, no_count

LONGEST_URL = 4_000
SIGNED_SECONDS = 1.1
_IN_VAIN = 8  # schedules: each costs all attempts, half a minute of waiting


@dataclass(frozen=True)
class Asked:
    """A request, and the role of its answer in the sweep: see `landing.Landed`."""

    request: ApiRequest
    query: ListQuery
    role: str
    sequence: int


@dataclass(frozen=True)
class RefusedPage:
    """A request that the API refused (400) or did not find (404), or a page after the last that always fails."""

    asked: Asked
    error: ResourceFailed

    @property
    def says_not_found(self) -> bool:
        """Whether the API says that the thing requested does not exist."""
        return self.error.says_not_found


@dataclass(frozen=True)
class Reading:
    """A landed answer with its records; `body` is decompressed, `values` are its decoded values until the shape is
    known.
    """

    landed: Landed
    body: bytes
    page: Page
    values: Any = None


class PageReader:
    """Requests pages of one resource, and lands each answer before it reads more than its total."""

    def __init__(self, api: Replay, pages: PageStore, resource: Resource, shape: Shape, limit: int) -> None:
        self._api = api
        self._pages = pages
        self._resource = resource
        self._shape = shape
        self.limit = limit
        self.attempt = 1
        """The number of the attempt under way, which `Attempts` sets."""
        self.is_paged = resource.is_paged
        self.is_parted = resource.is_parted
        self.is_further = resource.is_further
        self.landed: list[Landed] = []
        self._check_none = NoneCheck()
        self._check_list = ListCheck(resource, shape, self._check_none)
        self._asked = 0

    def ask(
        self, query: ListQuery, page: int, role: str = "page", limit: int | None = None, *, once: bool = False
    ) -> Asked:
        """The request for one page of a list, or for all of a list that has no pages; without retries if `once`."""
        self._asked += 1
        # for records that may be gone, an API may answer with null
        accept = Accept.JSON_OR_NULL if role == "look-up" else Accept.JSON
        request = page_request(self._resource, query, limit or self.limit, page, accept)
        return Asked(replace(request, once=once), query, role, self._asked)

    def fits(self, query: ListQuery) -> bool:
        """Whether the address of a list's page is short enough for servers and proxies."""
        return self.ask(query, 1).request.url_length(self._api.base_url) < LONGEST_URL

    def read(self, asked: Asked, cutter: Cutter | None) -> Reading:
        """Reads one answer. Without a cutter it reads only `total`, and the shape remains to be found."""
        try:
            answer = self._api.fetch(asked.request, check=self._check(cutter), walks=cutter is not None)
        except NotFound as error:
            raise NotFound(error.where, error.what, self._resource.path_setting) from error
        return self._land(asked, answer, cutter)

    def read_all(self, asked: Iterable[Asked], cutter: Cutter) -> Iterator[Reading | RefusedPage]:
        """Reads many answers at once, as they come."""
        under_way: dict[ApiRequest, Asked] = {}

        def requests() -> Iterator[ApiRequest]:
            for one in asked:
                under_way[one.request] = one
                yield one.request

        def land(answer: Answer) -> Reading | RefusedPage:
            return self._land(under_way.pop(answer.request), answer, cutter)

        def refused(request: ApiRequest, error: ResourceFailed) -> Reading | RefusedPage:
            return RefusedPage(under_way.pop(request), error)

        return self._api.fetch_all(requests(), land, check=self._check(cutter), walks=True, refused=refused)

    def as_again(self, reading: Reading) -> Reading:
        """The same answer as a repeat: its records came already, or it has none."""
        again = replace(reading, landed=replace(reading.landed, role="again"))
        self.landed[self.landed.index(reading.landed)] = again.landed
        return again

    def land_left_over(self, cutter: Cutter) -> list[Landed]:
        """Lands the pages that propsync fetched ahead and that the first attempt did not use."""
        landed = []
        for place, answer in self._api.left_over():
            self._asked += 1
            query = ListQuery(place.list_name, status=place.status, performed=place.performed)
            asked = Asked(answer.request, query, "again", self._asked)
            if place.role != "combined" and self._is_page(answer, cutter):
                landed.append(self._land(asked, answer, cutter).landed)
        return landed

    def _is_page(self, answer: Answer, cutter: Cutter) -> bool:
        try:
            self._check_page(answer, cutter)
        except MalformedBody:
            return False
        return True

    def wait_for_signatures(self) -> None:
        """Waits until links that name the second of their signature differ from those before."""
        self._api.wait(SIGNED_SECONDS)

    def once_more(self, landed: Landed, cutter: Cutter) -> Reading:
        """Sends the request of a landed page a second time."""
        self._asked += 1
        query = ListQuery(landed.list_name, status=landed.status, performed=landed.performed)
        return self.read(Asked(request_of(landed), query, "again", self._asked), cutter)

    def from_landing(self, landed: Landed, cutter: Cutter) -> Reading:
        """A landed answer as a reading."""
        body = self._pages.get(landed.sha256)
        return Reading(landed, body, cutter.cut(body))

    def records(self, landed: Landed, cutter: Cutter) -> Sequence[msgspec.Raw]:
        """The records of a landed answer."""
        return cutter.cut(self._pages.get(landed.sha256)).records

    def ask_one(self, key: tuple[str, ...]) -> Asked:
        """The request for one schedule (API §4.10). Raises UsageError for a key that cannot be part of an
        address.
        """
        self._asked += 1
        return Asked(schedule_request(key[0], key[1]), ListQuery("one"), "one", self._asked)

    def read_ones(
        self, asked: Sequence[Asked], cutter: Cutter
    ) -> Iterator[tuple[Asked, Reading | ResourceFailed | None]]:
        """Reads single records at once: each with its reading, None if the answer is empty, or the reason for its
        failure. Once some have shown a fault in all attempts, the API may show it for each: then one attempt is enough.
        """
        by_request = {one.request: one for one in asked}
        alone = replace(cutter, is_one=True)
        in_vain: list[ApiRequest] = []

        def check(answer: Answer) -> None:
            if has_error(answer.body, is_sure=True) and not any(alone.keys(alone.cut(answer.body).records)):
                fault = error_alone(str(answer.request))
                if len(in_vain) >= _IN_VAIN:
                    raise UnexpectedAnswer(fault.where, fault.what, fault.next_step)
                raise fault

        def land(answer: Answer) -> tuple[Asked, Reading | ResourceFailed | None]:
            one = by_request[answer.request]
            return one, None if is_nothing(answer.body) else self._land(one, answer, alone)

        def failed(request: ApiRequest, error: ResourceFailed) -> tuple[Asked, Reading | ResourceFailed | None]:
            if isinstance(error, UnexpectedAnswer):
                in_vain.append(request)
            return by_request[request], error

        return self._api.fetch_each((one.request for one in asked), land, failed, check)

    def _check(self, cutter: Cutter | None) -> Check:
        return self._check_list if cutter is None else lambda answer: self._check_page(answer, cutter)

    def _check_page(self, answer: Answer, cutter: Cutter) -> Page:
        if answer.request.accept is Accept.JSON_OR_NULL and is_nothing(answer.body):
            return Page(None, [])
        check_text(answer.body, str(answer.request))
        try:
            page = cutter.cut(answer.body)
        except (PayloadUnreadable, RecursionError) as error:
            raise MalformedBody(str(answer.request), f"the answer is not a page of the list: {error}") from error
        is_needed = self._resource.is_paged and cutter.list_path != () and not self._resource.is_further
        if not is_total(page.total) and (is_needed or page.total is not None):
            raise no_count(str(answer.request))
        self._check_none(page.total, answer.body, str(answer.request), has_records=bool(page.records))
        return page

    def _land(self, asked: Asked, answer: Answer, cutter: Cutter | None) -> Reading:
        sha256 = self._pages.put(answer.raw, answer.received)
        # the check has cut or decoded the page: both walk all of it, so once is enough
        page = answer.found if isinstance(answer.found, Page) else (cutter or Cutter(None)).cut(answer.body)
        values = None if isinstance(answer.found, Page) else answer.found
        query = asked.query
        landed = Landed(
            asked.sequence,
            str(answer.request),
            query.name,
            asked.role,
            self.attempt,
            answer.asked_at,
            sha256,
            len(answer.received),
            page.total,
            query.status,
            query.performed,
            self._types_hash(page),
        )
        self.landed.append(landed)
        return Reading(landed, answer.body, page, values)

    def _types_hash(self, page: Page) -> str | None:
        """The hash of the asset types that every page of assets repeats (API §4.2); most repeat the same bytes."""
        return bytes_hash(page.types) if page.types is not None and self._resource.types else None
