"""Reads landed pages a second time, for the records that may be new versions only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

import msgspec

from propsync.landing import Landed, Manifest, PageStore
from propsync.records import CanonicalForm, Cutter, canonical_hash, is_too_deep
from propsync.warehouse import Warehouse

_MOST_REJECTED = 10_000  # rows of one run and resource; a list whose every record lacks its key fails by its shape


class Readings:
    """Payloads of chosen records of one snapshot; `cutters` gives the cutter for a landed answer."""

    def __init__(self, warehouse: Warehouse, pages: PageStore, manifest: Manifest, cutters: Callable[[Landed], Cutter]):
        self._warehouse = warehouse
        self._pages = pages
        self._landed = {landed.sequence: landed for landed in manifest.landed}
        self._cutters = cutters

    def stage_candidates(self, form: CanonicalForm) -> None:
        """Makes `staging.readings` from `staging.candidates`, a page at a time."""
        self._warehouse.execute(
            "create or replace table staging.readings "
            "(key_1 varchar, key_2 varchar, payload varchar, canonical_hash varchar)"
        )
        query = "select sequence, position, key_1, key_2 from staging.candidates order by sequence, position"
        for chosen in self._by_page(query):
            columns = {
                "key_1": [row[2] for row, _ in chosen],
                "key_2": [row[3] for row, _ in chosen],
                "payload": [bytes(record).decode() for _, record in chosen],
                "canonical_hash": [canonical_hash(record, form) for _, record in chosen],
            }
            self._warehouse.append("staging.readings", columns)

    def rejected(self) -> Iterator[tuple[str, int, str, str]]:
        """Records without a usable key: list, position in its page, reason, payload."""
        query = (
            "select sequence, position, list from staging.listed where key_1 is null and role = 'page' "
            f"order by sequence, position limit {_MOST_REJECTED}"
        )
        for chosen in self._by_page(query):
            for (_, position, list_name), record in chosen:
                yield list_name, position, _reason(record), bytes(record).decode()

    def _by_page(self, query: str) -> Iterator[list[tuple[tuple[Any, ...], msgspec.Raw]]]:
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
