"""The lists' records, as rows of a staging table: keys and hashes, no payloads, so that memory stays flat."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain
from types import TracebackType
from typing import Any, Self

import msgspec

from propsync.landing import Landed
from propsync.records import Cutter, bytes_hash, is_error, is_too_deep
from propsync.suppression import is_pseudonym
from propsync.warehouse import Warehouse, quoted, statement, texts, whole_numbers

_LOT = 80_000  # rows for one statement: DuckDB keeps more than half a row group as it comes, and copies fewer twice


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
    version. Nor does one that replaces an erased record, or an error in place of a record.

    Facts that an answer gives about all of its records are stored once; the number of the answer and the position are
    one number. propsync writes rows in batches. A caller that adds rows calls `flush` before others read
    `table`; the methods here that read it do so themselves.
    """

    def __init__(self, warehouse: Warehouse, name: str, *, may_have_errors: bool = True) -> None:
        self._warehouse = warehouse
        self._may_have_errors = may_have_errors
        self.table = f"staging.{quoted(f'listed_{name}')}"
        self._of_answers = f"staging.{quoted(f'answers_{name}')}"
        self._of_records = f"staging.{quoted(f'shown_{name}')}"
        self._names = {"listed": self.table, "answers": self._of_answers, "records": self._of_records}
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
        self._seen = self._errors = 0
        for made in ("sweep/make_answers", "sweep/make_records", "sweep/show_listed"):
            self._execute(made)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Drops the tables."""
        for dropped in ("sweep/drop_listed", "sweep/drop_records", "sweep/drop_answers"):
            self._execute(dropped)

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
        errors = [self._may_have_errors and is_error(record, cutter.key_paths) for record in records]
        self._seen += len(records)
        self._errors += sum(errors)
        self._hashes += [
            None if error or is_too_deep(record) or (key and is_pseudonym(key[0])) else bytes_hash(record)
            for record, key, error in zip(records, keys, errors, strict=True)
        ]
        self._counts.append(len(records))
        recency = int(landed.asked_at * 1_000_000)
        of_list = (landed.attempt, list_name or landed.list_name, landed.role)
        self._answers.append((*of_list, landed.sequence, recency, landed.status, landed.performed))
        if len(self._hashes) >= _LOT:
            self.flush()
        return keys

    @property
    def is_mostly_errors(self) -> bool:
        """Whether the API sent errors in place of more than half of the records."""
        return self._errors * 2 > self._seen

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
        rows, distinct, rejected = self._rows("sweep/arithmetic", attempt=attempt, list=list_name)[0]
        return Arithmetic(distinct, rows - distinct, rejected)

    def together(self, attempt: int) -> tuple[int, int, int]:
        """Different keys on all lists, records without a key on the list with most of them, and on all."""
        distinct, most, rejected = self._rows("sweep/together", attempt=attempt)[0]
        return int(distinct), int(most), int(rejected)

    def fingerprint(self, attempt: int) -> str:
        """The same for two attempts that showed the same keys on the same lists, as often."""
        return str(self._value("sweep/fingerprint", attempt=attempt))

    def is_more_after(self, attempt: int) -> bool:
        """Whether later attempts showed keys that this attempt did not."""
        return bool(self._value("sweep/is_more_after", attempt=attempt))

    def is_under_two_statuses(self, attempt: int) -> bool:
        """Whether an attempt showed one record on lists of different statuses."""
        return bool(self._value("sweep/is_under_two_statuses", attempt=attempt))

    def has_shown(self, attempt: int, list_name: str, keys: Collection[tuple[str, ...]]) -> bool:
        """Whether the added pages of a list have shown all of these keys."""
        first, second = [key[0] for key in keys], [key[1] if len(key) > 1 else "" for key in keys]
        of_list = {"attempt": attempt, "list": list_name}
        return bool(self._value("sweep/has_shown", first_parts=first, second_parts=second, **of_list))

    def some(self, most: int) -> list[tuple[str, ...]]:
        """At most that many keys, by chance, but the same each time."""
        return [(first, second) if second else (first,) for first, second in self._rows("sweep/some_keys", most=most)]

    def rename(self, attempt: int, before: str, after: str) -> None:
        """Moves one list's staged rows to another list."""
        self.flush()
        self._execute("sweep/rename_list", attempt=attempt, before=before, after=after)

    def keep(self, attempt: int, lists: Collection[str]) -> None:
        """Keeps only one attempt's rows of these lists, and deletes the rest."""
        self.flush()
        self._execute("sweep/keep_answers", attempt=attempt, lists=list(lists))
        self._execute("sweep/keep_records")

    def sequences(self) -> set[int]:
        """The answers with a staged record."""
        return {sequence for (sequence,) in self._rows("sweep/sequences")}

    def _execute(self, name: str, **values: Any) -> None:
        self._warehouse.execute(statement(name, **self._names), values or None)

    def _rows(self, name: str, **values: Any) -> list[tuple[Any, ...]]:
        """The rows that a statement finds among all that were added."""
        self.flush()
        return self._warehouse.rows(statement(name, **self._names), values or None)

    def _value(self, name: str, **values: Any) -> Any:
        return self._rows(name, **values)[0][0]
