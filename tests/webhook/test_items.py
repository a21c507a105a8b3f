"""propsync sorts the content of any post: ids to read, types to count, and shapes for people to look at."""

from __future__ import annotations

import json
import time
import tracemalloc
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from propsync.errors import HomeUnusable
from propsync.storage import LocalStorage
from propsync.warehouse import Warehouse
from propsync.webhook.inbox import Inbox, Post
from propsync.webhook.items import Subject, content_of, count_items
from propsync.webhook.next_look import NextLook
from propsync.webhook.rows import take_in

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["type", "id", "propertyId", "x"]) | st.text(), inner)
    ),
    max_leaves=20,
)


def test_known_types_name_what_to_read():
    found = content_of(
        json.dumps(
            [
                {"type": "property", "id": "P1", "more": [1]},
                {"type": "Property", "id": "P1"},
                {"type": "assessment", "id": "A/1"},
                {"type": "assessmentschedule", "id": "S", "propertyId": "P2", "typeId": "T"},
            ]
        ).encode()
    )
    assert found.subjects == {
        Subject("property", ("P1",)): 2,
        Subject("assessment", ("A/1",)): 1,
        Subject("assessmentschedule", ("P2", "T")): 1,
    }
    assert not found.unknown


def test_a_byte_order_mark_costs_no_item():
    body = b'\xef\xbb\xbf[{"type": "property", "id": "P1"}, {"type": "task"}]'
    found = content_of(body)
    assert (found.subjects.total(), found.ignored.total(), found.unknown, count_items(body)) == (1, 1, [], 2)


def test_one_object_is_one_item():
    assert content_of(b'{"type": "property", "id": "P1"}').subjects == {Subject("property", ("P1",)): 1}


@pytest.mark.parametrize("key", ["", " P1", "P,1", 7, None, ["P1"], "x" * 5000, "\ud800"])
def test_an_id_that_no_request_can_carry_is_for_people(key: object):
    found = content_of(json.dumps([{"type": "property", "id": key}]).encode())
    assert not found.subjects
    assert len(found.unknown) == 1


@pytest.mark.parametrize("key", [".", "..", "a/.."])
def test_a_record_that_no_path_can_hold_is_for_people(key: str):
    """A look could never settle it: propsync would try every five minutes."""
    schedules = [
        {"type": "assessmentschedule", "propertyId": key, "typeId": "T"},
        {"type": "assessmentschedule", "propertyId": "P", "typeId": key},
    ]
    assert len(content_of(json.dumps([{"type": "assessment", "id": key}, *schedules]).encode()).unknown) == 3
    assert content_of(json.dumps([{"type": "property", "id": key}]).encode()).subjects.total() == 1


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[",
        b"\xff\xfe",
        b"[" * 100_000,
        b'[{"a":' * 5000 + b"1",
        b"1e999",
        b'"' + b"x" * 50_000 + b'"',
        b"\x00",
    ],
)
def test_nonsense_is_kept_short_as_json(body: bytes):
    (kept,) = content_of(body).unknown
    assert len(kept) <= 60_100
    json.loads(kept)


READABLE_ITEM = b'{"type": "property", "id": "P1", "name": "a, [b"}'


@pytest.mark.parametrize(
    "bad",
    [
        b"NaN",
        b"undefined",
        b'"\\ud83d"',
        b"\xff",
        b"{'a': 1}",
        b'{"a": [1, ]}',
        b'"\x01"',
        b"",
        b"[" * 2000 + b"]" * 2000,
    ],
)
def test_one_unreadable_item_does_not_cost_the_others(bad: bytes):
    body = b"[" + b", ".join([READABLE_ITEM, bad, READABLE_ITEM, b'{"type": "task"}']) + b"]\n"
    found = content_of(body)
    assert (found.subjects, found.ignored) == ({Subject("property", ("P1",)): 2}, {"task": 1})
    assert len(found.unknown) == 1
    assert count_items(body) == 4


@pytest.mark.parametrize("name", [b'"\\ud83d"', b"NaN", b"1" * 5000, b"1e999"])
def test_another_member_that_is_odd_does_not_cost_the_item(name: bytes):
    assert content_of(b'[{"type": "property", "id": "P1", "name": %b}]' % name).subjects == {
        Subject("property", ("P1",)): 1
    }


@pytest.mark.parametrize(
    ("end", "unknown"), [(b"", 0), (b', {"type": "prop', 1), (b', {"type": "task"', 1), (b"]]", 1), (b'], "x', 1)]
)
def test_the_items_before_an_array_breaks_off_are_kept(end: bytes, unknown: int):
    found = content_of(b"[" + READABLE_ITEM + b", " + READABLE_ITEM + end)
    assert found.subjects == {Subject("property", ("P1",)): 2}
    assert len(found.unknown) == unknown


def test_an_array_that_is_no_json_is_cut_in_time_that_grows_with_its_length():
    began = time.monotonic()
    for body in (b'["' + b'\\"' * 400_000, b'["' * 400_000, b"[{}" + b"{}" * 400_000, b"[" + b'"\\' * 400_000):
        content_of(body)
    assert time.monotonic() - began < 10


def test_types_are_counted_and_cut():
    found = content_of(json.dumps([{"type": "task"}, {"type": "task"}, {"type": "x" * 500}]).encode())
    assert found.ignored == {"task": 2, "x" * 100: 1}


@given(ANY_JSON | st.lists(ANY_JSON))
def test_any_json_is_sorted_and_every_item_counted_once(value: object):
    body = json.dumps(value).encode()
    found = content_of(body)
    expected = len(value) if isinstance(value, list) else 1
    assert found.subjects.total() + found.ignored.total() + len(found.unknown) == expected == count_items(body)
    assert all(isinstance(json.loads(one), object) for one in found.unknown)


@given(st.binary(max_size=200))
def test_any_bytes_are_sorted(body: bytes):
    found = content_of(body)
    assert found.subjects.total() + found.ignored.total() + len(found.unknown) == count_items(body)


def test_any_content_goes_into_the_table_once(tmp_path: Path):
    storage = LocalStorage(tmp_path)
    inbox = Inbox(storage)
    bodies = [
        b"",
        b"\xff",
        b"[" * 3000,
        b'"\\ud800"',
        b'[{"type": "\\u0000"}]',
        b'{"type": "task"}',
        b'{"a": {"b": [1e400]}}',
    ]
    at = datetime(2026, 1, 1, tzinfo=UTC)
    inbox.add([Post(at, body) for body in bodies])
    inbox.add([Post(at, b'[{"type": "property", "id": "P1"}, {"type": "property", "id": "P1"}]')])
    names = {key: storage.get(key) for key in inbox.files()}
    with Warehouse(tmp_path / "state.duckdb", memory_limit="300MB", folder=tmp_path) as warehouse:
        take_in(warehouse, storage, datetime.now(UTC))
        assert inbox.files() == []
        first = warehouse.rows("from ops.hints order by hint_id")
        assert len(first) == len(bodies) + 1
        assert warehouse.rows("select record_id, items, state from ops.hints where type = 'property'") == [
            ("P1", 2, "waiting")
        ]
        for key, body in names.items():  # as after a kill between the rows and the removal
            storage.put(key, body)
        take_in(warehouse, storage, datetime.now(UTC))
        assert warehouse.rows("from ops.hints order by hint_id") == first
        assert inbox.files() == []


def test_a_full_inbox_takes_no_more_memory_than_some_posts(tmp_path: Path):
    storage = LocalStorage(tmp_path)
    body = json.dumps([{"type": "task", "text": "x" * 990_000}]).encode()
    for _ in range(40):
        Inbox(storage).add([Post(datetime(2026, 1, 1, tzinfo=UTC), body)])
    with Warehouse(tmp_path / "state.duckdb", memory_limit="300MB", folder=tmp_path) as warehouse:
        tracemalloc.start()
        take_in(warehouse, storage, datetime.now(UTC))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert warehouse.rows("select sum(items) from ops.hints") == [(40,)]
    assert Inbox(storage).files() == []
    assert peak < 15_000_000


def test_a_post_from_a_clock_that_was_ahead_does_not_wait_for_that_time(tmp_path: Path):
    storage, now = LocalStorage(tmp_path), datetime(2026, 1, 1, tzinfo=UTC)
    Inbox(storage).add([Post(now + timedelta(days=365), b'{"type": "property", "id": "P1"}')])
    with Warehouse(tmp_path / "state.duckdb", memory_limit="300MB", folder=tmp_path) as warehouse:
        take_in(warehouse, storage, now)
        assert warehouse.rows("select received_at, next_look_at from ops.hints") == [(now, now)]
    assert NextLook(storage).at(now, 1) == now


def test_a_damaged_file_stays_and_harms_no_other(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    storage = LocalStorage(tmp_path)
    inbox = Inbox(storage)
    storage.put("state/hints/0.jsonl", b"{damaged")
    (tmp_path / "state/hints/1.jsonl").symlink_to("1.jsonl")  # as on a disk that cannot read it
    inbox.add([Post(datetime(2026, 1, 1, tzinfo=UTC), b'{"type": "property", "id": "P1"}')])
    with Warehouse(tmp_path / "state.duckdb", memory_limit="300MB", folder=tmp_path) as warehouse:
        take_in(warehouse, storage, datetime.now(UTC))
        assert warehouse.rows("select count(*) from ops.hints") == [(1,)]
    assert inbox.files() == inbox.damaged() == ["state/hints/0.jsonl", "state/hints/1.jsonl"]
    assert "cannot read this file of hints" in caplog.text


def test_a_file_in_place_of_the_inbox_costs_no_run(tmp_path: Path):
    storage = LocalStorage(tmp_path)
    storage.put("state/hints", b"")
    assert NextLook(storage).at(datetime.now(UTC), 1) is None
    with pytest.raises(HomeUnusable, match="state/hints: cannot be used: another file is in its place"):
        Inbox(storage).check()
