"""Repeats the requests of an earlier snapshot: while every answer is the same, byte for byte, nothing is new."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby
from typing import TypeVar
from urllib.parse import parse_qsl

from propsync.api import Answer, Api, ApiRequest, Check, check_body, checked
from propsync.errors import MalformedBody, ResourceFailed
from propsync.landing import Landed, PageStore, sha256_of
from propsync.progress import progress

T = TypeVar("T")
_ALONE = ("again", "combined")
"""Roles of answers whose meaning depends on the time of the request."""


@dataclass(frozen=True)
class EarlyAnswer:
    """An answer fetched ahead; `place` is the place of one like it in the earlier snapshot."""

    place: Landed
    sha256: str
    answer: Answer


class Replay:
    """The API, and the answers that propsync fetched ahead.

    It gives each of them out once, the oldest first, and to the first attempt only: see `left_over`.
    """

    def __init__(self, api: Api, pages: PageStore) -> None:
        self._api = api
        self._pages = pages
        self._held: dict[ApiRequest, list[EarlyAnswer]] = {}

    @property
    def base_url(self) -> str:
        """The API's address."""
        return self._api.base_url

    def asked_again(self, what: str, before: Sequence[Landed]) -> list[Landed] | None:
        """Sends the same requests in the same order; returns their answers, or None at the first that differs from
        `before`.
        """
        found: list[Landed] = []
        in_order = sorted(before, key=lambda one: one.sequence)
        with progress(f"Reading {what}", len(in_order), "pages") as bar:
            for _, step in groupby(in_order, key=lambda one: one.sequence if one.role in _ALONE else 0):
                expected = list(step)
                found_before = len(found)
                for landed in self._same(expected):
                    found.append(landed)
                    bar.advance()
                if len(found) - found_before < len(expected):
                    return None
        return found

    def _same(self, before: Sequence[Landed]) -> Iterator[Landed]:
        """The answers that came the same; it sends no more requests after one that differs."""
        expected = {request_of(one): one for one in before}
        others: list[ApiRequest] = []

        def requests() -> Iterator[ApiRequest]:
            for request in expected:
                if others:
                    return
                yield request

        def check(answer: Answer) -> str:
            sha256 = sha256_of(answer.received)
            if sha256 != expected[answer.request].sha256:  # otherwise an earlier check has read it
                check_body(answer.request.accept, answer.body, str(answer.request))
            return sha256

        def land(answer: Answer) -> Landed | None:
            one, sha256 = expected[answer.request], answer.found
            self._pages.put(answer.raw, answer.received, sha256)
            self._held.setdefault(answer.request, []).append(
                EarlyAnswer(one, sha256, replace(answer, raw=b"", body=b"", found=None))
            )
            return replace(one, asked_at=answer.asked_at) if sha256 == one.sha256 else other(answer.request, None)

        def other(request: ApiRequest, _error: ResourceFailed | None) -> Landed | None:
            others.append(request)
            return None

        return (
            one
            for one in self._api.fetch_all(requests(), land, check=check, walks=True, refused=other)
            if one is not None
        )

    def wait(self, seconds: float) -> None:
        """See `Api.wait`."""
        self._api.wait(seconds)

    def fetch(self, request: ApiRequest, *, check: Check | None = None, walks: bool = False) -> Answer:
        """One answer, see `Api.fetch`."""
        return self._taken(request, check) or self._api.fetch(request, check=check, walks=walks)

    def fetch_all(
        self,
        requests: Iterable[ApiRequest],
        then: Callable[[Answer], T],
        *,
        check: Check | None = None,
        walks: bool = False,
        refused: Callable[[ApiRequest, ResourceFailed], T] | None = None,
    ) -> Iterator[T]:
        """The results of `then` for each answer, see `Api.fetch_all`."""
        remaining = iter(requests)
        for request in remaining:
            answer = self._taken(request, check)
            if answer is None:
                asked = chain([request], remaining)
                yield from self._api.fetch_all(asked, then, check=check, walks=walks, refused=refused)
                return
            yield then(answer)

    def fetch_each(
        self,
        requests: Iterable[ApiRequest],
        then: Callable[[Answer], T],
        failed: Callable[[ApiRequest, ResourceFailed], T],
        check: Check | None = None,
    ) -> Iterator[T]:
        """The same, but a failed request costs only itself, see `Api.fetch_each`."""
        return self._api.fetch_each(requests, then, failed, check)

    def _taken(self, request: ApiRequest, check: Check | None) -> Answer | None:
        """An answer fetched ahead, if it passes the check."""
        waiting = self._held.get(request)
        if not waiting:
            return None
        answer = self._whole(waiting.pop(0))
        try:
            return answer if check is None else checked(check, answer)
        except MalformedBody:
            return None

    def left_over(self) -> list[tuple[Landed, Answer]]:
        """The answers that the first attempt did not use, each with its place in the earlier snapshot. No attempt
        gets them now.
        """
        left = [(early.place, self._whole(early)) for waiting in self._held.values() for early in waiting]
        self._held.clear()
        return left

    def _whole(self, early: EarlyAnswer) -> Answer:
        body = self._pages.get(early.sha256)
        return replace(early.answer, raw=body, body=body)


def request_of(landed: Landed) -> ApiRequest:
    """The request of a landed answer."""
    path, _, query = landed.request.removeprefix("GET ").partition("?")
    return ApiRequest("GET", path, tuple(parse_qsl(query, keep_blank_values=True)))
