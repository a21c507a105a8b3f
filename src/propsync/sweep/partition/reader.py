"""Reads one list in parts that each fit in one response, which paging cannot tear (rung 2)."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterable, Iterator

import msgspec

from propsync.errors import (
    AccessForbidden,
    ApiUnreachable,
    NotFound,
    RequestRefused,
    TransientApiError,
    UnexpectedAnswer,
)
from propsync.landing import Certificate
from propsync.progress import Progress, progress
from propsync.records import Cutter
from propsync.resources import ListQuery, Resource
from propsync.suppression import is_pseudonym
from propsync.sweep.one_list import ListSweep
from propsync.sweep.page_reader import Asked, PageReader, Reading, RefusedPage
from propsync.sweep.partition.known_ids import KnownIds
from propsync.sweep.partition.planner import Part, Planner
from propsync.sweep.shown_pages import may_be_a_page
from propsync.sweep.staged_keys import StagedKeys

RUNG = 2
_MORE_SWEEPS = 20  # of the whole list, to find properties that no part named yet
_IDLE_SWEEPS = 3  # of them in a row without a new property
_LEAF_TRIES = 4  # rungs 0 and 1 of a part that cannot be split
_MOST_REFUSED = 100  # parts in a row: an API that refuses them all refuses the filter, however few ids it names
_IDLE_IN_A_ROW = 50  # promised pages that show nothing new

_log = logging.getLogger("propsync.sync")


class Unusable(Exception):
    """propsync cannot read the list in such parts: the API ignores a filter, or refuses a part."""


class Partition:
    """One list of one attempt. `first` is its unfiltered first page, which gives the total before the parts."""

    def __init__(
        self,
        reader: PageReader,
        listed: StagedKeys,
        cutter: Cutter,
        resource: Resource,
        query: ListQuery,
        first: Reading,
        places: KnownIds,
    ) -> None:
        self._reader = reader
        self._listed = listed
        self._cutter = cutter
        self._resource = resource
        self._query = query
        self._first = first
        self._places = places
        self._requests = 1
        self._counted = 0
        self._leaves = 0
        self._refused = 0
        self._avoided: str | None = None
        self.dimension = ""

    def read(self, bar: Progress, *, avoid: str | None = None) -> Certificate:
        """Reads all parts; `avoid` names the dimension that fell short before."""
        total = self._first.page.total
        is_short = True
        try:
            if total is not None:
                self._read_parts(self._plan(avoid), bar)
                self._find_more(total, bar)
                is_short = False
        except (Unusable, RequestRefused, NotFound):
            pass
        except ApiUnreachable:
            raise
        except (AccessForbidden, TransientApiError, UnexpectedAnswer) as error:
            # the API answers the list itself, and sweeps may have shown all of it
            _log.warning("%s: propsync cannot read the list in parts: %s", self._resource.words, error.what)
        after = self._total()
        return self._certificate(total, after, is_read=not is_short)

    def _plan(self, avoid: str | None) -> list[Part]:
        self._avoided = avoid
        plan = self._planner().plan()
        if plan is None:
            self._avoided = None
            plan = self._planner().plan()
        if plan is None and self._resource.is_parted_by_ids_alone:
            return [Part()]
        if plan is None:
            raise Unusable
        self.dimension, parts = plan
        return parts

    def _planner(self) -> Planner:
        places = self._places
        properties = self._within("property", places.properties if places.has_property else ())
        types = self._within("type", places.types if places.has_type else ())
        return Planner(properties, types, places.counts, self._page_size(), self._fits)

    def _page_size(self) -> int:
        """The API's real page size, if page 1 is shorter than requested. So it may be if page 1 is all that is counted:
        a part of as many records may be cut too.
        """
        shown, total = len(self._first.page.records), self._first.page.total or 0
        is_shorter = shown < total or (shown == total and may_be_a_page(shown))
        return shown if is_shorter and 0 < shown < self._reader.limit else self._reader.limit

    def _within(self, parameter: str, ids: Iterable[str]) -> list[str]:
        """The ids that pass a backfill's own filter; none of the dimension that fell short before."""
        wanted = self._query.values(parameter)
        return [one for one in ids if parameter != self._avoided and (wanted is None or one in wanted)]

    def _fits(self, part: Part) -> bool:
        return self._reader.fits(self._query.narrowed(*part.filters))

    def _read_parts(self, parts: list[Part], bar: Progress) -> None:
        waiting = deque(parts)
        while waiting:
            asked = {ask.sequence: (ask, part) for ask, part in self._ask(waiting)}
            waiting.clear()
            for answer in self._reader.read_all((ask for ask, _ in asked.values()), self._cutter):
                bar.advance()
                self._requests += 1
                sequence = answer.asked.sequence if isinstance(answer, RefusedPage) else answer.landed.sequence
                waiting.extend(self._take(asked[sequence][1], answer))

    def _ask(self, parts: deque[Part]) -> Iterator[tuple[Asked, Part]]:
        for part in parts:
            yield self._reader.ask(self._query.narrowed(*part.filters), 1), part

    def _take(self, part: Part, answer: Reading | RefusedPage) -> list[Part]:
        """Takes a whole part; otherwise returns the smaller parts to read in its place."""
        if isinstance(answer, RefusedPage):
            return self._halve(part, answer)
        self._refused = 0
        records, total = answer.page.records, answer.page.total or 0
        self._places.observe(records)
        if not all(self._is_within(part, record) for record in records):
            self._listed.add(answer.landed, records, self._cutter, _beside(self._query))
            raise Unusable
        if total == len(records) < self._page_size():
            self._listed.add(answer.landed, records, self._cutter, self._query.name)
            self._counted += total
            return []
        self._listed.add(answer.landed, records, self._cutter, _beside(self._query))
        # A part within one page that does not add up would not do so in smaller parts. The API may cap the total of a
        # full page.
        smaller = self._planner().split(part, total) if total >= self._page_size() else []
        if not smaller:
            self._read_leaf(part)
        return smaller

    def _is_within(self, part: Part, record: msgspec.Raw) -> bool:
        """An erased record has no property and no type any more."""
        key = self._cutter.key(record)
        return part.holds(self._places.place(record)) or (key is not None and is_pseudonym(key[0]))

    def _halve(self, part: Part, answer: RefusedPage) -> list[Part]:
        """Halves a refused part: "not found" for several ids is no evidence about any one of them; one has none."""
        self._refused += not answer.says_not_found
        if self._refused > _MOST_REFUSED:
            raise Unusable
        if not part.is_single:
            return self._planner().split(part, None)
        if not answer.says_not_found:
            raise Unusable
        return []

    def _read_leaf(self, part: Part) -> None:
        """Reads a part that cannot be split: sweeps it like a list, else asks for its known ids."""
        for _ in range(_LEAF_TRIES):
            self._leaves += 1
            query = self._query.narrowed(*part.filters)
            name = f"{self._query.name} part {self._leaves}"
            narrowed = ListQuery(name, query.filters, query.status, query.performed)
            first = self._reader.read(self._reader.ask(narrowed, 1), self._cutter)
            with progress("Reading a part", None, "pages") as bar:
                swept = ListSweep(self._reader, self._listed, self._cutter, narrowed, first).sweep(bar)
            self._requests += swept.certificate.pages + 1
            if swept.is_certified:
                self._listed.rename(self._reader.attempt, name, self._query.name)
                self._counted += swept.certificate.total_first or 0
                return
            if swept.is_refused:  # a further try would only show the same, and a page that fails costs minutes
                break
        self._read_by_ids(part)

    def _read_by_ids(self, part: Part) -> None:
        if self._resource.id_filter is None:
            raise Unusable
        first = self._reader.read(self._reader.ask(self._query.narrowed(*part.filters), 1), self._cutter)
        self._listed.add(first.landed, first.page.records, self._cutter, _beside(self._query))
        if first.page.total == len(first.page.records) >= self._page_size():
            raise Unusable  # its total may be capped at the page, and known ids show nothing new
        found = 0
        for ids in self._id_chunks(part, self._places.keys(part, self._reader.landed, self._cutter)):
            query = self._query.narrowed(*part.filters, (self._resource.id_filter, ids))
            answer = self._reader.read(self._reader.ask(query, 1), self._cutter)
            self._requests += 1
            shown = {key[0] for key in self._cutter.keys(answer.page.records) if key}
            if answer.page.total != len(answer.page.records) or not shown <= set(ids):
                raise Unusable
            self._listed.add(answer.landed, answer.page.records, self._cutter, self._query.name)
            found += len(answer.page.records)
        if found != first.page.total:
            raise Unusable
        self._counted += found

    def _id_chunks(self, part: Part, ids: list[str]) -> Iterator[list[str]]:
        chunk: list[str] = []
        for one in ids:
            query = self._query.narrowed(*part.filters, (str(self._resource.id_filter), [*chunk, one]))
            if chunk and (len(chunk) >= self._page_size() or not self._reader.fits(query)):
                yield chunk
                chunk = []
            chunk.append(one)
        if chunk:
            yield chunk

    def _find_more(self, total: int, bar: Progress) -> None:
        """Sweeps the whole list for properties that no part named, while the parts fall short of its total."""
        idle = 0
        for _ in range(_MORE_SWEEPS):
            if self._counted >= total or idle >= _IDLE_SWEEPS or self.dimension != "property":
                return
            before = set(self._places.properties)
            self._sweep_for_places(bar)
            new = self._within("property", (one for one in self._places.properties if one not in before))
            idle = 0 if new else idle + 1
            self._read_parts(self._planner().chunks(Part(), "properties", new), bar)

    def _sweep_for_places(self, bar: Progress) -> None:
        sweep = ListSweep(self._reader, self._listed, self._cutter, self._query, self._first)
        idle, shown = 0, set[str]()

        def asked() -> Iterator[Asked]:
            for page in range(1, sweep.pages() + 1):
                if idle >= _IDLE_IN_A_ROW:
                    return
                yield self._reader.ask(self._query, page)

        for answer in self._reader.read_all(asked(), self._cutter):
            bar.advance()
            self._requests += 1
            is_news = isinstance(answer, Reading) and answer.page.records and answer.landed.sha256 not in shown
            idle = 0 if is_news else idle + 1
            if isinstance(answer, Reading):
                shown.add(answer.landed.sha256)
                self._listed.add(answer.landed, answer.page.records, self._cutter, _beside(self._query))
                self._places.observe(answer.page.records)

    def _total(self) -> int | None:
        self._requests += 1
        return self._reader.read(self._reader.ask(self._query, 1, "combined", limit=1), None).page.total

    def _certificate(self, before: int | None, after: int | None, *, is_read: bool) -> Certificate:
        found = self._listed.arithmetic(self._reader.attempt, self._query.name)
        adds_up = found.distinct_keys + found.rejected == self._counted == before == after and not found.duplicates
        return Certificate(
            list_name=self._query.name,
            rung=RUNG,
            attempt=self._reader.attempt,
            pages=self._requests,
            total_first=before,
            total_last=after,
            distinct_keys=found.distinct_keys,
            duplicates=found.duplicates,
            rejected=found.rejected,
            verdict="certified" if is_read and adds_up else "incomplete",
        )


def _beside(query: ListQuery) -> str:
    """The list for records of a part that does not count: they matter only if propsync finds nothing better."""
    return f"{query.name} (beside)"
