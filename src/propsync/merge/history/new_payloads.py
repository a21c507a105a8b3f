"""Reads landed pages a second time, only for records that may be new versions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import msgspec

from propsync.landing import Landed, Manifest, PageStore
from propsync.records import (
    DEEPEST,
    CanonicalForm,
    Cutter,
    Path,
    canonical_hash,
    is_error,
    is_too_deep,
    shallow,
    without_repeats,
)
from propsync.runs import Verdict
from propsync.sweep import StagedKeys
from propsync.warehouse import Warehouse, statement, texts, whole_numbers

_MOST_REJECTED = 10_000  # rows of one run and resource; a list whose every record lacks its key fails by its shape
_LOT = 4_000_000  # bytes of payloads to pass to DuckDB at once
_HASHES = 10_000  # hashes to pass to DuckDB at once
_KEPT = 16_000_000  # bytes of records to keep for a later look, so that propsync reads most pages of a night once
_DOUBLED = "another record in the same list has its key, and propsync keeps that one"
_STAYS = "; what was known of it stays"
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
        self._is_still = manifest.verdict == Verdict.AGREED
        self._cutters = cutters
        self._kept: dict[tuple[int, int], msgspec.Raw] = {}
        self._room = _KEPT

    def stage_statuses(self, status: Sequence[Path]) -> None:
        """Makes `staging.own_statuses`: the candidates' own statuses; `status` leads to them."""
        self._warehouse.execute(statement("merge/history/make_own_statuses"))
        if not status:
            return
        status_cutter = Cutter(None, (tuple(status),))
        place = 1
        for chosen in self._by_page(statement("merge/history/candidates")):
            keys = status_cutter.keys([record for _, record in chosen])
            places = whole_numbers(range(place, place + len(keys)))
            statuses = texts([key[0] if key else "" for key in keys])
            self._warehouse.append("staging.own_statuses", place=places, own_status=statuses)
            place += len(keys)

    def stage_canonical(self, form: CanonicalForm, known: str) -> None:
        """Makes `staging.canonical`: for each candidate to compare, a hash of the new and one of the known record.

        `known` is a query for the place and the payload of the known record.
        """
        self._warehouse.execute(statement("merge/history/make_canonical"))
        hashes: list[tuple[int, str]] = []
        for chosen in self._by_page(statement("merge/history/candidates_to_compare")):
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
        self._room = 0  # nothing looks at these records again
        first, lot, size = 1, [], 0
        for chosen in self._by_page(statement("merge/history/changed_on_pages")):
            records = without_repeats([bytes(record) for _, record in chosen])
            lot += records
            size += sum(map(len, records))
            if size > _LOT:
                yield first, lot
                first, lot, size = first + len(lot), [], 0
        if lot:
            yield first, lot

    def rejected(self) -> Iterator[tuple[str, int, str, str]]:
        """Records without a usable key, nested too deep or replaced by an error: list, position, reason, payload.

        It leaves the deepest parts out of the payload: DuckDB's functions would end their whole session over them.
        """
        query = statement("merge/history/rejected", listed=self._listed.table)
        for chosen in self._by_page(query, {"most": _MOST_REJECTED}):
            for (sequence, position, list_name, is_known), record in chosen:
                text = bytes(record)
                reason = _reason(text, self._cutters(self._landed[sequence]))
                yield list_name, position, reason + (_STAYS if is_known else ""), shallow(text, DEEPEST).decode()

    def doubled(self) -> Iterator[tuple[str, int, str, str]]:
        """The same of records that share their key with another in one answer, whose copy propsync keeps.

        Under an agreed total the list showed the same three times, so two of its pages count as one answer.
        """
        query = statement("merge/history/doubled", listed=self._listed.table)
        for chosen in self._by_page(query, {"most": _MOST_REJECTED, "is_still": self._is_still}):
            for (_, position, list_name), record in chosen:
                yield list_name, position, _DOUBLED, shallow(bytes(record), DEEPEST).decode()

    def _by_page(self, query: str, values: Mapping[str, Any] | None = None) -> Iterator[Chosen]:
        """Rows that open with a sequence and a position, each with its record, a page at a time."""
        rows = (row for lot in self._warehouse.batches(query, values) for row in lot)
        for sequence, of_page in groupby(rows, key=itemgetter(0)):
            chosen = list(of_page)
            yield list(zip(chosen, self._records(sequence, [row[1] for row in chosen]), strict=True))

    def _records(self, sequence: int, positions: Sequence[int]) -> list[msgspec.Raw]:
        """The records at these positions of a page, which it reads unless it has kept all of them."""
        places = [(sequence, position) for position in positions]
        if self._kept.keys() >= {*places}:
            return [self._kept[place] for place in places]
        landed = self._landed[sequence]
        records = self._cutters(landed).cut(self._pages.get(landed.sha256)).records
        found = [records[position - 1] for position in positions]
        self._keep(zip(places, found, strict=True))
        return found

    def _keep(self, records: Iterable[tuple[tuple[int, int], msgspec.Raw]]) -> None:
        """Keeps copies of records as long as there is room: a record that is part of its page keeps the whole page."""
        for place, record in records:
            if self._room <= 0:
                return
            copied = bytes(record)
            self._kept[place] = msgspec.Raw(copied)
            self._room -= len(copied)


def _reason(record: bytes, cutter: Cutter) -> str:
    if is_too_deep(record):
        return "nested too deep to be read"
    if is_error(record, cutter.key_paths) and cutter.key(msgspec.Raw(record)):
        return "an error in place of the record"
    return "no usable key" if record.lstrip().startswith(b"{") else "not an object"
