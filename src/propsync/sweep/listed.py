"""What the lists showed, as rows of `staging.listed`: keys and hashes, no payloads, so that memory stays flat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import msgspec

from propsync.landing import Landed
from propsync.records import Cutter, bytes_hash
from propsync.warehouse import Warehouse

_COLUMNS = (
    "list varchar, role varchar, sequence bigint, position integer, recency bigint, "
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
        warehouse.execute(f"create or replace table staging.listed ({_COLUMNS})")

    def add(self, landed: Landed, records: Sequence[msgspec.Raw], cutter: Cutter) -> None:
        """Adds one page's records."""
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
            list=landed.list_name,
            role=landed.role,
            sequence=landed.sequence,
            recency=int(landed.asked_at * 1_000_000),
            status=landed.status,
            performed=landed.performed,
            **({} if "key_2" in columns else {"key_2": ""}),
        )

    def arithmetic(self, list_name: str) -> Arithmetic:
        """Keys counted on one list."""
        rows, distinct, rejected = self._warehouse.rows(
            "select count(key_1), count(distinct (key_1, key_2)) filter (key_1 is not null), "
            "count(*) filter (key_1 is null) from staging.listed where list = ? and role = 'page'",
            [list_name],
        )[0]
        return Arithmetic(distinct, rows - distinct, rejected)

    def distinct_keys(self) -> int:
        """Different keys on all lists together."""
        counted = self._warehouse.value(
            "select count(distinct (key_1, key_2)) from staging.listed where key_1 is not null and role = 'page'"
        )
        return int(counted)

    def most_rejected(self) -> int:
        """Records without a key on the list that has most of them."""
        query = (
            "select max(rejected) from (select count(*) filter (key_1 is null) as rejected "
            "from staging.listed where role = 'page' group by list)"
        )
        return int(self._warehouse.value(query) or 0)

    def rejected(self) -> int:
        """Records without a key on all lists together."""
        return int(self._warehouse.value("select count(*) from staging.listed where key_1 is null and role = 'page'"))


@contextmanager
def set_aside(warehouse: Warehouse, *, is_wanted: bool) -> Iterator[None]:
    """Keeps what a sweep staged while something else is staged and merged."""
    if is_wanted:
        warehouse.execute("alter table staging.listed rename to listed_aside")
    yield
    if is_wanted:
        warehouse.execute("drop table staging.listed")
        warehouse.execute("alter table staging.listed_aside rename to listed")
