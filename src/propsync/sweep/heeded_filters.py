"""Checks that the API heeded every value of a filter: some servers silently cut a long one."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

import msgspec

from propsync.errors import NotFound, RequestRefused
from propsync.landing import Certificate
from propsync.records import Page
from propsync.resources import COMBINED, ListQuery, Resource
from propsync.sweep.page_reader import PageReader
from propsync.sweep.scope import SweepScope
from propsync.sweep.shaping import Shaping

_ALONE = 10  # values of a filter without any record

_log = logging.getLogger("propsync.sync")


class HeededFilters:
    """Asks again for the values that no record of an attempt has; each request is for one record at most."""

    def __init__(self, reader: PageReader, resource: Resource, wanted: SweepScope, shaping: Shaping) -> None:
        self._reader = reader
        self._resource = resource
        self._wanted = wanted
        self._shaping = shaping

    def all_statuses(self) -> bool:
        """Checks each status without records by a request of its own."""
        statuses = self._wanted.statuses
        if not self._resource.has_statuses or self._shaping.is_by_status() or len(statuses) < 2:
            return True
        _, silent = self._shaping.shown_and_silent("status", statuses, self._pages())
        return not any(self._shows_any(self._of_status(one)) for one in silent)

    def warn_if_none(self) -> None:
        """Says so if the API ignores the filter by status: each status without records shows all those of another.

        These may be all there are, or only those of the API's default status: nothing can tell.
        """
        shown, silent = self._shaping.shown_and_silent("status", self._wanted.statuses, self._pages())
        if len(shown) != 1:
            return
        found = {self._sight(self._first(self._of_status(one))) for one in (*shown, *silent)}
        if len(found) == 1 and [statuses for _, statuses in found] == [{shown[0].casefold()}]:
            _log.warning(
                "%s: the API shows the same records for each status, so it may hide those that are not %s",
                self._resource.words,
                shown[0],
            )

    def warn_if_alike(self, certificates: Sequence[Certificate]) -> None:
        """Says so if each list of `performed` shows every record: the API may ignore that filter."""
        everything = {one.distinct_keys for one in certificates if one.list_name == COMBINED}
        shown = Counter[str]()
        for one in certificates:
            shown[one.list_name.split(" ")[0]] += one.distinct_keys
        each = {shown[performed] for performed in self._resource.performed}
        if each and each == everything and min(each) > _ALONE:
            _log.warning(
                "%s: the API shows the same %d records for performed=%s, so it may ignore that filter",
                self._resource.words,
                min(each),
                " and ".join(self._resource.performed),
            )

    def _sight(self, page: Page | None) -> tuple[int | None, frozenset[str]]:
        """The total of a page, and the statuses of its records."""
        if page is None:
            return None, frozenset()
        return page.total, frozenset(filter(None, self._shaping.values("status", page.records)))

    def _of_status(self, status: str) -> ListQuery:
        return self._resource.combined([status]).narrowed(*self._wanted.filters)

    def check_filters(self) -> None:
        """Raises NotFound if the API cut a filter of a backfill: the user must ask for its values in smaller parts."""
        for name, values in self._wanted.filters:
            role = "id" if name == self._resource.id_filter else name
            if len(values) > 1 and not self._are_heeded(
                name, *self._shaping.shown_and_silent(role, values, self._pages())
            ):
                raise NotFound(
                    f"GET {self._resource.path}",
                    f"the API heeds only some of the {len(values)} values of {name}",
                    "Nothing: propsync asks for fewer at a time",
                )

    def _are_heeded(self, name: str, shown: Sequence[str], silent: Sequence[str]) -> bool:
        """Tests silent values beside one with records: they have none themselves, and the API must still heed the
        last one.
        """
        if not silent:
            return True
        if shown:
            return not self._shows(name, silent) and self._shows(name, [*silent, shown[0]])
        some = Random(silent[0]).sample(silent, min(_ALONE, len(silent)))  # noqa: S311 - keeps nothing secret
        return not any(self._shows(name, [one]) for one in some)

    def _shows(self, name: str, values: Sequence[str]) -> bool:
        filters = [(other, values if other == name else kept) for other, kept in self._wanted.filters]
        is_listed_by_status = self._resource.has_statuses
        lists = self._resource.combined(self._wanted.statuses) if is_listed_by_status else self._resource.lists(())[0]
        return self._shows_any(lists.narrowed(*filters))

    def _shows_any(self, query: ListQuery) -> bool:
        page = self._first(query)
        return page is not None and bool(page.total or page.records)

    def _first(self, query: ListQuery) -> Page | None:
        """Page 1 with one record; None if the API refuses the query or finds nothing."""
        try:
            return self._reader.read(self._reader.ask(query, 1, "combined", limit=1), self._shaping.cutter).page
        except (NotFound, RequestRefused):
            return None

    def _pages(self) -> Iterator[Sequence[msgspec.Raw]]:
        cutter = self._shaping.cutter
        for one in self._reader.landed:
            if one.attempt == self._reader.attempt and one.role == "page":
                yield self._reader.records(one, cutter)
