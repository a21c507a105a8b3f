"""`staging.listed_assets` has each record that the lists showed, however propsync writes it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from propsync.landing import Landed
from propsync.records import Cutter, bytes_hash
from propsync.sweep import StagedKeys
from propsync.sweep.staged_keys import Arithmetic
from propsync.warehouse import Warehouse

ONE, PAIR = Cutter((), ((("id",),),)), Cutter((), ((("property",),), (("type",),)))


@pytest.fixture
def warehouse(tmp_path: Path) -> Iterator[Warehouse]:
    with Warehouse(tmp_path / "state.duckdb", memory_limit="300MB", folder=tmp_path) as warehouse:
        yield warehouse


def page(sequence: int, list_name: str = "all", attempt: int = 1, role: str = "page") -> Landed:
    return Landed(sequence, f"GET /{sequence}", list_name, role, attempt, sequence / 1_000, "x", 1)


def raw(*records: object) -> list[msgspec.Raw]:
    return [msgspec.Raw(json.dumps(one).encode()) for one in records]


def test_every_record_keeps_its_page_its_place_and_its_hash(warehouse: Warehouse) -> None:
    listed, expected = StagedKeys(warehouse, "assets"), []
    for sequence in range(1, 31):  # in several batches, which end between pages of other sizes
        records = raw(*({"id": f"{sequence}/{number}"} for number in range(sequence * 50)))
        listed.add(page(sequence), records, ONE)
        expected += [(sequence, place, f"{sequence}/{place - 1}", "", bytes_hash(record), 1_000 * sequence)
                     for place, record in enumerate(records, 1)]  # fmt: skip
    listed.flush()
    query = "select sequence, position, key_1, key_2, payload_hash, recency from staging.listed_assets order by all"
    assert warehouse.rows(query) == expected
    assert listed.arithmetic(1, "all") == Arithmetic(len(expected), 0, 0)


def test_keys_of_two_parts_and_records_without_a_key(warehouse: Warehouse) -> None:
    listed = StagedKeys(warehouse, "assets")
    listed.add(page(1), raw({"property": "p", "type": "t"}, {"property": "p"}, 7, {"property": "p", "type": 5}), PAIR)
    listed.add(page(2), [], PAIR)
    listed.add(page(3), raw({"property": "\x1f", "type": "t"}), PAIR)
    listed.flush()
    query = "select sequence, position, key_1, key_2 from staging.listed_assets order by all"
    assert warehouse.rows(query) == [
        (1, 1, "p", "t"),
        (1, 2, None, ""),
        (1, 3, None, ""),
        (1, 4, "p", "5"),
        (3, 1, "\x1f", "t"),
    ]
    assert listed.arithmetic(1, "all") == Arithmetic(3, 0, 2)
    assert listed.taken == {1, 2, 3}


def test_no_statement_of_others_writes_what_is_staged(warehouse: Warehouse) -> None:
    listed = StagedKeys(warehouse, "assets")
    listed.add(page(1), raw({"id": "a"}), ONE)
    assert warehouse.value("select count(*) from staging.listed_assets") == 0
    listed.flush()
    listed.flush()
    assert warehouse.value("select count(*) from staging.listed_assets") == 1


def test_only_what_counts_is_kept(warehouse: Warehouse) -> None:
    listed = StagedKeys(warehouse, "assets")
    listed.add(page(1, "For"), raw({"id": "a"}), ONE)
    listed.add(page(2, "For", attempt=2), raw({"id": "a"}, {"id": "b"}), ONE)
    listed.add(page(3, "By", attempt=2), raw({"id": "c"}), ONE)
    assert listed.is_more_after(1)
    listed.rename(2, "By", "For (again)")
    listed.keep(2, ["For"])
    assert listed.sequences() == {2}
    assert warehouse.rows("select key_1 from staging.listed_assets order by all") == [("a",), ("b",)]
    assert warehouse.value("select count(*) from staging.shown_assets") == 2
    listed.add(page(4, "For", attempt=2, role="look-up"), raw({"id": "d"}), ONE)
    assert listed.sequences() == {2, 4}


def test_keys_of_two_resources_stand_apart_and_go_whatever_happens(warehouse: Warehouse) -> None:
    with StagedKeys(warehouse, "assets") as outer:
        outer.add(page(1), raw({"id": "a"}), ONE)
        outer.flush()
        with pytest.raises(ValueError, match="broken"):
            _stage_and_fail(warehouse)
        assert warehouse.rows(f"select key_1 from {outer.table}") == [("a",)]
        assert len(_tables(warehouse)) == 2
    assert _tables(warehouse) == []


def _stage_and_fail(warehouse: Warehouse) -> None:
    with StagedKeys(warehouse, "asset_types") as inner:
        inner.add(page(2), raw({"id": "b"}), ONE)
        inner.flush()
        raise ValueError("broken")


def _tables(warehouse: Warehouse) -> list[str]:
    query = "select table_name from duckdb_tables() where database_name = 'staging' and table_name like '%asset%'"
    return [name for (name,) in warehouse.rows(query)]
