"""Reads landed pages a second time, for the records that may be new versions only."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import msgspec

from propsync.landing import Landed, Manifest, PageStore
from propsync.records import CanonicalForm, Cutter, Path, first_text, hash_and_value, is_too_deep
from propsync.warehouse import Warehouse

_MOST_REJECTED = 10_000  # rows of one run and resource; a list whose every record lacks its key fails by its shape
_LOT = 4_000_000  # bytes of payloads that are handed to DuckDB at once
Chosen = list[tuple[tuple[Any, ...], msgspec.Raw]]


class Readings:
    """Chosen records of one snapshot; `cutters` gives the cutter for a landed answer."""

    def __init__(self, warehouse: Warehouse, pages: PageStore, manifest: Manifest, cutters: Callable[[Landed], Cutter]):
        self._warehouse = warehouse
        self._pages = pages
        self._landed = {landed.sequence: landed for landed in manifest.landed}
        self._cutters = cutters

    def stage_candidates(self, form: CanonicalForm, status: Sequence[Path]) -> None:
        """Makes `staging.readings`, by the place in `staging.candidates`; `status` leads to the one a record tells."""
        self._warehouse.execute(
            "create or replace table staging.readings (place bigint, canonical_hash varchar, own_status varchar)"
        )
        place = 1
        for chosen in self._by_page("select sequence, position from staging.candidates order by place"):
            read = [hash_and_value(record, form) for _, record in chosen]
            columns: dict[str, Sequence[Any]] = {
                "place": range(place, place + len(read)),
                "canonical_hash": [hashed for hashed, _ in read],
            }
            if status:
                columns["own_status"] = [first_text(value, status) or "" for _, value in read]
            self._warehouse.append("staging.readings", columns)
            place += len(read)

    def payloads(self) -> Iterator[tuple[int, list[msgspec.Raw]]]:
        """The records of `staging.changed` in lots, each with the place of its first."""
        first, lot, size = 1, [], 0
        for chosen in self._by_page("select sequence, position from staging.changed where place > 0 order by place"):
            lot += [record for _, record in chosen]
            size += sum(len(memoryview(record)) for _, record in chosen)
            if size > _LOT:
                yield first, lot
                first, lot, size = first + len(lot), [], 0
        if lot:
            yield first, lot

    def rejected(self) -> Iterator[tuple[str, int, str, str]]:
        """Records without a usable key: list, position in its page, reason, payload."""
        query = (
            "select sequence, position, list from staging.listed where key_1 is null and role = 'page' "
            f"order by sequence, position limit {_MOST_REJECTED}"
        )
        for chosen in self._by_page(query):
            for (_, position, list_name), record in chosen:
                yield list_name, position, _reason(record), bytes(record).decode()

    def _by_page(self, query: str) -> Iterator[Chosen]:
        """Rows that open with a sequence and a position, each with its record, a page at a time."""
        rows = (row for lot in self._warehouse.batches(query) for row in lot)
        for sequence, of_page in groupby(rows, key=itemgetter(0)):
            landed = self._landed[sequence]
            records = self._cutters(landed).cut(self._pages.get(landed.sha256)).records
            yield [(row, records[row[1] - 1]) for row in of_page]


def _reason(record: msgspec.Raw) -> str:
    is_object = bytes(record).lstrip().startswith(b"{")
    if is_too_deep(record):
        return "nested too deep to be read"
    return "no usable key" if is_object else "not an object"
