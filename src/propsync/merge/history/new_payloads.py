"""Reads landed pages a second time, only for records that may be new versions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import msgspec

from propsync.landing import Landed, Manifest, PageStore
from propsync.records import DEEPEST, CanonicalForm, Cutter, Path, canonical_hash, is_too_deep, shallow, without_repeats
from propsync.sweep import StagedKeys
from propsync.warehouse import Warehouse, texts, whole_numbers

_MOST_REJECTED = 10_000  # rows of one run and resource; a list whose every record lacks its key fails by its shape
_LOT = 4_000_000  # bytes of payloads to pass to DuckDB at once
_HASHES = 10_000  # hashes to pass to DuckDB at once
_STAYS = "; what was known of it stays"
_REJECTED = f"""
select sequence, position, list, (key_1, key_2) in (select (key_1, key_2) from staging.known where change <> 'delete')
from {{listed}}
where (key_1 is null and role = 'page') or (key_1 is not null and payload_hash is null)
-- a record that may have been shown on several lists counts once
qualify key_1 is null or row_number() over (partition by key_1, key_2 order by role <> 'page', sequence, position) = 1
order by sequence, position
limit {_MOST_REJECTED}"""
Chosen = list[tuple[tuple[Any, ...], msgspec.Raw]]


class NewPayloads:
    """Chosen records of one snapshot; `cutters` gives the cutter for a landed answer, `listed` has the staged rows."""

    def __init__(
        self,
        warehouse: Warehouse,
        pages: PageStore,
        manifest: Manifest,
        cutters: Callable[[Landed], Cutter],
        listed: StagedKeys,
    ) -> None:
        self._warehouse = warehouse
        self._listed = listed
        self._pages = pages
        self._landed = {landed.sequence: landed for landed in manifest.landed}
        self._cutters = cutters

    def stage_statuses(self, status: Sequence[Path]) -> None:
        """Makes `staging.own_statuses`: the candidates' own statuses; `status` leads to them."""
        self._warehouse.execute("create or replace table staging.own_statuses (place bigint, own_status varchar)")
        if not status:
            return
        told = Cutter(None, (tuple(status),))
        place = 1
        for chosen in self._by_page("select sequence, position from staging.candidates order by place"):
            keys = told.keys([record for _, record in chosen])
            places = whole_numbers(range(place, place + len(keys)))
            statuses = texts([key[0] if key else "" for key in keys])
            self._warehouse.append("staging.own_statuses", place=places, own_status=statuses)
            place += len(keys)

    def stage_canonical(self, form: CanonicalForm, known: str) -> None:
        """Makes `staging.canonical`: for each candidate to compare, a hash of the new and one of the known record.

        `known` is a query for the place and the payload of the known record.
        """
        self._warehouse.execute("create or replace table staging.canonical (place bigint, hash varchar)")
        query = "select sequence, position, place from staging.candidates where is_to_compare order by place"
        hashes: list[tuple[int, str]] = []
        for chosen in self._by_page(query):
            hashes += [(place, canonical_hash(record, form)) for (_, _, place), record in chosen]
            if len(hashes) >= _HASHES:
                self._add_canonical(hashes)
                hashes.clear()
        self._add_canonical(hashes)
        for lot in self._warehouse.batches(known):
            self._add_canonical([(place, canonical_hash(payload.encode(), form)) for place, payload in lot])

    def _add_canonical(self, hashes: Sequence[tuple[int, str]]) -> None:
        places = whole_numbers(place for place, _ in hashes)
        self._warehouse.append("staging.canonical", place=places, hash=texts([hashed for _, hashed in hashes]))

    def payloads(self) -> Iterator[tuple[int, list[bytes]]]:
        """The records of `staging.changed` on the pages, in batches, each with the place of its first.

        It copies them: a record that is part of its page would keep the whole page in memory until its batch is full.
        If a member comes twice they keep the last, which propsync compares and SQL then reads.
        """
        first, lot, size = 1, [], 0
        query = "select sequence, position from staging.changed where not is_concluded order by place"
        for chosen in self._by_page(query):
            records = without_repeats([bytes(record) for _, record in chosen])
            lot += records
            size += sum(map(len, records))
            if size > _LOT:
                yield first, lot
                first, lot, size = first + len(lot), [], 0
        if lot:
            yield first, lot

    def rejected(self) -> Iterator[tuple[str, int, str, str]]:
        """Records without a usable key or nested too deep: list, position in its page, reason, payload.

        It leaves the deepest parts out of the payload: DuckDB's functions would end their whole session over them.
        """
        for chosen in self._by_page(_REJECTED.format(listed=self._listed.table)):
            for (_, position, list_name, is_known), record in chosen:
                text = bytes(record)
                reason = _reason(text)
                yield list_name, position, reason + (_STAYS if is_known else ""), shallow(text, DEEPEST).decode()

    def _by_page(self, query: str) -> Iterator[Chosen]:
        """Rows that open with a sequence and a position, each with its record, a page at a time."""
        rows = (row for lot in self._warehouse.batches(query) for row in lot)
        for sequence, of_page in groupby(rows, key=itemgetter(0)):
            landed = self._landed[sequence]
            records = self._cutters(landed).cut(self._pages.get(landed.sha256)).records
            yield [(row, records[row[1] - 1]) for row in of_page]


def _reason(record: bytes) -> str:
    if is_too_deep(record):
        return "nested too deep to be read"
    return "no usable key" if record.lstrip().startswith(b"{") else "not an object"
