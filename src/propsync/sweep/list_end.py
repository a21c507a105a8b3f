"""The end of a list: pages beyond its total, until one shows that nothing comes after it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from propsync.api import BUSY, NO_CONTENT
from propsync.errors import (
    ApiUnreachable,
    NotFound,
    RequestRefused,
    ResourceFailed,
    TransientApiError,
    UnexpectedAnswer,
)
from propsync.records import Cutter
from propsync.resources import ListQuery
from propsync.sweep.page_reader import PageReader, Reading, RefusedPage
from propsync.sweep.shown_pages import ShownPages, may_be_a_page

_CRASHED = 500
_TRIES = 3  # of a page that may not exist: an API may crash on it each time, or now and then
_MOST_UNTOLD = 100_000  # pages of a list without a total
_IDLE_IN_A_ROW = 3  # pages beyond the total with nothing new: the server repeats its pages without end


class ListEnd:
    """Reads beyond the total of one list, since some servers cap it and some count the page.

    A failure of a page that nothing speaks for says nothing, unless `was_exceeded`: then more records came in the last
    complete read than its totals. `is_whole` says whether the list ended where it was seen to end, `is_stuck` whether
    the API shows page 1 for every page.
    """

    def __init__(
        self, reader: PageReader, cutter: Cutter, query: ListQuery, pages: ShownPages, *, was_exceeded: bool
    ) -> None:
        self._reader = reader
        self._cutter = cutter
        self._query = query
        self._pages = pages
        self._was_exceeded = was_exceeded
        self._is_guess = False
        self.is_whole = True
        self.is_stuck = False

    def readings(self) -> Iterator[Reading | RefusedPage]:
        """Further pages of the list. The caller takes each before it asks for the next."""
        if self._may_be_more():
            yield from self._until_its_end(self._pages.promised() + 1)
        if self.is_whole and (page_0 := self._page_0()):
            yield page_0

    def _page_0(self) -> Reading | RefusedPage | None:
        """Page 0 of a further list if it has records that no page showed: nobody knows where such a list counts from.

        Without a total, or with one that counts the page, nothing else would show that its first page is missing.
        """
        pages = self._pages
        if not self._reader.is_further or (pages.count > 1 and pages.records == pages.total):
            return None
        reading = self._answer_to_page_0()
        if not isinstance(reading, Reading) or pages.has_further_keys(reading):
            return reading
        pages.take_beside(self._reader.as_again(reading), with_total=False)
        return None

    def _answer_to_page_0(self) -> Reading | RefusedPage | None:
        """None if the API has no such page. One that counts from 1 may refuse it or crash at it, each time."""
        for _ in range(_TRIES):
            asked = self._reader.ask(self._query, 0, once=True)
            try:
                return self._reader.read(asked, self._cutter)
            except UnexpectedAnswer:
                continue
            except TransientApiError as error:
                if error.status != _CRASHED:
                    self._is_guess = False
                    return self._beyond(0)
            except ResourceFailed:
                return None
        return None

    def _may_be_more(self) -> bool:
        pages, total = self._pages, self._pages.total
        if total is None:
            return pages.records > 0
        if pages.records > total or pages.ends_full() or self._was_exceeded:
            return True
        self._is_guess = pages.is_all_at_once() and total > 0
        return self._is_guess

    def _until_its_end(self, start: int) -> Iterator[Reading | RefusedPage]:
        """Reads pages until one is empty or repeats an earlier page."""
        idle = 0
        for page in count(start):
            reading = self._beyond(page)
            if reading is None or isinstance(reading, RefusedPage):
                # a page that nothing speaks for may fail: the API has shown all that it counts
                yield from [] if reading is None or self._is_guess else [reading]
                return
            if self._is_end(reading):
                self._end_with(reading)
                self.is_stuck = self._may_be_stuck(reading) and self._shows_only_page_1()
                self.is_whole &= not self._goes_on_after(reading, page) and not self.is_stuck
                return
            self._is_guess = False  # the total is wrong: a further page that fails may have records
            idle = 0 if self._pages.is_news(reading) else idle + 1
            yield reading
            if idle >= _IDLE_IN_A_ROW or page > _MOST_UNTOLD:
                self.is_whole = False
                return

    def _is_end(self, reading: Reading) -> bool:
        """Whether a page ends the list. If it has no total, only page 1 again does, as any other may be one that the
        server repeats. So may page 1 with as many records as propsync requested.
        """
        is_repeat = self._pages.repeats(reading)
        if is_repeat and self._pages.total is None:
            is_capped = len(self._pages.first.page.records) == self._reader.limit
            self.is_whole = self._pages.is_page_1(reading) and not is_capped
        return is_repeat or not reading.page.records

    def _end_with(self, reading: Reading) -> None:
        """Keeps only the total of the page that shows the end, and asks for it once more every night."""
        # a server that counts the page sends 0 on an empty one
        has_total = bool(reading.page.records or reading.page.total)
        self._pages.take_beside(self._reader.as_again(reading), with_total=has_total)

    def _may_be_stuck(self, reading: Reading) -> bool:
        """Whether page 1 came again as page 2, with as many records as a server's own page limit."""
        is_page_2 = self._pages.count == 1
        return is_page_2 and self._pages.is_page_1(reading) and may_be_a_page(len(reading.page.records))

    def _shows_only_page_1(self) -> bool:
        """Whether the API ignores `page`, so that nothing shows the records after page 1.

        Page 2 of half the size shows it. A server that ignores `limit` too shows the whole list each time. Only people
        can say so of a further list without a total, since such a server may know paging by other names.
        """
        shown = self._pages.first.page.records
        half = len(shown) // 2
        page = self._guessed(2, "combined", limit=half)
        if page is None:
            return False
        keys = set(self._cutter.keys(page.page.records))
        is_unproved = self._reader.is_further and self._pages.total is None
        return keys == set(self._cutter.keys(shown[:half])) or (is_unproved and keys == set(self._cutter.keys(shown)))

    def _goes_on_after(self, reading: Reading, page: int) -> bool:
        """Whether a list without a total has records after an empty page that follows one as full as the first."""
        is_full = self._pages.of_last_page >= len(self._pages.first.page.records)
        if self._pages.total is not None or reading.page.records or not is_full:
            return False
        self._is_guess = True
        after = self._beyond(page + 1)
        if not isinstance(after, Reading) or not after.page.records:
            return False
        self._pages.take_beside(self._reader.as_again(after), with_total=False)
        return not self._pages.repeats(after)

    def _beyond(self, page: int) -> Reading | RefusedPage | None:
        """Reads one page; None if the API has none after all that it promised, or if a guess fails."""
        if self._is_guess:
            return self._guessed(page)
        asked = self._reader.ask(self._query, page)
        try:
            return self._reader.read(asked, self._cutter)
        except NotFound:
            return None
        except RequestRefused as error:
            return None if error.says_not_found or self._has_shown_all() else RefusedPage(asked, error)
        except (TransientApiError, UnexpectedAnswer) as error:
            if isinstance(error, ApiUnreachable):
                raise
            if error.status == NO_CONTENT:
                return None
            return RefusedPage(asked, error)  # the API has shown all that it counts; parts can prove that this is all

    def _has_shown_all(self) -> bool:
        """Whether a refusal is the end of a list that nothing can read in parts.

        It has shown all that it counts or, without a total, a page that is not full. Search engines refuse later pages
        too, but after a round number of records.
        """
        pages = self._pages
        if pages.total is None:
            of_page = len(pages.first.page.records)
            return pages.of_last_page < of_page or (of_page < self._reader.limit and not may_be_a_page(of_page))
        return not self._reader.is_parted and pages.records == pages.total and not pages.has_round_total()

    def _guessed(self, page: int, role: str = "page", limit: int | None = None) -> Reading | None:
        """Reads a page that nothing speaks for; None if the API has none, or fails at it each time.

        Any request may fail now and then. If the API was busy, it has not looked for the page: only then is it worth a
        wait.
        """
        once = True
        for _ in range(_TRIES):
            asked = self._reader.ask(self._query, page, role, limit=limit, once=once)
            try:
                return self._reader.read(asked, self._cutter)
            except (TransientApiError, UnexpectedAnswer) as error:
                if not once:
                    return None
                once = error.status not in BUSY
            except ResourceFailed:
                return None
        return None
