"""One attempt at a resource: all its lists, page by page or in parts, and the total of all of them together."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache

from propsync.errors import NotFound, RequestRefused, ResourceFailed
from propsync.landing import Certificate
from propsync.progress import Progress, progress
from propsync.resources import COMBINED, ListQuery, Resource
from propsync.sweep.capped_total import CappedTotal
from propsync.sweep.heeded_filters import HeededFilters
from propsync.sweep.one_list import ListSweep
from propsync.sweep.page_reader import PageReader, Reading
from propsync.sweep.partition.known_ids import KnownIds
from propsync.sweep.partition.reader import Partition
from propsync.sweep.scope import SweepScope
from propsync.sweep.shaping import Shaping
from propsync.sweep.staged_keys import StagedKeys

_log = logging.getLogger("propsync.sync")


@dataclass
class Attempt:
    """The result of one attempt. It is certified only if every list is, and the lists together match the total of
    their query.

    `totals` are those of all the pages. They may differ from page to page, and yet be wrong in the same way each time.
    `capped` are lists and their totals that count less than parts of them.
    """

    number: int
    rung: int
    certificates: list[Certificate] = field(default_factory=list)
    is_steady: bool = True
    is_refused: bool = False
    fingerprint: str = ""
    dimension: str = ""
    totals: list[int | None] = field(default_factory=list)
    capped: list[tuple[str, int | None]] = field(default_factory=list)

    @property
    def is_certified(self) -> bool:
        """Whether a resource that did not move would show the same."""
        return all(certificate.verdict == "certified" for certificate in self.certificates)

    def refuse(self) -> None:
        """Refuses all of it, whatever its lists add up to."""
        self.is_steady = False
        self.doubt()

    def doubt(self) -> None:
        """Withdraws its certificates."""
        self.certificates = [replace(one, verdict="incomplete") for one in self.certificates]

    @property
    def signature(self) -> tuple[object, ...]:
        """Equal for two attempts that showed identical keys under the same totals."""
        facts = [
            (one.list_name, one.total_first, one.total_last, one.distinct_keys, one.duplicates)
            for one in self.certificates
        ]
        return (self.fingerprint, *self.totals, *facts)

    @property
    def lists(self) -> set[str]:
        """The lists that the attempt read."""
        return {certificate.list_name for certificate in self.certificates}


class Attempts:
    """Makes attempts at one resource, numbered from 1, all with one reader."""

    def __init__(
        self,
        reader: PageReader,
        listed: StagedKeys,
        resource: Resource,
        wanted: SweepScope,
        shaping: Shaping,
        *,
        was_exceeded: bool,
    ) -> None:
        self._reader = reader
        self._listed = listed
        self._resource = resource
        self._wanted = wanted
        self._shaping = shaping
        self._made = 0
        self._was_exceeded = was_exceeded

    def sweep(self, rung: int) -> Attempt:
        """All lists page by page (rungs 0 and 1)."""

        def read(attempt: Attempt, query: ListQuery, first: Reading, bar: Progress) -> Certificate:
            sweep = ListSweep(self._reader, self._listed, self._shaping.cutter, query, first, rung)
            bar.total = (bar.total or 0) + sweep.pages()
            swept = sweep.sweep(
                bar,
                read_again=self._shaping.wants_second_reading,
                is_doubtful=self._shaping.seems_volatile,
                was_exceeded=self._was_exceeded,
            )
            self._shaping.find_volatile(first, swept.again, swept.third)
            attempt.is_steady &= swept.is_steady
            attempt.is_refused |= swept.is_refused
            if swept.is_stuck and first.page.total is None:  # otherwise parts can prove that this is all
                self._warn_of_page_1(len(first.page.records))
            if swept.lacks_a_page and rung == 0:
                self._warn_of_page_0(query)
            attempt.totals += swept.totals
            if swept.is_certified and swept.may_be_capped and self._is_capped(query, first):
                attempt.is_refused = True
                attempt.capped.append((query.name, first.page.total))
                return replace(swept.certificate, verdict="incomplete")
            return swept.certificate

        return self._make(rung, read)

    def _is_capped(self, query: ListQuery, first: Reading) -> bool:
        capped = CappedTotal(self._reader, self._listed, self._resource, self._shaping)
        return bool(first.page.total) and capped.is_exceeded(query, first.page)

    def partition(self, rung: int, places: Callable[[], KnownIds], avoid: str | None) -> Attempt:
        """All lists in parts (rung 2)."""
        known = cache(places)  # it re-reads landed pages, which not every list needs

        def read(attempt: Attempt, query: ListQuery, first: Reading, bar: Progress) -> Certificate:
            cutter = self._shaping.cutter
            self._listed.add(first.landed, first.page.records, cutter, f"{query.name} (beside)")
            of_list = Partition(self._reader, self._listed, cutter, self._resource, query, first, known())
            certificate = of_list.read(bar, avoid=avoid)
            if certificate.verdict != "certified" or not attempt.dimension:
                attempt.dimension = of_list.dimension
            return certificate

        return self._make(rung, read)

    def _make(self, rung: int, read: Callable[[Attempt, ListQuery, Reading, Progress], Certificate]) -> Attempt:
        self._made += 1
        self._reader.attempt = self._made
        attempt = Attempt(self._made, rung)
        try:
            self._read(attempt, read)
        except (NotFound, RequestRefused) as error:
            if not (error.says_not_found and self._wanted.is_one_thing):
                raise
            nothing = Certificate("all", rung, self._made, 1, 0, 0, 0, 0, 0, "certified")
            attempt.certificates = [nothing]
        self._end(attempt)
        return attempt

    def _end(self, attempt: Attempt) -> None:
        """Pages that propsync fetched ahead and did not use show that the list moved, and may be newer than the
        others.
        """
        if self._reader.land_left_over(self._shaping.cutter):
            attempt.refuse()

    def fingerprint(self, attempt: Attempt) -> str:
        """The same for two attempts that showed the same keys."""
        return self._listed.fingerprint(attempt.number)

    def is_outdone(self, attempt: Attempt) -> bool:
        """Whether a later attempt showed records that this one did not."""
        return self._listed.is_more_after(attempt.number)

    def _read(self, attempt: Attempt, read: Callable[[Attempt, ListQuery, Reading, Progress], Certificate]) -> None:
        lists = self._lists()
        totals = [self._combined()] if len(lists) > 1 else []
        firsts = self._shaping.first_pages(self._reader, lists)
        if self._lists() != lists:  # the first pages showed whether records have their status
            lists = self._lists()
            firsts = self._shaping.first_pages(self._reader, lists)
        with progress(f"Reading {self._resource.words}", None, "pages") as bar:
            for query, first in zip(lists, firsts, strict=True):
                attempt.certificates.append(read(attempt, query, first, bar))
        if totals:
            attempt.certificates.append(self._of_all(attempt.rung, totals[0], self._combined()))
        self._check_heeded(attempt)

    def _warn_of_page_1(self, shown: int) -> None:
        name = self._resource.name
        step = (
            f". If the list has no pages, set is_paged = false in [resources.{name}]"
            if self._resource.is_further
            else ""
        )
        words = "%s: the API shows the same %d records for each page, so it may hide the others%s"
        _log.warning(words, self._resource.words, shown, step)

    def _warn_of_page_0(self, query: ListQuery) -> None:
        """Says so if page 0 has records that no page from 1 on shows: the API's document counts from 1 (API §4.2)."""
        with suppress(ResourceFailed):
            asked = self._reader.ask(query, 0, "combined", once=True)
            records = self._reader.read(asked, self._shaping.cutter).page.records
            keys = [key for key in self._shaping.cutter.keys(records) if key]
            if records and not (keys and self._listed.has_shown(self._made, query.name, keys)):
                words = (
                    "%s: page 0 shows records that no later page shows. Ask the people who run the API to count from 1"
                )
                _log.warning(words, self._resource.words)

    def _check_heeded(self, attempt: Attempt) -> None:
        """Checks that a list has only records that pass its filters, however well it adds up. So it must be if totals
        are wrong, because propsync may believe the lists all the same.
        """
        heeded = HeededFilters(self._reader, self._resource, self._wanted, self._shaping)
        if attempt.is_certified:
            heeded.check_filters()
            heeded.warn_if_alike(attempt.certificates)
        if not heeded.all_statuses():
            self._shaping.heeds_one_status = True
            heeded.warn_if_none()
            attempt.refuse()
        if self._shaping.is_status_absent() and self._listed.is_under_two_statuses(attempt.number):
            attempt.refuse()

    def _lists(self) -> list[ListQuery]:
        return self._wanted.lists(self._resource, by_status=self._shaping.is_by_status())

    def _combined(self) -> int | None:
        asked = self._reader.ask(self._wanted.combined(self._resource), 1, "combined", limit=1)
        return self._reader.read(asked, None).page.total

    def _of_all(self, rung: int, first: int | None, last: int | None) -> Certificate:
        """Checks that the lists together show as many different keys as the combined query counts, before and after."""
        distinct, most_rejected, rejected = self._listed.together(self._made)
        # without a key nobody can know whether two lists show the same record
        holds = first == last and (first is None or distinct + most_rejected <= first <= distinct + rejected)
        verdict = "certified" if holds else "incomplete"
        return Certificate(COMBINED, rung, self._made, 2, first, last, distinct, 0, rejected, verdict)
