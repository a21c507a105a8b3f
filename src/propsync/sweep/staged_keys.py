"""The lists' records, as rows of a staging table: keys and hashes, no payloads, so that memory stays flat."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain
from types import TracebackType
from typing import Any, Self

import msgspec

from propsync.landing import Landed
from propsync.records import Cutter, bytes_hash, is_too_deep
from propsync.warehouse import Warehouse, quoted, texts, whole_numbers

_LOT = 10_000  # rows for one statement: one statement a page would cost more than its work


@dataclass(frozen=True)
class Arithmetic:
    """The counts of one list, without page 1's second reading."""

    distinct_keys: int
    duplicates: int
    rejected: int


class StagedKeys:
    """The keys that one resource's lists show, in a staging table of its own that goes when this is closed.

    It fills page by page. `position` counts from 1 in a page; without a key there is no key_1.

    A record nested too deep for propsync has no payload_hash: it is listed, so it is not missing, and it gets no
    version.

    Facts that an answer gives about all of its records are stored once; the number of the answer and the position are
    one number. propsync writes rows in batches. A caller that adds rows calls `flush` before others read
    `table`; the methods here that read it do so themselves.
    """

    def __init__(self, warehouse: Warehouse, name: str) -> None:
        self._warehouse = warehouse
        self.table = f"staging.{quoted(f'listed_{name}')}"
        self._of_answers = f"staging.{quoted(f'answers_{name}')}"
        self._of_records = f"staging.{quoted(f'shown_{name}')}"
        self.clear()

    def clear(self) -> None:
        """Forgets all that was added."""
        self.taken: set[int] = set()
        """The answers added so far, including those without records."""
        self._answers: list[tuple[Any, ...]] = []
        self._written = 0
        self._first_parts: list[str | None] = []
        self._second_parts: list[str] = []
        self._hashes: list[str | None] = []
        self._counts: list[int] = []
        self._warehouse.execute(
            f"create or replace table {self._of_answers} (answer integer, attempt integer, list varchar, role varchar, "
            "sequence bigint, recency bigint, status varchar, performed varchar);"
            f"create or replace table {self._of_records} "
            "(place bigint, key_1 varchar, key_2 varchar, payload_hash varchar);"
            f"create or replace view {self.table} as "
            "select * exclude (place), (place & 4294967295)::integer as position "
            f"from {self._of_records} join {self._of_answers} on answer = place >> 32"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Drops the tables."""
        self._warehouse.execute(
            f"drop view if exists {self.table}; drop table if exists {self._of_records}; "
            f"drop table if exists {self._of_answers}"
        )

    def add(
        self, landed: Landed, records: Sequence[msgspec.Raw], cutter: Cutter, list_name: str | None = None
    ) -> Sequence[tuple[str, ...] | None]:
        """Adds one page's records, as those of another list if `list_name` says so; returns their keys."""
        self.taken.add(landed.sequence)
        if not records:
            return []
        keys = cutter.keys(records)
        self._first_parts += [key[0] if key else None for key in keys]
        if len(cutter.key_paths) > 1:
            self._second_parts += [key[1] if key else "" for key in keys]
        self._hashes += [None if is_too_deep(record) else bytes_hash(record) for record in records]
        self._counts.append(len(records))
        recency = int(landed.asked_at * 1_000_000)
        of_list = (landed.attempt, list_name or landed.list_name, landed.role)
        self._answers.append((*of_list, landed.sequence, recency, landed.status, landed.performed))
        if len(self._hashes) >= _LOT:
            self.flush()
        return keys

    def flush(self) -> None:
        """Writes the rows that it holds in memory."""
        if not self._counts:
            return
        first = self._written + 1
        self._written += len(self._counts)
        self._warehouse.add(self._of_answers, [(first + place, *one) for place, one in enumerate(self._answers)])
        starts = (answer << 32 for answer in range(first, first + len(self._counts)))
        places = chain.from_iterable(
            range(start + 1, start + count + 1) for start, count in zip(starts, self._counts, strict=True)
        )
        self._warehouse.append(
            self._of_records,
            place=whole_numbers(places),
            key_1=texts(self._first_parts),
            key_2=texts(self._second_parts or [""] * len(self._first_parts)),
            payload_hash=texts(self._hashes),
        )
        for waiting in (self._answers, self._counts, self._first_parts, self._second_parts, self._hashes):
            waiting.clear()

    def arithmetic(self, attempt: int, list_name: str) -> Arithmetic:
        """Counts the keys of one list."""
        self.flush()
        rows, distinct, rejected = self._warehouse.rows(
            "select count(key_1), count(distinct (key_1, key_2)) filter (key_1 is not null), "
            f"count(*) filter (key_1 is null) from {self.table} where attempt = ? and list = ? and role = 'page'",
            [attempt, list_name],
        )[0]
        return Arithmetic(distinct, rows - distinct, rejected)

    def together(self, attempt: int) -> tuple[int, int, int]:
        """Different keys on all lists, records without a key on the list with most of them, and on all."""
        self.flush()
        distinct, most, rejected = self._warehouse.rows(
            f"with shown as (select * from {self.table} where attempt = $1 and role = 'page'), "
            "rejected as (select count(*) as count from shown where key_1 is null group by list) "
            "select (select count(distinct (key_1, key_2)) from shown where key_1 is not null), "
            "(select coalesce(max(count), 0) from rejected), (select coalesce(sum(count), 0) from rejected)",
            [attempt],
        )[0]
        return int(distinct), int(most), int(rejected)

    def fingerprint(self, attempt: int) -> str:
        """The same for two attempts that showed the same keys on the same lists, as often."""
        self.flush()
        query = (
            "select count(*) || ':' || coalesce(sum(hash(list, key_1, key_2)), 0) "
            f"from {self.table} where attempt = ? and role = 'page'"
        )
        return str(self._warehouse.value(query, [attempt]))

    def is_more_after(self, attempt: int) -> bool:
        """Whether later attempts showed keys that this attempt did not."""
        self.flush()
        shown = f"select key_1, key_2 from {self.table} where key_1 is not null and attempt"
        query = f"select exists ({shown} > $1 except {shown} = $1)"
        return bool(self._warehouse.value(query, [attempt]))

    def has_shown(self, attempt: int, list_name: str, keys: Collection[tuple[str, ...]]) -> bool:
        """Whether the added pages of a list have shown all of these keys."""
        self.flush()
        parts = [[key[0] for key in keys], [key[1] if len(key) > 1 else "" for key in keys]]
        query = (
            f"select not exists (select unnest($first), unnest($second) except select key_1, key_2 from {self.table} "
            "where attempt = $attempt and list = $list and role = 'page')"
        )
        values = {"first": parts[0], "second": parts[1], "attempt": attempt, "list": list_name}
        return bool(self._warehouse.value(query, values))

    def rename(self, attempt: int, before: str, after: str) -> None:
        """Moves one list's staged rows to another list."""
        self.flush()
        query = f"update {self._of_answers} set list = ? where attempt = ? and list = ?"
        self._warehouse.execute(query, [after, attempt, before])

    def keep(self, attempt: int, lists: Collection[str]) -> None:
        """Keeps only one attempt's rows of these lists, and deletes the rest."""
        self.flush()
        query = f"delete from {self._of_answers} where attempt <> ? or not list_contains(?, list)"
        self._warehouse.execute(query, [attempt, list(lists)])
        gone = f"place >> 32 not in (select answer from {self._of_answers})"
        self._warehouse.execute(f"delete from {self._of_records} where {gone}")

    def sequences(self) -> set[int]:
        """The answers with a staged record."""
        self.flush()
        return {sequence for (sequence,) in self._warehouse.rows(f"select distinct sequence from {self._of_answers}")}
