"""Promises of what Python hands over to DuckDB: every value arrives as it is."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from propsync.errors import MergeFailed
from propsync.warehouse import documents, lot, texts, whole_numbers

whole = st.integers(-(2**63), 2**63 - 1)
words = st.text(st.characters(exclude_categories=["Cs"]))


@settings(deadline=None)
@given(st.lists(st.tuples(whole, st.none() | words, words), min_size=1))
def test_every_number_and_text_arrives_as_it_is(warehouse, rows):
    warehouse.execute("create or replace table staging.told (number bigint, word varchar, payload varchar)")
    numbers, some, all_of_them = zip(*rows, strict=True)
    payloads = [word.encode() for word in all_of_them]
    warehouse.append("staging.told", number=whole_numbers(numbers), word=texts(some), payload=documents(payloads))
    found = warehouse.rows("select number, encode(word), encode(payload) from staging.told order by rowid")
    assert found == [(number, word if word is None else word.encode(), last.encode()) for number, word, last in rows]


def test_columns_may_be_called_anything(warehouse):
    warehouse.execute('create or replace table staging.odd (self varchar, "table" varchar, "a ""b""" varchar)')
    names = ("self", "table", 'a "b"')
    warehouse.append("staging.odd", **{name: texts([name]) for name in names})
    assert warehouse.rows("from staging.odd") == [names]


def test_columns_of_different_length_are_no_rows():
    for lengths in ((1, 2), (2, 1)):
        with pytest.raises(ValueError, match="unpack"):
            lot(**{str(place): texts(["a"] * length) for place, length in enumerate(lengths)})


def test_no_rows_are_no_rows(warehouse):
    warehouse.execute("create or replace table staging.none (number bigint, word varchar, payload json)")
    warehouse.append("staging.none", number=whole_numbers([]), word=texts([]), payload=documents([]))
    assert warehouse.rows("from staging.none") == []


def test_rows_are_shown_no_longer_than_asked_even_where_a_statement_fails(warehouse):
    warehouse.execute("create or replace table staging.short (word varchar)")
    with pytest.raises(MergeFailed):
        warehouse.append("staging.nowhere", word=texts(["a"]))
    warehouse.append("staging.short", word=texts(["b"]))
    assert warehouse.rows("from staging.short") == [("b",)]
    with pytest.raises(MergeFailed, match="lot"):
        warehouse.rows("from lot")


def test_bytes_that_are_no_text_are_refused(warehouse):
    warehouse.execute("create or replace table staging.short (payload json)")
    with pytest.raises(MergeFailed, match="unicode"):
        warehouse.append("staging.short", payload=documents([b'"\xff"']))


def test_what_went_wrong_in_a_transaction_is_told_and_the_next_rows_can_be_shown(warehouse):
    with pytest.raises(MergeFailed, match="unicode"), warehouse.transaction():
        warehouse.append("history.assets", payload=documents([b'"\xff"']))
    with pytest.raises(KeyboardInterrupt), warehouse.transaction(), warehouse.showing(lot(word=texts(["a"]))):
        raise KeyboardInterrupt
    with warehouse.transaction():
        warehouse.append("history.assets", asset_id=texts(["a"]))
    assert warehouse.rows("select asset_id from history.assets") == [("a",)]


def test_lots_of_one_transaction_do_not_pile_up_in_memory(warehouse):
    payloads = [b'{"note":"%s"}' % (b"x" * 1500)] * 2600  # 4 MB

    def megabytes():
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") // 1_000_000

    warehouse.execute("create or replace table staging.lengths (length bigint)")
    with warehouse.transaction():
        before = megabytes()
        for _ in range(60):
            with warehouse.showing(lot(payload=documents(payloads))):
                warehouse.rows("insert into staging.lengths select strlen(payload) from lot")
        assert megabytes() - before < 60
