"""The pages of one list that have come, and their counts."""

from __future__ import annotations

from collections.abc import Sequence

from propsync.records import Cutter, bytes_hash
from propsync.resources import ListQuery
from propsync.sweep.page_reader import PageReader, Reading
from propsync.sweep.staged_keys import Arithmetic, StagedKeys

_SEARCH_WINDOW = 10_000  # search engines count and show that many records, and some send empty pages after them
_CAP = 500  # servers cap totals at multiples of it


class ShownPages:
    """Stages the pages of one list of one attempt and counts them. `first` is its first page.

    `totals` are those of the pages, by the number of their requests. `count` and `records` are those that `take` got,
    `idle` the pages at the end that are empty or repeat an earlier one.
    """

    def __init__(
        self, reader: PageReader, listed: StagedKeys, cutter: Cutter, query: ListQuery, first: Reading
    ) -> None:
        self._reader = reader
        self._listed = listed
        self._cutter = cutter
        self._query = query
        self.first = first
        self.total = first.page.total
        self.totals: dict[int, int | None] = {}
        self.count = self.records = self.idle = 0
        self._last = (0, 0)
        self._marks: set[int] = set()

    def take(self, reading: Reading) -> None:
        """Stages a page of the list and counts it."""
        of_page, keys = len(reading.page.records), self._stage(reading)
        self.count += 1
        self.records += of_page
        mark = self._mark(reading, keys)
        self.idle = self.idle + 1 if not of_page or mark in self._marks else 0
        self._last = max(self._last, (reading.landed.sequence, of_page))
        self.totals[reading.landed.sequence] = reading.page.total
        self._marks.add(mark)

    def take_beside(self, reading: Reading, *, with_total: bool) -> None:
        """Stages a page that is no further page of the list, with the total that it gives."""
        if with_total:
            self.totals[reading.landed.sequence] = reading.page.total
        self._stage(reading)

    def promised(self) -> int:
        """How many pages the first one promises; 1 if it has no total."""
        if self.total is None or self.total <= len(self.first.page.records):
            return 1
        return -(-self.total // self.page_size())

    def page_size(self) -> int:
        """The real page size: a server may return fewer records than requested. A page 1 that holds all or nothing
        is no evidence.
        """
        total, shown = self.total or 0, len(self.first.page.records)
        return shown if 0 < shown < min(total, self._reader.limit) else max(self._reader.limit, shown)

    @property
    def of_last_page(self) -> int:
        """How many records the page with the latest request had."""
        return self._last[1]

    def is_all_at_once(self) -> bool:
        """Whether the first response holds every record that it counts, so that paging cannot tear the list."""
        return self.total == len(self.first.page.records) or not self._reader.is_paged

    def ends_full(self) -> bool:
        """Whether its last page is as full as a page can be, so that more may come after it."""
        is_round = self.is_all_at_once() and may_be_a_page(self.total or 0)
        return self.of_last_page >= self.page_size() or is_round

    def may_be_capped(self) -> bool:
        """Whether its total may stop short of the list: at the end of a page, or at a round number within one."""
        return self.ends_full() or self.has_round_total()

    def has_round_total(self) -> bool:
        """Whether its total is one at which servers cap totals."""
        return (self.total or 0) % _CAP == 0

    def fills_a_search_window(self) -> bool:
        """Whether a search engine may have more records than it shows: only parts can tell."""
        return self.total == self.records == _SEARCH_WINDOW

    def repeats(self, reading: Reading) -> bool:
        """Whether a page has the records of an earlier one."""
        return self._mark(reading) in self._marks

    def is_page_1(self, reading: Reading) -> bool:
        """Whether a page has the records of the first one."""
        return self._mark(reading) == self._mark(self.first)

    def is_news(self, reading: Reading) -> bool:
        """Whether a page shows a new record; a list without a total would need a search at each page."""
        return self.total is None or None in self._keys(reading) or self.has_further_keys(reading)

    def has_further_keys(self, reading: Reading) -> bool:
        """Whether a page shows a key that no page so far has."""
        keys = {key for key in self._keys(reading) if key}
        return not self._listed.has_shown(self._reader.attempt, self._query.name, keys)

    def shows_the_keys_of_page_1(self, reading: Reading) -> bool:
        """Whether page 1, read again, has the same keys."""
        return self._keys(reading) == self._keys(self.first)

    def arithmetic(self) -> Arithmetic:
        """Counts the keys."""
        return self._listed.arithmetic(self._reader.attempt, self._query.name)

    def lacks_a_page(self, found: Arithmetic) -> bool:
        """Whether as many records as a page has are missing, or all. So it is if a server ignores `page`, and then the
        total may be right.
        """
        shown = found.distinct_keys + found.rejected
        missing = (self.total or 0) - shown
        return missing > 0 and (not shown or missing >= self.page_size())

    def adds_up(self, found: Arithmetic) -> bool:
        """Whether no key comes twice and the keys match the one total of all pages. A record without a key counts in
        the total too.
        """
        is_counted = self.total is None or found.distinct_keys + found.rejected == self.total
        return len(set(self.totals.values())) == 1 and not found.duplicates and is_counted

    def _stage(self, reading: Reading) -> Sequence[tuple[str, ...] | None]:
        return self._listed.add(reading.landed, reading.page.records, self._cutter)

    def _mark(self, reading: Reading, keys: Sequence[tuple[str, ...] | None] | None = None) -> int:
        """A mark that two pages share if they show the same records, in any order."""
        if keys is None:
            keys = self._cutter.keys(reading.page.records)
        return hash(
            tuple(sorted(key or (bytes_hash(one),) for key, one in zip(keys, reading.page.records, strict=True)))
        )

    def _keys(self, reading: Reading) -> set[tuple[str, ...] | None]:
        return set(self._cutter.keys(reading.page.records))


def may_be_a_page(count: int) -> bool:
    """Whether this may be a server's own page limit: a total that counts the page then looks like all records."""
    return count >= 10 and (count % 10 == 0 or count % 25 == 0 or count.bit_count() == 1)
