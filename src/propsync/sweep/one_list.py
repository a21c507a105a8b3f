"""Reads one list from its first page to its last, and certifies it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from propsync.errors import AccessForbidden, NotFound, RequestRefused, TransientApiError, UnexpectedAnswer
from propsync.landing import Certificate
from propsync.progress import Progress
from propsync.records import Cutter, bytes_hash
from propsync.resources import ListQuery
from propsync.sweep.page_reader import Asked, PageReader, Reading, RefusedPage
from propsync.sweep.staged_keys import Arithmetic, StagedKeys

_MOST_UNTOLD = 100_000  # pages of a list without a total
_EMPTY_IN_A_ROW = 50  # a total that is a million too high must not cost a thousand requests
_SEARCH_WINDOW = 10_000  # search engines count and show that many records, and some send empty pages after them
_IDLE_IN_A_ROW = 3  # pages beyond the total with nothing new: the server repeats its pages without end


@dataclass(frozen=True)
class ListSwept:
    """One reading of one list. `again` is page 1 read once more, `third` for the third time. `is_steady` says that each
    showed the same keys, and that no whole page is missing.

    `totals` are those of the pages, in the order of the requests.
    """

    certificate: Certificate
    again: Reading | None
    third: Reading | None
    is_steady: bool
    is_refused: bool
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
        self._listed = listed
        self._cutter = cutter
        self._query = query
        self._first = first
        self._rung = rung
        self._totals: dict[int, int | None] = {}
        self._last = (0, 0)
        self._seen: set[int] = set()
        self._pages = 0
        self._empty = 0
        self._shown = 0
        self._is_whole = True
        self._is_refused = False
        self._was_wrong = self._is_guess = False

    def pages(self) -> int:
        """How many pages the first one promises; 1 if it has no total."""
        total, shown = self._first.page.total, len(self._first.page.records)
        if total is None or total <= shown:
            return 1
        return -(-total // self._page_size())

    def _page_size(self) -> int:
        """The real page size: a server may return fewer records than requested. A page 1 that holds all or nothing
        is no evidence.
        """
        total, shown = self._first.page.total or 0, len(self._first.page.records)
        return shown if 0 < shown < min(total, self._reader.limit) else max(self._reader.limit, shown)

    def sweep(
        self,
        bar: Progress,
        *,
        read_again: bool = False,
        is_doubtful: Callable[[Reading, Reading], bool] | None = None,
        was_wrong: bool = False,
    ) -> ListSwept:
        """Reads the rest, then page 1 once more, unless all came at once and `read_again` does not ask for it.

        If `is_doubtful` says so of these two, it reads page 1 for the third time. A failure of the page after a short
        list says nothing, unless `was_wrong`: then totals of the last complete read did not add up.
        """
        self._was_wrong = was_wrong
        self._take(self._first, bar)
        for reading in self._rest():
            if isinstance(reading, RefusedPage):
                # the API's highest page is unknown (API §8); propsync still keeps the pages under way
                self._is_whole, self._is_refused = False, True
                continue
            self._take(reading, bar)
        if self._fills_a_search_window():
            self._is_whole, self._is_refused = False, True
        again = self._read_again() if read_again or not self._is_all_at_once() else None
        third = self._read_later() if again and is_doubtful and is_doubtful(self._first, again) else None
        found = self._listed.arithmetic(self._reader.attempt, self._query.name)
        is_steady = (
            self._is_whole
            and not self._lacks_a_page(found)
            and all(self._keys(one) == self._keys(self._first) for one in (again, third) if one is not None)
        )
        totals = tuple(total for _, total in sorted(self._totals.items()))
        certificate = self._certificate(found, is_steady=is_steady)
        return ListSwept(certificate, again, third, is_steady, self._is_refused, totals)

    def _rest(self) -> Iterator[Reading | RefusedPage]:
        if not self._reader.is_paged:
            return
        if self._first.page.total is not None or not self._first.page.records:
            yield from self._reader.read_all(self._asked(), self._cutter)
        if self._is_whole and self._may_be_more():
            yield from self._until_its_end(self.pages() + 1)

    def _asked(self) -> Iterator[Asked]:
        for page in range(2, self.pages() + 1):
            if self._empty >= _EMPTY_IN_A_ROW:
                self._is_whole = False
            if not self._is_whole:
                return
            yield self._reader.ask(self._query, page)

    def _may_be_more(self) -> bool:
        """Whether more records may exist than the total claims: some servers cap it, some count the page."""
        total, (_, of_last_page) = self._first.page.total, self._last
        if total is None:
            return self._shown > 0
        is_full = of_last_page >= self._page_size() or (self._is_all_at_once() and _may_be_a_page(total))
        if self._shown > total or is_full or self._was_wrong:
            return True
        self._is_guess = self._is_all_at_once() and total > 0
        return self._is_guess

    def _until_its_end(self, start: int) -> Iterator[Reading | RefusedPage]:
        """Reads pages beyond the total; the list ends at an empty page, or one that repeats an earlier page."""
        idle = 0
        for page in count(start):
            reading = self._beyond(page)
            if reading is None or isinstance(reading, RefusedPage):
                # a page that nothing speaks for may fail: the API has shown all that it counts
                yield from [] if reading is None or self._is_guess else [reading]
                return
            if self._is_end(reading):
                self._end_with(reading)
                self._is_whole &= not self._goes_on_after(reading, page)
                return
            self._is_guess = False  # the total is wrong: a further page that fails may have records
            idle = 0 if self._is_news(reading) else idle + 1
            yield reading
            if idle >= _IDLE_IN_A_ROW or page > _MOST_UNTOLD:
                self._is_whole = False
                return

    def _is_end(self, reading: Reading) -> bool:
        """Whether a page ends the list. If it has no total, only page 1 again does, as any other may be one that the
        server repeats. So may page 1 with as many records as propsync requested.
        """
        is_repeat = self._mark(reading) in self._seen
        if is_repeat and self._first.page.total is None:
            is_page_1 = self._mark(reading) == self._mark(self._first)
            self._is_whole = is_page_1 and len(self._first.page.records) != self._reader.limit
        return is_repeat or not reading.page.records

    def _goes_on_after(self, reading: Reading, page: int) -> bool:
        """Whether a list without a total has records after an empty page that follows one as full as the first."""
        is_full = self._last[1] >= len(self._first.page.records)
        if self._first.page.total is not None or reading.page.records or not is_full:
            return False
        self._is_guess = True
        after = self._beyond(page + 1)
        if not isinstance(after, Reading) or not after.page.records:
            return False
        self._stage(self._reader.as_again(after))
        return self._mark(after) not in self._seen

    def _beyond(self, page: int) -> Reading | RefusedPage | None:
        """Reads one page; None if the API has none after all that it promised, or if a guess fails."""
        asked = self._reader.ask(self._query, page, once=self._is_guess)
        try:
            return self._reader.read(asked, self._cutter)
        except NotFound:
            return None
        except RequestRefused as error:
            return None if error.says_not_found else RefusedPage(asked, error)
        except (AccessForbidden, TransientApiError, UnexpectedAnswer):
            if not self._is_guess:
                raise
            return None

    def _fills_a_search_window(self) -> bool:
        """Whether a search engine may have more records than it shows: only parts can tell."""
        return self._first.page.total == self._shown == _SEARCH_WINDOW

    def _end_with(self, reading: Reading) -> None:
        """Keeps only the total of the page that shows the end, and asks for it once more every night."""
        if reading.page.records or reading.page.total:  # a server that counts the page sends 0 on an empty one
            self._totals[reading.landed.sequence] = reading.page.total
        self._stage(self._reader.as_again(reading))

    def _take(self, reading: Reading, bar: Progress) -> None:
        """Counts a page that came."""
        of_page, keys = len(reading.page.records), self._stage(reading)
        self._pages += 1
        self._shown += of_page
        self._empty = 0 if of_page else self._empty + 1
        self._last = max(self._last, (reading.landed.sequence, of_page))
        self._totals[reading.landed.sequence] = reading.page.total
        self._seen.add(self._mark(reading, keys))
        bar.advance()

    def _mark(self, reading: Reading, keys: Sequence[tuple[str, ...] | None] | None = None) -> int:
        """A mark that two pages share if they show the same records, in any order."""
        if keys is None:
            keys = self._cutter.keys(reading.page.records)
        return hash(
            tuple(sorted(key or (bytes_hash(one),) for key, one in zip(keys, reading.page.records, strict=True)))
        )

    def _is_news(self, reading: Reading) -> bool:
        """Whether a page shows a new record; a list without a total would need a search at each page."""
        keys = self._cutter.keys(reading.page.records)
        if self._first.page.total is None or None in keys:
            return True
        return not self._listed.has_shown(self._reader.attempt, self._query.name, {key for key in keys if key})

    def _stage(self, reading: Reading) -> Sequence[tuple[str, ...] | None]:
        """Stages a page's records; returns the keys."""
        return self._listed.add(reading.landed, reading.page.records, self._cutter)

    def _read_again(self) -> Reading:
        again = self._reader.read(self._reader.ask(self._query, 1, "again"), self._cutter)
        self._stage(again)
        self._totals[again.landed.sequence] = again.page.total
        return again

    def _read_later(self) -> Reading:
        self._reader.wait_for_signatures()
        return self._read_again()

    def _is_all_at_once(self) -> bool:
        """Whether the first response holds every record that it counts, so that paging cannot tear the list."""
        return self._first.page.total == len(self._first.page.records) or not self._reader.is_paged

    def _certificate(self, found: Arithmetic, *, is_steady: bool) -> Certificate:
        return Certificate(
            list_name=self._query.name,
            rung=self._rung,
            attempt=self._reader.attempt,
            pages=self._pages,
            total_first=self._first.page.total,
            total_last=self._totals[max(self._totals)],
            distinct_keys=found.distinct_keys,
            duplicates=found.duplicates,
            rejected=found.rejected,
            verdict="certified" if is_steady and self._is_one_total() and self._adds_up(found) else "incomplete",
        )

    def _lacks_a_page(self, found: Arithmetic) -> bool:
        """Whether as many records as a page has are missing, or all. So it is if a server ignores `page`, and then the
        total may be right.
        """
        shown = found.distinct_keys + found.rejected
        missing = (self._first.page.total or 0) - shown
        return missing > 0 and (not shown or missing >= self._page_size())

    def _is_one_total(self) -> bool:
        return len(set(self._totals.values())) == 1

    def _adds_up(self, found: Arithmetic) -> bool:
        """Whether no key comes twice and the keys match the total; a record without a key counts in the total too."""
        total = self._first.page.total
        is_counted = total is None or found.distinct_keys + found.rejected == total
        return not found.duplicates and is_counted

    def _keys(self, reading: Reading) -> set[tuple[str, ...] | None]:
        return set(self._cutter.keys(reading.page.records))


def _may_be_a_page(count: int) -> bool:
    """Whether this may be a server's own page limit: a total that counts the page then looks like all records."""
    return count >= 10 and (count % 10 == 0 or count % 25 == 0 or count.bit_count() == 1)
