"""Faults of an object store: passing ones are overcome with the truth about what is stored, lasting ones are named."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import count, product
from pathlib import Path
from typing import Any

import pytest
from kit.fault_proxy import Fault, FaultProxy, Request
from kit.programs import free_port
from kit.stores import GIVEN, Store, Stores
from variants import daily, slow

from propsync.errors import HomeUnusable, StorageAway, StorageRefused, StorageUnfit
from propsync.storage.objects import ObjectStorage, unread

from .conftest import QUICK

SECONDS = 0.5  # that a request may take here
OURS = {"AWS_ACCESS_KEY_ID": "propsync-tests", "AWS_SECRET_ACCESS_KEY": "the-secret-of-the-tests"}
PATIENT: Any = QUICK | {"max_retries": 7, "retry_timeout": timedelta(seconds=30)}


@dataclass
class Faulty:
    """A bucket behind a proxy, and the same bucket without it."""

    proxy: FaultProxy
    through: ObjectStorage
    direct: ObjectStorage
    behind: Store

    def patient(self, retry: Any = PATIENT, seconds: float = 5) -> ObjectStorage:
        """The bucket behind the proxy, for another patience."""
        return ObjectStorage(self.behind.access(self.direct.name.rpartition("/")[2]), retry, seconds)


@pytest.fixture(params=["ministack", pytest.param("azurite", marks=pytest.mark.release), *(["given"] if GIVEN else [])])
def faulty(request: pytest.FixtureRequest, stores: Stores) -> Iterator[Faulty]:
    store = stores[request.param]
    with FaultProxy(store.address) as proxy:
        behind = Store(store.scheme, store.address.replace(f"http://{proxy.target}", proxy.url), store.credentials)
        folder = secrets.token_hex(8)
        through = ObjectStorage(behind.access(folder), QUICK, SECONDS)
        yield Faulty(proxy, through, ObjectStorage(store.access(folder), QUICK), behind)


def put(one: Faulty) -> None:
    one.through.put("new", b"body")
    assert one.direct.get("new") == b"body"


def put_new(one: Faulty) -> None:
    assert one.through.put_new("new", b"body")
    assert one.direct.get("new") == b"body"


def put_new_too_late(one: Faulty) -> None:
    one.direct.put("new", b"of another")
    assert not one.through.put_new("new", b"body")
    assert one.direct.get("new") == b"of another"


def swap_new(one: Faulty) -> None:
    tag = one.through.swap("new", b"body", None)
    assert one.direct.tagged("new") == (b"body", tag)


def swap(one: Faulty) -> None:
    before = one.direct.swap("lease", b"mine before", None)
    tag = one.through.swap("lease", b"mine", before)
    assert one.direct.tagged("lease") == (b"mine", tag)


def swap_too_late(one: Faulty) -> None:
    before = one.direct.swap("lease", b"mine before", None)
    one.direct.put("lease", b"of another")
    assert one.through.swap("lease", b"mine", before) is None
    assert one.direct.get("lease") == b"of another"


def get(one: Faulty) -> None:
    one.direct.put("there", b"body" * 1000)
    assert one.through.get("there") == b"body" * 1000


def read(one: Faulty) -> None:
    one.direct.put("there", b"body" * 1000)
    assert b"".join(one.through.read("there")) == b"body" * 1000


def read_nothing(one: Faulty) -> None:
    with pytest.raises(FileNotFoundError):
        list(one.through.read("nothing"))
    assert one.through.tagged("nothing") is None


def read_past_end(one: Faulty) -> None:
    one.direct.put("there", b"body")
    assert one.through.get_range("there", 5000, 10) == b""


def listed(one: Faulty) -> None:
    for key in ("a", "b/c"):
        one.direct.put(key, b"x")
    assert list(one.through.list("")) == ["a", "b/c"]


def exists(one: Faulty) -> None:
    one.direct.put("there", b"")
    assert one.through.exists("there")


def delete(one: Faulty) -> None:
    one.direct.put("there", b"")
    one.through.delete("there")
    assert not one.direct.exists("there")


NOTHING = [read_nothing, read_past_end]
VERBS = [put, put_new, put_new_too_late, swap_new, swap, swap_too_late, get, read, *NOTHING, listed, exists, delete]
LASTING = (Fault.LACKING, Fault.ELSEWHERE, Fault.EMPTY, Fault.ABSENT, Fault.CONFLICT, Fault.SKEWED)
PASSING = [fault for fault in Fault if fault not in LASTING]


SILENT = (Fault.SILENT, Fault.SILENT_AFTER)
UNREPEATED = (put_new, swap, delete)  # by obstore, once a request has timed out


def costs(verb: Any, fault: Fault) -> Any:
    """A silent server costs time: every day it meets only the verbs that need care."""
    is_daily = fault not in SILENT or (fault is Fault.SILENT_AFTER and verb in UNREPEATED)
    marks = [] if is_daily else [pytest.mark.slow]
    return pytest.param(verb, fault, marks=marks)


@pytest.mark.parametrize(("verb", "fault"), [costs(*one) for one in product(VERBS, PASSING)])
def test_a_verb_survives_one_fault_and_tells_the_truth(faulty: Faulty, verb: Callable[[Faulty], None], fault: Fault):
    faulty.proxy.next_ones(fault)
    verb(faulty)


LOUD = [fault for fault in PASSING if fault not in SILENT]
PAIRS = [*product(LOUD, LOUD), *product(SILENT, PASSING), *product(LOUD, SILENT)]


@pytest.mark.parametrize("faults", [*daily(PAIRS[: len(LOUD) ** 2], 5), *daily(PAIRS[len(LOUD) ** 2 :], 0)])
def test_conditions_hold_through_two_faults_in_a_row(faulty: Faulty, faults: tuple[Fault, Fault]):
    for verb in (put_new, swap, swap_too_late):
        for key in ("new", "lease"):
            faulty.direct.delete(key)
        faulty.proxy.next_ones(*faults, method="PUT")
        verb(faulty)


@pytest.mark.parametrize("fault", [Fault.CUT_AFTER, *slow(Fault.BROKEN, Fault.BROKEN_AFTER, Fault.CUT_BODY)])
def test_a_large_file_arrives_whole_through_faults_in_each_of_its_requests(
    faulty: Faulty, fault: Fault, tmp_path: Path
):
    (tmp_path / "large").write_bytes(b"0123456789" * 2_000_000)
    seen: set[str] = set()

    def first_of_each(request: Request) -> Fault | None:
        what = request.method + re.sub("uploadId=[^&]*", "", request.path)
        is_first = what not in seen
        seen.add(what)
        return fault if is_first else None

    faulty.proxy.fault = first_of_each
    faulty.patient().put_file("large", tmp_path / "large")
    faulty.proxy.always(None)
    assert b"".join(faulty.direct.read("large")) == b"0123456789" * 2_000_000


def test_a_counter_that_many_increment_through_lost_answers_loses_nothing(faulty: Faulty):
    requests, lost = count(1), []

    def every_fifth(request: Request) -> Fault | None:
        if next(requests) % 5:
            return None
        lost.append(request.method)
        return Fault.CUT_AFTER

    faulty.proxy.fault = every_fifth
    through = faulty.patient()

    def increment(thread: int) -> None:
        done = 0
        while done < 4:
            found = through.tagged("counter")
            number = int(found[0].split()[0]) if found else 0
            body = b"%d %d %d" % (number + 1, thread, done)
            done += through.swap("counter", body, found[1] if found else None) is not None

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(increment, range(4)))
    counted = int(faulty.direct.get("counter").split()[0])
    assert 16 <= counted <= 16 + lost.count("PUT"), "who hears None after a lost answer may have been overtaken since"


@pytest.mark.slow
def test_a_list_that_breaks_off_goes_on_where_it_was(stores: Stores, faulty: Faulty):
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: faulty.direct.put(f"many/{number:04d}", b"x"), range(1_005)))
    faulty.proxy.next_ones(None, Fault.CUT_BODY)
    assert list(faulty.patient().list("many")) == [f"many/{number:04d}" for number in range(1_005)]


def test_a_list_is_whole_and_sorted_whatever_order_the_server_has(faulty: Faulty):
    keys = [f"some/{number}" for number in range(9)]
    for key in keys:
        faulty.direct.put(key, b"x")
    faulty.proxy.always(Fault.REVERSED)
    assert list(faulty.through.list("some")) == keys
    assert [key for key, _ in faulty.through.tags("some")] == keys


def test_a_file_replaced_while_somebody_reads_it_is_never_mixed(faulty: Faulty):
    large = 9 << 20
    faulty.direct.put("a", b"o" * large)
    blocks = faulty.through.read("a")
    assert set(next(blocks)) == {ord("o")}
    faulty.direct.put("a", b"n" * large)
    with pytest.raises(StorageAway, match="replaced it while propsync read it"):
        list(blocks)


def test_a_part_without_bytes_is_asked_for_again_and_not_for_ever(faulty: Faulty):
    faulty.direct.put("a", b"x" * 1000)
    faulty.proxy.next_ones(Fault.EMPTY, Fault.EMPTY)
    assert b"".join(faulty.through.read("a")) == b"x" * 1000
    faulty.proxy.always(Fault.EMPTY)
    with pytest.raises(StorageAway, match="the server sends no byte of it, though it has 1,000"):
        list(faulty.through.read("a"))


ALL = {
    "put": lambda storage, file: storage.put("a", b"x"),
    "put_new": lambda storage, file: storage.put_new("a", b"x"),
    "put_file": lambda storage, file: storage.put_file("a", file),
    "get": lambda storage, file: storage.get("a"),
    "get_range": lambda storage, file: storage.get_range("a", 0, 1),
    "read": lambda storage, file: list(storage.read("a")),
    "exists": lambda storage, file: storage.exists("a"),
    "age": lambda storage, file: storage.age("a"),
    "list": lambda storage, file: list(storage.list("")),
    "tags": lambda storage, file: list(storage.tags("")),
    "delete": lambda storage, file: storage.delete("a"),
    "tagged": lambda storage, file: storage.tagged("a"),
    "swap": lambda storage, file: storage.swap("a", b"x", None),
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 1000)
    return path


@pytest.mark.parametrize(
    "fault", [Fault.SLOW_DOWN, Fault.CUT_AFTER, *slow(Fault.BROKEN, Fault.SILENT, Fault.CUT_BEFORE)]
)
def test_a_lasting_fault_is_a_storage_that_is_away_within_the_patience(faulty: Faulty, fault: Fault, file: Path):
    faulty.proxy.always(fault)
    storage = faulty.patient(QUICK, 0.05)
    for name, verb in ALL.items():
        began = time.monotonic()
        with pytest.raises(StorageAway, match=storage.name):
            verb(storage, file)
        assert time.monotonic() - began < 4, name
        assert len(faulty.proxy.requests) <= 6, "three, and those that the client repeats on a fresh connection"
        faulty.proxy.requests.clear()


@pytest.mark.parametrize("verb", [put_new, put_new_too_late, swap_new, swap_too_late, delete])
def test_a_request_in_the_way_of_another_is_sent_again(faulty: Faulty, verb: Callable[[Faulty], None]):
    faulty.proxy.next_ones(Fault.CONFLICT, method="POST" if verb is delete else "PUT")
    verb(faulty)


def test_a_file_in_the_way_of_another_request_is_put_again(faulty: Faulty, file: Path):
    faulty.proxy.next_ones(Fault.CONFLICT)
    faulty.through.put_file("a", file)
    assert faulty.direct.get("a") == file.read_bytes()


def test_requests_that_get_in_the_way_of_each_other_for_long_are_a_storage_that_is_away(faulty: Faulty, file: Path):
    faulty.proxy.fault = lambda request: Fault.CONFLICT if request.method != "GET" else None
    for name in ("put", "put_new", "put_file", "delete"):
        with pytest.raises(StorageAway, match=r"409 Conflict: OperationAborted|refuses to make it"):
            ALL[name](faulty.through, file)
    faulty.proxy.always(Fault.CONFLICT)
    for verb in ALL.values():
        with pytest.raises(StorageAway):
            verb(faulty.through, file)


def test_a_server_that_finds_nothing_where_propsync_puts_refuses_it(faulty: Faulty, file: Path):
    faulty.proxy.always(Fault.ABSENT)
    for name in ("put", "put_new", "put_file"):
        with pytest.raises(StorageRefused, match=r"404 Not Found\. Correct PROPSYNC_STORAGE_URL"):
            ALL[name](faulty.through, file)
    with pytest.raises(FileNotFoundError):
        faulty.through.put_file("a", file.with_name("gone"))


@pytest.mark.parametrize("name", ["ministack", *slow("azurite")])
def test_a_server_that_is_gone_is_a_storage_that_is_away(stores: Stores, name: str, file: Path):
    store = stores[name]
    gone = Store(store.scheme, f"http://127.0.0.1:{free_port()}", store.credentials)
    storage = ObjectStorage(gone.access(), QUICK)
    for verb in ALL.values():
        with pytest.raises(StorageAway, match=r"error sending request\. Run the same command again later"):
            verb(storage, file)


@pytest.mark.slow
def test_a_server_that_starts_again_within_seconds_fails_no_run():
    port = free_port()
    storage = ObjectStorage(Store("s3", f"http://127.0.0.1:{port}", OURS).access())
    with ThreadPoolExecutor() as pool:
        put = pool.submit(storage.put, "a", b"body")
        time.sleep(4)
        assert not put.done()
        with HTTPServer(("127.0.0.1", port), Back) as server:
            pool.submit(server.serve_forever)
            put.result(120)
            server.shutdown()


class Back(BaseHTTPRequestHandler):
    """A store that keeps nothing."""

    def do_PUT(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("ETag", '"tag"')
        self.send_header("Content-Length", "0")
        self.end_headers()


@pytest.mark.parametrize("name", ["ministack", *slow("moto", "azurite")])
def test_a_bucket_that_does_not_exist_is_refused_by_each_verb(stores: Stores, name: str, file: Path):
    storage = ObjectStorage(stores[name].access(bucket="nobody-made-this"), QUICK)
    for verb in ALL.values():
        with pytest.raises(StorageRefused, match=r"nobody-made-this.*: there is no such bucket or container\. Correct"):
            verb(storage, file)


WRONG = {
    "ministack": {"AWS_ACCESS_KEY_ID": "somebody-else"},
    "azurite": {"AZURE_STORAGE_ACCOUNT_KEY": "bm90IHRoZSBrZXkgb2YgdGhpcyBhY2NvdW50"},
}


@pytest.mark.parametrize("name", ["ministack", *slow("azurite")])
def test_wrong_credentials_are_refused_by_each_verb(stores: Stores, name: str, file: Path):
    storage = ObjectStorage(stores[name].access(**WRONG[name]), QUICK)
    for verb in ALL.values():
        with pytest.raises(StorageRefused, match=r"403 Forbidden.*Correct PROPSYNC_STORAGE_URL or the credentials"):
            verb(storage, file)


def test_a_bucket_in_another_region_is_refused(faulty: Faulty, file: Path):
    faulty.proxy.always(Fault.ELSEWHERE)
    for verb in ALL.values():
        with pytest.raises(StorageRefused, match=r"AWS_REGION is not that of the bucket\. Correct"):
            verb(faulty.through, file)


def test_a_bucket_that_refuses_the_time_of_a_request_is_refused_for_the_clock(faulty: Faulty, file: Path):
    faulty.proxy.always(Fault.SKEWED)
    for verb in (verb for name, verb in ALL.items() if name not in ("exists", "age")):  # HEAD gets no words
        with pytest.raises(StorageRefused, match=r"403 Forbidden.*Correct the clock of this machine"):
            verb(faulty.through, file)


def test_a_server_that_lacks_a_feature_is_unfit(faulty: Faulty):
    faulty.proxy.always(Fault.LACKING)
    with pytest.raises(StorageUnfit, match="501 Not Implemented"):
        faulty.through.put_new("a", b"x")


def test_a_disk_that_fails_to_read_what_goes_to_the_bucket_is_named(tmp_path: Path):
    """`storage move` called it a fault in propsync."""
    step = "The disk or its connection failed"
    with pytest.raises(HomeUnusable, match=f"{tmp_path}: cannot be read: Input/output error. {step}"), unread(tmp_path):
        raise OSError("Input/output error (os error 5)")  # as obstore says it, without a number
