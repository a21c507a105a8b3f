"""Reads one list from its first page to its last, and certifies it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from propsync.errors import NotFound, RequestRefused
from propsync.landing import Certificate
from propsync.progress import Progress
from propsync.records import Cutter
from propsync.resources import ListQuery
from propsync.sweep.listed import Arithmetic, Listed
from propsync.sweep.reading import Asked, Reader, Reading, Refused

_MOST_UNTOLD = 100_000  # pages of a list that tells no total
_EMPTY_IN_A_ROW = 50  # a total that lies by a million must not cost a thousand requests


@dataclass(frozen=True)
class ListSwept:
    """One reading of one list. `again` is page 1 read once more; `is_steady` that nothing moved meanwhile."""

    certificate: Certificate
    again: Reading | None
    is_steady: bool
    is_refused: bool

    @property
    def is_certified(self) -> bool:
        """Whether this is what a list that stood still would show."""
        return self.certificate.verdict == "certified"


class ListSweep:
    """One list of one attempt. `first` is its first page, read already."""

    def __init__(
        self, reader: Reader, listed: Listed, cutter: Cutter, query: ListQuery, first: Reading, rung: int = 0
    ) -> None:
        self._reader = reader
        self._listed = listed
        self._cutter = cutter
        self._query = query
        self._first = first
        self._rung = rung
        self._totals = [first.page.total]
        self._pages = 1
        self._empty = 0
        self._shown = 0
        self._is_whole = True
        self._is_refused = False

    def pages(self) -> int:
        """How many pages the first one promises; 1 where it tells no total."""
        total, shown = self._first.page.total, len(self._first.page.records)
        if total is None or total <= shown:
            return 1
        # a server may give fewer records a page than asked; a page 1 that is empty tells nothing of that
        size = shown if 0 < shown < self._reader.limit else max(self._reader.limit, shown)
        return -(-total // size)

    def sweep(self, bar: Progress, *, read_again: bool = False) -> ListSwept:
        """Reads the rest, then page 1 once more unless all came at once and `read_again` does not ask for it."""
        self._stage(self._first)
        bar.advance()
        for reading in self._rest():
            if isinstance(reading, Refused):
                # the highest page that the API takes is not known (section 8); what is under way is still kept
                self._is_whole, self._is_refused = False, True
                continue
            self._stage(reading)
            self._note(reading)
            bar.advance()
        again = self._read_again() if read_again or not self._fits_in_one() else None
        is_steady = self._is_steady(again)
        return ListSwept(self._certificate(is_steady=is_steady), again, is_steady, self._is_refused)

    def _rest(self) -> Iterator[Reading | Refused]:
        if not self._reader.is_paged:
            return iter(())
        if self._first.page.total is None and self._first.page.records:
            return self._until_empty(2)
        return self._as_told()

    def _as_told(self) -> Iterator[Reading | Refused]:
        """The pages that the total promises; beyond them, where they show more than it: it must hide nothing."""
        yield from self._reader.read_all(self._asked(), self._cutter)
        if self._shown > (self._first.page.total or 0):
            try:
                yield from self._until_empty(self.pages() + 1)
            except (NotFound, RequestRefused):
                return

    def _asked(self) -> Iterator[Asked]:
        for page in range(2, self.pages() + 1):
            if self._empty >= _EMPTY_IN_A_ROW:
                self._is_whole = False
            if not self._is_whole:
                return
            yield self._reader.ask(self._query, page)

    def _until_empty(self, start: int) -> Iterator[Reading]:
        """A list that tells no total, or too small a one, ends where a page shows nothing, or page 1 again."""
        first = before = self._keys(self._first)
        for page in count(start):
            reading = self._reader.read(self._reader.ask(self._query, page), self._cutter)
            keys = self._keys(reading)
            if not reading.page.records or keys == first:
                return
            if keys == before or page > _MOST_UNTOLD:  # its last page again and again, or no end at all
                self._is_whole = False
                return
            before = keys
            yield reading

    def _stage(self, reading: Reading) -> None:
        self._shown += len(reading.page.records)
        self._listed.add(reading.landed, reading.page.records, self._cutter)

    def _note(self, reading: Reading) -> None:
        self._pages += 1
        self._totals.append(reading.page.total)
        self._empty = 0 if reading.page.records else self._empty + 1

    def _read_again(self) -> Reading:
        again = self._reader.read(self._reader.ask(self._query, 1, "again"), self._cutter)
        self._stage(again)
        self._totals.append(again.page.total)
        return again

    def _fits_in_one(self) -> bool:
        """Everything came in one response, which paging cannot tear."""
        is_all = self._first.page.total == len(self._first.page.records) or not self._reader.is_paged
        return self._pages == 1 and is_all

    def _is_steady(self, again: Reading | None) -> bool:
        """One total throughout, and page 1 still shows the same keys."""
        is_same = again is None or self._keys(again) == self._keys(self._first)
        return self._is_whole and len(set(self._totals)) == 1 and is_same

    def _certificate(self, *, is_steady: bool) -> Certificate:
        found = self._listed.arithmetic(self._reader.attempt, self._query.name)
        return Certificate(
            list_name=self._query.name,
            rung=self._rung,
            attempt=self._reader.attempt,
            pages=self._pages,
            total_first=self._totals[0],
            total_last=self._totals[-1],
            distinct_keys=found.distinct_keys,
            duplicates=found.duplicates,
            rejected=found.rejected,
            verdict="certified" if is_steady and self._adds_up(found) else "incomplete",
        )

    def _adds_up(self, found: Arithmetic) -> bool:
        """No key twice, as many keys as told; a record without a key counts in the total too."""
        total = self._totals[0]
        is_counted = total is None or found.distinct_keys + found.rejected == total
        return not found.duplicates and is_counted

    def _keys(self, reading: Reading) -> set[tuple[str, ...] | None]:
        return set(self._cutter.keys(reading.page.records))
