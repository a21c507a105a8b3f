"""Sweeps one resource: all its lists, certified together, landed as one snapshot."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from propsync.api import Api
from propsync.errors import ShapeUnknown
from propsync.landing import Certificate, PageStore
from propsync.progress import progress
from propsync.records import Cutter, Path, PayloadUnreadable, decode, follow
from propsync.resources import ListQuery, Resource
from propsync.runs import Verdict
from propsync.shapes import Shape, by_key, find_list, find_roles, find_volatile
from propsync.sweep.listed import Listed
from propsync.sweep.one_list import ListSweep
from propsync.sweep.reading import Reader, Reading

Known = Callable[[], Mapping[str, Collection[str]]]


@dataclass(frozen=True)
class Swept:
    """What a resource's lists showed: how completely, and the reader that holds what was landed."""

    verdict: Verdict
    reader: Reader
    certificates: list[Certificate]


class Sweeper:
    """Reads a resource's lists through `api` and keeps every answer in `pages`.

    `known` gives the property ids, assessment type ids and statuses that speak for undocumented members.
    """

    def __init__(self, api: Api, pages: PageStore, listed: Listed, limit: int) -> None:
        self._api = api
        self._pages = pages
        self._listed = listed
        self._limit = limit

    def sweep(self, resource: Resource, shape: Shape, statuses: Sequence[str], known: Known) -> Swept:
        """All lists of one resource, climbing until they are certified. Raises ResourceFailed."""
        attempt = _Attempt(self, resource, shape, statuses, known)
        certificates = attempt.run()
        return Swept(attempt.verdict(certificates), attempt.reader, certificates)

    def reader(self, resource: Resource, shape: Shape) -> Reader:
        """A reader whose answers belong to one attempt."""
        return Reader(self._api, self._pages, resource, shape, self._limit)

    @property
    def listed(self) -> Listed:
        """Where the keys seen are staged."""
        return self._listed


class _Attempt:
    """One reading of all lists of a resource."""

    def __init__(self, sweeper: Sweeper, resource: Resource, shape: Shape, statuses: Sequence[str], known: Known):
        self.reader = sweeper.reader(resource, shape)
        self._listed = sweeper.listed
        self._resource = resource
        self._shape = shape
        self._statuses = statuses
        self._known = known
        self._combined: list[int | None] = []

    def run(self) -> list[Certificate]:
        lists = self._lists()
        if len(lists) > 1:
            self._ask_combined()
        firsts = self._first_pages(lists)
        if self._lists() != lists:  # the first pages showed whether records carry their status
            lists = self._lists()
            firsts = self._first_pages(lists)
        certificates = self._sweep_lists(lists, firsts)
        if self._combined:
            self._ask_combined()
            certificates.append(self._combined_certificate())
        return certificates

    def verdict(self, certificates: Sequence[Certificate]) -> Verdict:
        """Certified when every list is, and the lists together are what the combined query counts."""
        is_certified = all(certificate.verdict == "certified" for certificate in certificates)
        return Verdict.CERTIFIED if is_certified else Verdict.INCOMPLETE

    def _lists(self) -> tuple[ListQuery, ...]:
        return self._resource.lists(self._statuses, by_status=self._is_status_absent())

    def _is_status_absent(self) -> bool:
        """Whether an earlier reading found that records do not carry their status (correctness.md §1)."""
        choice = self._shape.choices.get("status")
        return bool(self._resource.performed) and choice is not None and not choice.paths

    def _first_pages(self, lists: Sequence[ListQuery]) -> list[Reading]:
        unread = [self.reader.read(self.reader.ask(query, 1), None) for query in lists]
        self._find_shape([reading.values for reading in unread])
        cutter = self._cutter()
        try:
            return [replace(reading, page=cutter.cut(reading.body), values=None) for reading in unread]
        except PayloadUnreadable as error:
            raise ShapeUnknown(f"GET {self._resource.path}", f"its lists are not all of one shape: {error}") from error

    def _find_shape(self, pages: Sequence[Any]) -> None:
        known = self._shape.choices.get("list")
        if known is None or known.source != "configured":
            found = find_list(pages, self._resource)
            # an empty list speaks for no array in particular
            if found is not None and (known is None or any(_records(page, found.paths) for page in pages)):
                self._shape.settle("list", found)
        records = [_records(page, self._shape.paths("list")) for page in pages]
        find_roles(self._shape, self._resource, records, self._known())

    def _cutter(self) -> Cutter:
        return cutter_of(self._shape, self._resource)

    def _sweep_lists(self, lists: Sequence[ListQuery], firsts: Sequence[Reading]) -> list[Certificate]:
        cutter = self._cutter()
        sweeps = [
            ListSweep(self.reader, self._listed, cutter, query, first)
            for query, first in zip(lists, firsts, strict=True)
        ]
        certificates = []
        with progress(f"Reading {self._resource.name.replace('_', ' ')}", None, "pages") as bar:
            bar.total = sum(sweep.pages() for sweep in sweeps)
            for sweep, first in zip(sweeps, firsts, strict=True):
                certificate, again = sweep.sweep(bar, read_again=self._shape.volatile is None)
                certificates.append(certificate)
                if again is not None and self._shape.volatile is None:
                    self._shape.volatile = self._find_volatile(first, again)
        return certificates

    def _find_volatile(self, first: Reading, again: Reading) -> frozenset[str] | None:
        kept: list[Path] = [path for role in self._resource.roles for path in self._shape.paths(role.name)]
        if first.landed.sha256 == again.landed.sha256:  # nothing differs: how many were read twice is all that counts
            shown = by_key([(key, None) for key in self._cutter().keys(first.page.records)])
            return find_volatile(shown, shown, kept)
        return find_volatile(self._decoded(first), self._decoded(again), kept)

    def _decoded(self, reading: Reading) -> dict[tuple[str, ...], Any]:
        cutter = self._cutter()
        return by_key([(cutter.key(record), decode(record)) for record in reading.page.records])

    def _ask_combined(self) -> None:
        asked = self.reader.ask(self._resource.combined(self._statuses), 1, "combined", limit=1)
        self._combined.append(self.reader.read(asked, None).page.total)

    def _combined_certificate(self) -> Certificate:
        """The lists together show as many different keys as the combined query counts, before and after."""
        distinct, rejected = self._listed.distinct_keys(), self._listed.rejected()
        first, last = self._combined
        # whether two lists show the same record without a key cannot be known
        least = distinct + self._listed.most_rejected()
        holds = first == last and (first is None or least <= first <= distinct + rejected)
        verdict = "certified" if holds else "incomplete"
        return Certificate("combined", 0, self.reader.attempt, 2, first, last, distinct, 0, rejected, verdict)


def _records(page: Any, paths: Sequence[Path]) -> list[Any]:
    arrays = (follow(page, path) for path in paths)
    return [record for array in arrays if isinstance(array, list) for record in array]


def cutter_of(shape: Shape, resource: Resource) -> Cutter:
    """A cutter for the resource's pages as their shape is known."""
    paths = shape.paths("list")
    return Cutter(paths[0] if paths else None, tuple(shape.paths(role) for role in resource.key))
