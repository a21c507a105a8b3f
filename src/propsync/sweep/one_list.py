"""Reads one list from its first page to its last, and certifies it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from propsync.landing import Certificate
from propsync.progress import Progress
from propsync.records import Cutter
from propsync.resources import ListQuery
from propsync.sweep.list_end import ListEnd
from propsync.sweep.page_reader import Asked, PageReader, Reading, RefusedPage
from propsync.sweep.shown_pages import ShownPages
from propsync.sweep.staged_keys import Arithmetic, StagedKeys

_IDLE_IN_A_ROW = 50  # a total that is a million too high must not cost a thousand requests


@dataclass(frozen=True)
class ListSwept:
    """One reading of one list. `again` is page 1 read once more, `third` for the third time. `is_steady` says that each
    showed the same keys, and that no whole page is missing. `is_stuck` says that the API shows page 1 for every page,
    `lacks_a_page` that a whole page is missing. `may_be_capped` says that the total may stop short of the list.

    `totals` are those of the pages, in the order of the requests.
    """

    certificate: Certificate
    again: Reading | None
    third: Reading | None
    is_steady: bool
    is_refused: bool
    is_stuck: bool
    lacks_a_page: bool
    may_be_capped: bool
    totals: tuple[int | None, ...]

    @property
    def is_certified(self) -> bool:
        """Whether a list that did not move would show the same."""
        return self.certificate.verdict == "certified"


class ListSweep:
    """One list of one attempt. `first` is its first page, which propsync has read already."""

    def __init__(
        self, reader: PageReader, listed: StagedKeys, cutter: Cutter, query: ListQuery, first: Reading, rung: int = 0
    ) -> None:
        self._reader = reader
        self._cutter = cutter
        self._query = query
        self._rung = rung
        self._pages = ShownPages(reader, listed, cutter, query, first)
        self._is_whole = True
        self._is_refused = False
        self._is_stuck = False

    def pages(self) -> int:
        """How many pages the first one promises; 1 if it has no total."""
        return self._pages.promised()

    def sweep(
        self,
        bar: Progress,
        *,
        read_again: bool = False,
        is_doubtful: Callable[[Reading, Reading], bool] | None = None,
        was_exceeded: bool = False,
    ) -> ListSwept:
        """Reads the rest, then page 1 once more, unless all came at once and `read_again` does not ask for it.

        If `is_doubtful` says so of these two, it reads page 1 for the third time. A failure of the page after a short
        list says nothing, unless `was_exceeded`: then more records came in the last complete read than its totals.
        """
        pages = self._pages
        for reading in self._readings(was_exceeded=was_exceeded):
            if isinstance(reading, RefusedPage):
                # the API's highest page is unknown (API §8); propsync still keeps the pages under way
                self._is_whole, self._is_refused = False, True
                continue
            pages.take(reading)
            bar.advance()
        if pages.fills_a_search_window():
            self._is_whole, self._is_refused = False, True
        again = self._read_again() if read_again or not pages.is_all_at_once() else None
        third = self._read_later() if again and is_doubtful and is_doubtful(pages.first, again) else None
        found = pages.arithmetic()
        lacks_a_page = pages.lacks_a_page(found)
        is_steady = (
            self._is_whole
            and not lacks_a_page
            and all(pages.shows_the_keys_of_page_1(one) for one in (again, third) if one is not None)
        )
        totals = tuple(total for _, total in sorted(pages.totals.items()))
        certificate = self._certificate(found, is_steady=is_steady)
        return ListSwept(
            certificate,
            again,
            third,
            is_steady,
            is_refused=self._is_refused or self._is_stuck,
            is_stuck=self._is_stuck,
            lacks_a_page=lacks_a_page,
            may_be_capped=pages.may_be_capped(),
            totals=totals,
        )

    def _readings(self, *, was_exceeded: bool) -> Iterator[Reading | RefusedPage]:
        """All pages of the list; the caller takes each before it asks for the next."""
        pages = self._pages
        yield pages.first
        if not self._reader.is_paged:
            return
        if pages.total is not None or not pages.first.page.records:
            yield from self._reader.read_all(self._asked(), self._cutter)
        if self._is_whole:
            end = ListEnd(self._reader, self._cutter, self._query, pages, was_exceeded=was_exceeded)
            yield from end.readings()
            self._is_whole &= end.is_whole
            self._is_stuck = end.is_stuck

    def _asked(self) -> Iterator[Asked]:
        for page in range(2, self.pages() + 1):
            if self._pages.idle >= _IDLE_IN_A_ROW:
                self._is_whole = False
            if not self._is_whole:
                return
            yield self._reader.ask(self._query, page)

    def _read_again(self) -> Reading:
        again = self._reader.read(self._reader.ask(self._query, 1, "again"), self._cutter)
        self._pages.take_beside(again, with_total=True)
        return again

    def _read_later(self) -> Reading:
        self._reader.wait_for_signatures()
        return self._read_again()

    def _certificate(self, found: Arithmetic, *, is_steady: bool) -> Certificate:
        totals = self._pages.totals
        return Certificate(
            list_name=self._query.name,
            rung=self._rung,
            attempt=self._reader.attempt,
            pages=self._pages.count,
            total_first=self._pages.total,
            total_last=totals[max(totals)],
            distinct_keys=found.distinct_keys,
            duplicates=found.duplicates,
            rejected=found.rejected,
            verdict="certified" if is_steady and self._pages.adds_up(found) else "incomplete",
        )
