"""What the lists showed, as rows of `staging.listed`: keys and hashes, no payloads, so that memory stays flat."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import msgspec

from propsync.landing import Landed
from propsync.records import Cutter, bytes_hash
from propsync.warehouse import Warehouse

_COLUMNS = (
    "attempt integer, list varchar, role varchar, sequence bigint, position integer, recency bigint, "
    "key_1 varchar, key_2 varchar, payload_hash varchar, status varchar, performed varchar"
)


@dataclass(frozen=True)
class Arithmetic:
    """What came on one list, page 1's second reading apart."""

    distinct_keys: int
    duplicates: int
    rejected: int


class Listed:
    """`staging.listed`, filled page by page. `position` counts from 1 in a page; without a key there is no key_1."""

    def __init__(self, warehouse: Warehouse) -> None:
        self._warehouse = warehouse
        self.taken: set[int] = set()
        """The answers that were added, those without records too."""
        warehouse.execute(f"create or replace table staging.listed ({_COLUMNS})")

    def add(self, landed: Landed, records: Sequence[msgspec.Raw], cutter: Cutter, list_name: str | None = None) -> None:
        """Adds one page's records, as those of another list where `list_name` says so."""
        self.taken.add(landed.sequence)
        hashes = [bytes_hash(record) for record in records]
        keys = [key or (None, None) for key in cutter.keys(records)]
        columns: dict[str, Sequence[Any]] = {
            "position": range(1, len(hashes) + 1),
            "key_1": [key[0] for key in keys],
            "payload_hash": hashes,
        }
        if len(cutter.key_paths) > 1:
            columns["key_2"] = [key[1] for key in keys]
        self._warehouse.append(
            "staging.listed",
            columns,
            attempt=landed.attempt,
            list=list_name or landed.list_name,
            role=landed.role,
            sequence=landed.sequence,
            recency=int(landed.asked_at * 1_000_000),
            status=landed.status,
            performed=landed.performed,
            **({} if "key_2" in columns else {"key_2": ""}),
        )

    def arithmetic(self, attempt: int, list_name: str) -> Arithmetic:
        """Keys counted on one list."""
        rows, distinct, rejected = self._warehouse.rows(
            "select count(key_1), count(distinct (key_1, key_2)) filter (key_1 is not null), "
            "count(*) filter (key_1 is null) from staging.listed where attempt = ? and list = ? and role = 'page'",
            [attempt, list_name],
        )[0]
        return Arithmetic(distinct, rows - distinct, rejected)

    def together(self, attempt: int) -> tuple[int, int, int]:
        """Different keys on all lists, records without a key on the list with most of them, and on all."""
        distinct, most, rejected = self._warehouse.rows(
            "with shown as (select * from staging.listed where attempt = $1 and role = 'page'), "
            "rejected as (select count(*) as count from shown where key_1 is null group by list) "
            "select (select count(distinct (key_1, key_2)) from shown where key_1 is not null), "
            "(select coalesce(max(count), 0) from rejected), (select coalesce(sum(count), 0) from rejected)",
            [attempt],
        )[0]
        return int(distinct), int(most), int(rejected)

    def fingerprint(self, attempt: int) -> str:
        """The same for two attempts that showed the same keys on the same lists, as often."""
        query = (
            "select count(*) || ':' || coalesce(sum(hash(list, key_1, key_2)), 0) "
            "from staging.listed where attempt = ? and role = 'page'"
        )
        return str(self._warehouse.value(query, [attempt]))

    def is_more_after(self, attempt: int) -> bool:
        """Whether later attempts showed keys that this attempt did not."""
        shown = "select key_1, key_2 from staging.listed where key_1 is not null and attempt"
        query = f"select exists ({shown} > $1 except {shown} = $1)"
        return bool(self._warehouse.value(query, [attempt]))

    def rename(self, attempt: int, before: str, after: str) -> None:
        """What was staged as one list's is another's."""
        query = "update staging.listed set list = ? where attempt = ? and list = ?"
        self._warehouse.execute(query, [after, attempt, before])

    def keep(self, attempt: int, lists: Collection[str]) -> None:
        """Only what one attempt showed on these lists counts; the rest is forgotten."""
        query = "delete from staging.listed where attempt <> ? or not list_contains(?, list)"
        self._warehouse.execute(query, [attempt, list(lists)])

    def sequences(self) -> set[int]:
        """The answers of which a record is staged."""
        return {sequence for (sequence,) in self._warehouse.rows("select distinct sequence from staging.listed")}


@contextmanager
def set_aside(warehouse: Warehouse, *, is_wanted: bool) -> Iterator[None]:
    """Keeps what a sweep staged while something else is staged and merged."""
    if is_wanted:
        warehouse.execute("alter table staging.listed rename to listed_aside")
    yield
    if is_wanted:
        warehouse.execute("drop table staging.listed")
        warehouse.execute("alter table staging.listed_aside rename to listed")
