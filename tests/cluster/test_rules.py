"""Budgets, refusals and limits hold for batches as for threads; here the batches run in this process."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from kit.archives import Pair, Place, place
from kit.command_line import CommandLine
from kit.home import QUICK
from msgspec import structs

from propsync.api import RetryPolicy
from propsync.documents.cluster.dask import Benches
from propsync.documents.cluster.equipment import Equipment
from propsync.documents.cluster.order import BatchResult, Failure, Order, given_settings
from propsync.documents.cluster.shares import Shares
from propsync.errors import ApiUnreachable, ClusterUnfit, SettingsError, TokenRefused
from propsync.runbooks import ArchiveReport, Documents, archive
from propsync.runbooks.archiving import workspace as archive_workspace
from propsync.settings import Settings, load_settings
from propsync.storage.objects import ObjectStorage

WORKERS = 2


class Here:
    """Workers as threads of this process, each with equipment of its own."""

    workers = WORKERS
    ahead = timedelta(0)
    """How far their clocks are ahead."""

    def __init__(self, given: Mapping[str, Any], folder: Path, policy: RetryPolicy) -> None:
        self.orders: list[Order] = []
        self._pool, self._done = ThreadPoolExecutor(WORKERS), SimpleQueue[tuple[Order, Future[BatchResult]]]()
        self._equipment = SimpleQueue[Equipment]()
        for number in range(WORKERS):
            self._equipment.put(Equipment(given, folder / str(number), policy))

    def send(self, order: Order) -> None:
        self.orders.append(pickle.loads(pickle.dumps(order)))
        future = self._pool.submit(self._fetched, self.orders[-1])
        future.add_done_callback(lambda done: self._done.put((order, done)))

    def next(self) -> tuple[Order, BatchResult]:
        order, future = self._done.get(timeout=60)
        result: BatchResult = pickle.loads(pickle.dumps(future.result()))
        if self.ahead:
            told = [(one, (datetime.fromisoformat(one.asked_at) + self.ahead).isoformat()) for one in result.taken]
            result.taken = [structs.replace(one, asked_at=time) for one, time in told]
        return order, result

    def _fetched(self, order: Order) -> BatchResult:
        equipment = self._equipment.get()
        try:
            return equipment.fetch(order)
        finally:
            self._equipment.put(equipment)

    def close(self) -> None:
        self._pool.shutdown()
        for _ in range(WORKERS):
            self._equipment.get().close()


class Far(Place):
    """A home in a bucket, whose documents workers fetch."""

    here: Here | None = None

    def fetched(self, limit: int | None = None, **given: object) -> ArchiveReport:
        return archive(self.settings(**given), Documents(limit=limit), policy=QUICK)

    def settings(self, **given: object) -> Settings:
        given.setdefault("archive_dask", "tcp://nowhere:1")
        return load_settings(environ=self.environ(**given) | dict(self.bucket))

    bucket: Mapping[str, str] = {}

    def in_bucket(self) -> set[str]:
        access = self.settings().storage()
        assert access is not None
        return {*ObjectStorage(access).list("archive/blobs")}


@pytest.fixture
def far(synced: Path, tmp_path: Path, bucket: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Far]:
    with place(tmp_path / "home", synced) as made:
        home = Far(made.sandbox, made.path, made.writers)
        home.bucket = bucket

        @contextmanager
        def cluster(settings: Settings, address: str | None, policy: RetryPolicy) -> Iterator[Here | None]:
            if address is None:
                yield None
                return
            home.here = Here(given_settings(settings), tmp_path / "workers", policy)
            try:
                yield home.here
            finally:
                home.here.close()

        for name, value in {**bucket, "PROPSYNC_TOKEN": made.sandbox.token}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(archive_workspace, "_cluster", cluster)
        made.asked()
        yield home


def recorded(made: Far) -> dict[Pair, str]:
    found = made.rows("select assessment_id, kind, path from documents where is_latest")
    return {(key, kind): path for key, kind, path in found}


@pytest.mark.release
def test_every_document_is_in_the_bucket_with_the_tables_that_threads_make(far: Far, archived: Path, tmp_path: Path):
    done = far.fetched(archive_text="true")
    assert (done.exit_code, done.lacking) == (0, 0)
    assert done.counts["stored"] == len(far.pairs())
    assert {*recorded(far).values()} == far.in_bucket()
    assert far.asked() == dict.fromkeys(far.pairs(), 1)
    with place(tmp_path / "threads", archived) as other:
        other.archive(archive_text="true")
        for table in ("bundle_actions", "bundle_controls", "bundle_elements", "bundle_members", "document_text"):
            assert far.rows(f"from {table} order by all") == other.rows(f"from {table} order by all")
    assert not far.fetched().counts.total()
    assert not far.asked()


@pytest.mark.slow
def test_no_more_documents_than_the_limit(far: Far):
    done = far.fetched(limit=7)
    assert done.ended == "the limit of 7 documents is reached"
    assert far.asked().total() == done.counts["stored"] == 7


@pytest.mark.slow
def test_no_more_bytes_than_the_budget_and_what_was_under_way(far: Far):
    most = 60_000
    done = far.fetched(archive_max_gb=most / 1e9)
    assert "GB limit is reached" in str(done.ended)
    assert most <= done.counts["bytes"] < 3 * most
    assert done.lacking
    assert far.asked().total() == done.counts["stored"]


@pytest.mark.slow
def test_a_token_that_nobody_takes_ends_the_run(far: Far):
    far.sandbox.change_token("another-token-of-the-tests")
    with pytest.raises(TokenRefused):
        far.fetched()
    assert far.asked().total() <= 2 * WORKERS


@pytest.mark.slow
def test_a_kind_that_the_token_may_not_fetch_costs_the_other_nothing(far: Far):
    far.fail(r".*\.pdf", kind="status", status=403)
    done = far.fetched()
    assert done.exit_code == 3
    assert "reports" in " ".join(done.left_behind)
    assert {kind for _, kind in recorded(far)} == {"bundle"}
    assert len(recorded(far)) == len(far.pairs("bundle"))


@pytest.mark.slow
@pytest.mark.parametrize("days", [-2, 2])
def test_a_wrong_clock_of_a_worker_dates_no_document(far: Far, monkeypatch: pytest.MonkeyPatch, days: int):
    monkeypatch.setattr(Here, "ahead", timedelta(days=days))
    far.fail(rf".*{far.wanted()[0]}/report\.pdf", kind="status", status=404)
    before = datetime.now(UTC)
    assert far.fetched(archive_max_minutes="0.5").ended is None
    times = "select min(asked_at) >= ?, max(asked_at) <= ? from documents"
    assert far.rows(times, before, datetime.now(UTC)) == [(True, True)]
    assert far.asked() == dict.fromkeys(far.pairs(), 1)


@pytest.mark.slow
def test_a_crowded_api_halves_what_all_workers_may_do(far: Far):
    far.fail(times=1, kind="status", status=429)
    assert far.fetched(max_concurrency=6).exit_code == 0
    assert far.here is not None
    assert all(order.share.start <= order.share.most <= 6 for order in far.here.orders)


@pytest.mark.slow
def test_a_quota_that_one_worker_finds_spent_ends_the_requests_of_all(far: Far):
    far.fail(r".*\.zip", after=5, kind="status", status=429, retry_after=3600)
    told = far.fetched(max_concurrency=2)
    assert [line.partition(":")[0] for line in told.left_behind if "429" in line] == ["bundles"]
    assert {key for key in recorded(far) if key[1] == "report"} == far.pairs("report")


def test_without_a_bucket_it_is_a_wrong_setting(tmp_path: Path, synced: Path):
    with place(tmp_path / "home", synced) as made:
        done = CommandLine(tmp_path, made.environ())("archive", "--dask", "tcp://127.0.0.1:1")
        assert done.returncode == 2
        assert "PROPSYNC_STORAGE_URL is not set" in done.stderr


@pytest.mark.parametrize("address", ["8786", "http://scheduler:8786", "tcp://scheduler", "tcp://me@host:1"])
def test_an_address_that_is_none_is_a_wrong_setting(tmp_path: Path, address: str):
    done = CommandLine(tmp_path, {"PROPSYNC_HOME": str(tmp_path)})("archive", "--dask", address)
    assert done.returncode == 2
    assert "Give an address such as tcp://" in done.stderr
    done = CommandLine(tmp_path, {"PROPSYNC_HOME": str(tmp_path)})("archive", archive_dask=address)
    assert done.returncode == 2
    assert "PROPSYNC_ARCHIVE_DASK" in done.stderr


def test_a_scheduler_that_is_not_there_ends_the_run(far: Far, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.undo()
    monkeypatch.setattr("propsync.documents.cluster.dask._CONNECT_SECONDS", 0.5)
    with pytest.raises(ClusterUnfit, match="no Dask scheduler answers there"):
        archive(far.settings(archive_dask="tcp://127.0.0.1:1"))


# What goes over the wire


def test_no_secret_is_in_what_workers_get(far: Far):
    settings = far.settings(push_token="a-token-for-writes-alone")
    sent = pickle.dumps(Benches(given_settings(settings), QUICK))
    for secret in (far.sandbox.token, "a-token-for-writes-alone", far.bucket["AWS_SECRET_ACCESS_KEY"]):
        assert secret.encode() not in sent
    assert far.sandbox.base_url.encode() in sent


def test_a_worker_without_a_token_says_so(far: Far, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.delenv("PROPSYNC_TOKEN")
    with pytest.raises(SettingsError, match="no token is set"):
        Equipment(given_settings(far.settings()), tmp_path)


@pytest.mark.parametrize("error", [TokenRefused("GET /x", "401"), ApiUnreachable("GET /x", "no connection")])
def test_errors_that_end_a_run_come_back_as_they_were(error: Any):
    back = pickle.loads(pickle.dumps(Failure.of(error))).error()
    assert (type(back), str(back)) == (type(error), str(error))


def test_a_setting_of_a_worker_is_no_setting_of_the_run():
    back = Failure.of(SettingsError("PROPSYNC_TOKEN", "no token is set")).error()
    assert isinstance(back, ClusterUnfit)
    assert back.exit_code == 1


# Shares


def test_shares_never_exceed_the_maximum_together():
    shares = Shares(7)
    out = []
    while (share := shares.hand_out(3)) is not None:
        out.append(share)
    assert [share.most for share in out] == [2, 2]  # the first two, as nothing is learnt yet
    shares.take_back(out.pop(0), 2, is_crowded=False)
    assert shares.learnt == 7
    while (share := shares.hand_out(3)) is not None:
        out.append(share)
    assert len(out) == 3
    assert sum(share.most for share in out) == 7


def test_more_workers_than_requests_leave_some_without_a_batch():
    shares = Shares(2)
    assert [shares.hand_out(9) is not None for _ in range(3)] == [True, True, False]


def test_a_crowd_halves_once_for_all_batches_that_were_out():
    shares = Shares(16)
    first = shares.hand_out(2)
    assert first is not None
    shares.take_back(first, first.most, is_crowded=False)
    assert shares.learnt == 16
    pair = [shares.hand_out(2), shares.hand_out(2)]
    for share in pair:
        assert share is not None
        shares.take_back(share, 1, is_crowded=True)
    assert shares.learnt == 8
    later = shares.hand_out(2)
    assert later is not None
    assert later.start == 4
    shares.take_back(later, 1, is_crowded=True)
    assert shares.learnt == 4
