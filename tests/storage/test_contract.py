"""The promises of `Storage`, kept by a folder and by object stores alike (docs/adding-a-storage.md)."""

from __future__ import annotations

import hashlib
import random
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import obstore
import pytest
from kit.stores import Stores
from storage.conftest import ATOMIC, QUICK

from propsync.storage import Storage
from propsync.storage.objects import ObjectStorage

LARGE = 40_000_000  # bytes: several parts
MANY = 1_050  # objects: more than a server lists at once


def test_what_was_put_is_there_and_the_last_body_stays(storage: Storage):
    assert not storage.exists("a/b")
    storage.put("a/b", b"long before")
    storage.put("a/b", b"now")
    assert storage.exists("a/b")
    assert storage.get("a/b") == b"now"
    assert list(storage.list("")) == ["a/b"]


def test_an_empty_body_is_a_body(storage: Storage, tmp_path: Path):
    storage.put("empty", b"")
    assert storage.put_new("new", b"")
    (tmp_path / "file").touch()
    storage.put_file("file", tmp_path / "file")
    for key in ("empty", "new", "file"):
        assert (storage.exists(key), storage.get(key), list(storage.read(key))) in ((True, b"", []), (True, b"", [b""]))
        assert storage.get_range(key, 0, 10) == b""
    found = storage.tagged("empty")
    assert found is not None
    assert found[0] == b""


def test_a_missing_key_is_a_missing_file(storage: Storage):
    storage.put("a/there", b"x")
    for key in ("a/not", "nowhere/at/all"):
        assert not storage.exists(key)
        assert storage.tagged(key) is None
        for verb in (storage.get, storage.age, lambda key: storage.get_range(key, 0, 1)):
            with pytest.raises(FileNotFoundError, match=key):
                verb(key)
        with pytest.raises(FileNotFoundError, match=key):
            list(storage.read(key))
        storage.delete(key)
    assert list(storage.list("nowhere")) == []


def test_a_part_of_a_folder_name_is_no_file(storage: Storage):
    storage.put("a/b/c", b"x")
    assert not storage.exists("a/b")
    assert not storage.exists("a/b/")


def test_some_bytes_end_where_the_file_ends(storage: Storage):
    storage.put("a", b"0123456789")
    ranges = [(0, 4), (4, 6), (8, 10), (9, 1), (10, 1), (20, 5), (3, 0)]
    assert [storage.get_range("a", *one) for one in ranges] == [b"0123", b"456789", b"89", b"9", b"", b"", b""]


def test_a_list_is_sorted_and_stays_in_its_folder(storage: Storage):
    keys = ["a-z", "a/b/1", "a/b/2", "a/b/c/3", "a/bc", "a/b.x", "a0", "b/a/b/4"]
    for key in reversed(keys):
        storage.put(key, key.encode())
    assert list(storage.list("")) == sorted(keys)
    assert list(storage.list("a/b")) == ["a/b/1", "a/b/2", "a/b/c/3"]
    assert list(storage.list("a/b/c")) == ["a/b/c/3"]
    assert list(storage.list("a")) == ["a/b.x", "a/b/1", "a/b/2", "a/b/c/3", "a/bc"]
    assert list(storage.list("a/b/c/3")) == []
    assert list(storage.list("c")) == []
    assert [key for key, _ in storage.tags("a/b")] == list(storage.list("a/b"))


def test_a_long_list_is_whole_and_sorted(storage: Storage):
    keys = [f"many/{number:x}" for number in range(MANY)]
    random.Random(1).shuffle(keys)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda key: storage.put(key, b"x"), keys))
    assert list(storage.list("many")) == sorted(keys)


ODD = [
    "sp ace",
    "ü/ö",
    "日本",
    "per%cent%2F",
    "plus+",
    "q?x&y=1",
    "ha#sh",
    "til~de",
    "st*ar",
    "b[r]{a}",
    "..x",
    "a:b,@!$'();",
]


def test_keys_may_have_any_printed_character(storage: Storage):
    for key in ODD:
        storage.put(key, key.encode())
    assert list(storage.list("")) == sorted(ODD)
    assert [storage.get(key).decode() for key in ODD] == ODD
    assert list(storage.list("ü")) == ["ü/ö"]
    for key in ODD:
        assert storage.exists(key)
        storage.delete(key)
        assert not storage.exists(key)


def test_the_mark_of_a_folder_is_no_file(stores: Stores):
    access = stores["ministack"].access()
    for folder in ("", "/log", "/log/empty"):
        stores["ministack"].mark_folder(f"{access.bucket}/{access.prefix}{folder}")
    storage = ObjectStorage(access, QUICK)
    assert list(storage.list("")) == []
    storage.put("log/1", b"x")
    storage.put("log/2", b"")
    assert list(storage.list("log")) == ["log/1", "log/2"]
    assert [key for key, _ in storage.tags("")] == ["log/1", "log/2"]


@pytest.mark.slow
def test_the_mark_of_a_folder_in_azure_is_no_file(stores: Stores):
    storage = ObjectStorage(stores["azurite"].access(), QUICK)
    for folder in ("log", "log/empty"):
        obstore.put(storage._store, folder, b"", attributes={"hdi_isfolder": "true"})
    storage.put("log/1", b"x")
    storage.put("log/2", b"")
    assert list(storage.list("log")) == ["log/1", "log/2"]


def test_the_tag_of_a_list_differs_when_the_bytes_do(storage: Storage):
    storage.put("a", b"one")
    storage.put("b", b"another")
    before = dict(storage.tags(""))
    assert dict(storage.tags("")) == before
    storage.put("a", b"two")
    after = dict(storage.tags(""))
    assert before["a"] != after["a"]
    assert before["b"] == after["b"]


def test_the_age_is_the_time_since_it_was_stored(storage: Storage):
    began = time.time()
    storage.put("a", b"x")
    assert -1 < storage.age("a") < time.time() - began + 1, "some servers count whole seconds"


def test_what_was_deleted_is_gone_and_nothing_else(storage: Storage):
    for key in ("x/a/b", "x/a/bc", "x/a/c/d"):
        storage.put(key, b"x")
    storage.delete("x/a/b")
    storage.delete("x/a/b")
    assert list(storage.list("")) == ["x/a/bc", "x/a/c/d"]


def test_a_key_is_put_once(storage: Storage):
    assert storage.put_new("a/b", b"first")
    assert not storage.put_new("a/b", b"second")
    assert storage.put_new("a/b", b"first"), "it has that body"
    assert storage.get("a/b") == b"first"
    storage.delete("a/b")
    assert storage.put_new("a/b", b"second")


@pytest.mark.parametrize("storage", ["local", *ATOMIC], indirect=True)
def test_of_many_who_put_one_new_key_exactly_one_wins(storage: Storage):
    for turn in range(3):
        start = Barrier(12)

        def put(number: int, key: str = f"log/{turn}", start: Barrier = start) -> bool:
            start.wait()
            return storage.put_new(key, b"machine %d" % number)

        with ThreadPoolExecutor(12) as pool:
            won = list(pool.map(put, range(12)))
        assert sum(won) == 1
        assert storage.get(f"log/{turn}") == b"machine %d" % won.index(True)


def test_a_swap_needs_the_tag_that_the_file_has(storage: Storage):
    assert storage.swap("lease", b"0", '"no such tag"') is None
    assert not storage.exists("lease")
    first = storage.swap("lease", b"1", None)
    assert storage.tagged("lease") == (b"1", first)
    assert storage.swap("lease", b"2", None) is None
    second = storage.swap("lease", b"3", first)
    assert storage.swap("lease", b"4", first) is None
    assert storage.tagged("lease") == (b"3", second)
    storage.delete("lease")
    assert storage.swap("lease", b"5", second) is None
    assert not storage.exists("lease")


@pytest.mark.parametrize("storage", ["local", *ATOMIC], indirect=True)
def test_a_counter_that_many_increment_loses_nothing(storage: Storage):
    threads, each = 6, 8

    def increment(thread: int) -> None:
        done = 0
        while done < each:
            found = storage.tagged("counter")
            count = int(found[0].split()[0]) if found else 0
            body = b"%d %d %d" % (count + 1, thread, done)
            done += storage.swap("counter", body, found[1] if found else None) is not None

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(increment, range(threads)))
    assert int(storage.get("counter").split()[0]) == threads * each


def test_a_large_file_arrives_whole_and_can_be_read_in_blocks(storage: Storage, tmp_path: Path):
    body = random.Random(2).randbytes(LARGE)
    (tmp_path / "large").write_bytes(body)
    storage.put("a/large", b"small before")
    storage.put_file("a/large", tmp_path / "large")
    blocks = list(storage.read("a/large"))
    assert max(map(len, blocks)) <= 16 << 20
    digest = hashlib.sha256()
    for block in blocks:
        digest.update(block)
    assert digest.digest() == hashlib.sha256(body).digest()
    assert storage.get_range("a/large", LARGE - 100, 200) == body[-100:]
    assert list(storage.list("")) == ["a/large"]


def test_a_reader_never_sees_a_part(storage: Storage):
    old, new = b"o" * 300_000, b"n" * 400_000
    storage.put("a", old)
    with ThreadPoolExecutor(2) as pool:
        writing = pool.submit(lambda: list(map(storage.put, ["a"] * 12, (new, old) * 6)))
        seen = set()
        while not writing.done():
            seen.add(storage.get("a"))
    writing.result()
    assert seen <= {old, new}
