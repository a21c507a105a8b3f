"""A machine that froze, or whose bucket lost answers, harms nothing later."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from kit.bucket import URL, FolderBucket, copied, flaws

from propsync.bucket import (
    BucketHome,
    Lease,
    begin_sending,
    holder_of,
    left_places,
    refuse_unfit,
    restore,
    settle_restored,
)
from propsync.bucket.lease import LEASE
from propsync.documents.blobs import key_of
from propsync.documents.bucket_blobs import BucketBlobs
from propsync.documents.kinds import KINDS
from propsync.errors import Busy, HomeBehind, HomeUnusable, LeaseLost, StorageAway, StorageUnfit, UsageError
from propsync.storage import LocalStorage

QUICK = 0.2  # seconds of a lease


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FolderBucket:
    monkeypatch.setattr("propsync.bucket.lease.SECONDS", QUICK)
    return FolderBucket(tmp_path / "bucket")


class Desk:
    """Opens homes of one bucket, and keeps them open until the test ends, as frozen machines do."""

    def __init__(self, bucket: FolderBucket, root: Path, stack: ExitStack) -> None:
        self._bucket, self._root, self._stack = bucket, root, stack

    def __call__(self, name: str, wait_seconds: float = 5) -> BucketHome:
        home = LocalStorage(self._root / name)
        work = self._root / name / "state" / "work"
        work.mkdir(parents=True, exist_ok=True)
        opened = BucketHome.opened(home, self._bucket, URL, work, what=name, wait_seconds=wait_seconds)
        return self._stack.enter_context(opened)


@pytest.fixture
def opened(bucket: FolderBucket, tmp_path: Path) -> Iterator[Desk]:
    with ExitStack() as stack:
        yield Desk(bucket, tmp_path, stack)


def freeze(one: BucketHome) -> None:
    """It renews its lease no more."""
    one.lease._ended.set()


def take_in(one: BucketHome) -> None:
    """As a rebuild does."""
    if one.is_behind():
        settle_restored(one, restore(one))


@contextmanager
def before(bucket: FolderBucket, wanted: str, act: Callable[[], object], *, after: bool = False) -> Iterator[None]:
    """Does something once, at the first request of that verb and key, before it takes effect or after."""
    plain, left = bucket.around, [act]

    @contextmanager
    def around(verb: str, key: str) -> Iterator[None]:
        is_now = bool(left) and f"{verb} {key}".startswith(wanted)
        if is_now and not after:
            left.pop()()
        with plain(verb, key):
            yield
        if is_now and after:
            left.pop()()

    bucket.around = around
    try:
        yield
    finally:
        bucket.around = plain
    assert not left, f"no request {wanted}"


def fail() -> None:
    raise StorageAway("the bucket", "the answer was lost")


def test_one_that_wakes_while_it_tidies_leaves_the_packs_of_others(
    bucket: FolderBucket, opened: Desk, tmp_path: Path
) -> None:
    frozen = opened("frozen")
    frozen.is_behind()
    frozen.home.put("landing/pages/a", b"one")

    def other() -> None:
        freeze(frozen)
        second = opened("second")
        take_in(second)
        second.home.put("landing/pages/b", b"two")
        second.commit("run")

    with before(bucket, "list packs", other), pytest.raises(LeaseLost):
        frozen.commit("run")
    assert flaws(bucket, tmp_path / "second") == []


def test_one_that_wakes_before_its_commit_cannot_put_it(bucket: FolderBucket, opened: Desk, tmp_path: Path) -> None:
    frozen = opened("frozen")
    frozen.is_behind()
    frozen.home.put("landing/pages/a", b"one")
    taken: list[BucketHome] = []

    def other() -> None:
        freeze(frozen)
        taken.append(opened("second"))

    with before(bucket, "put_new log/", other), pytest.raises(LeaseLost):
        frozen.commit("run")
    (second,) = taken
    assert not second.is_behind()
    second.home.put("landing/pages/b", b"two")
    assert second.commit("run")
    assert flaws(bucket, tmp_path / "second") == []


def test_a_commit_whose_answer_is_lost_is_taken_in(bucket: FolderBucket, opened: Desk, tmp_path: Path) -> None:
    machine = opened("machine")
    machine.is_behind()
    machine.home.put("landing/pages/a", b"one")
    with before(bucket, "put_new log/", fail, after=True), pytest.raises(StorageAway):
        machine.commit("run")
    assert not machine.commit("")
    machine.home.put("landing/pages/b", b"two")
    assert machine.commit("run")
    assert machine.log.head() == 2
    assert flaws(bucket, tmp_path / "machine") == []


def test_a_renewal_whose_answer_is_lost_does_not_cost_the_lease(bucket: FolderBucket) -> None:
    time = [0.0]
    lease = Lease(bucket, "machine", "sync", seconds=60, clock=lambda: time[0])
    lease.acquire(0)
    time[0] = 61
    with before(bucket, "swap", fail, after=True), pytest.raises(StorageAway):
        lease.check()
    lease.check()
    lease.release()
    assert msgspec.json.decode((bucket.root / LEASE).read_bytes())["is_ended"]


def test_a_holder_at_work_keeps_the_lease_whatever_its_clock_says(
    bucket: FolderBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    lease = Lease(bucket, "slow clock", "propsync sync")
    with monkeypatch.context() as patch:
        patch.setattr("propsync.bucket.lease._now", lambda: datetime(2020, 1, 1, tzinfo=UTC))
        lease.acquire(0)
        with pytest.raises(Busy, match="propsync sync"):
            Lease(bucket, "another", "propsync sync").acquire(0.5)
        lease.check()
        lease.release()


def test_a_copy_of_a_home_waits_for_the_lease_of_the_first(bucket: FolderBucket, opened: Desk, tmp_path: Path) -> None:
    first = opened("first")
    shutil.copytree(tmp_path / "first", tmp_path / "copy")
    with pytest.raises(Busy, match="first"):
        opened("copy", wait_seconds=0)
    first.lease.check()
    freeze(first)
    opened("first", wait_seconds=0)  # the kernel's lock shows that the one before is dead


@pytest.mark.parametrize(
    ("whole", "damaged"),
    [
        (b'"renewed_at":"2', b'"renewed_at":"x'),
        (b'"propsync', b'"prop\xffync'),
        (b'Z","seconds"', b'","seconds"'),
        (b'"seconds":3000', b'"seconds":9e99'),
        (b"{", b'{"more":' + b"[" * 100_000),
    ],
    ids=["time", "bytes", "zone", "seconds", "depth"],
)
def test_a_damaged_lease_keeps_nobody_out(bucket: FolderBucket, whole: bytes, damaged: bytes) -> None:
    Lease(bucket, "another", "propsync sync", seconds=3_000).acquire(0)
    written = (bucket.root / LEASE).read_bytes()
    assert whole in written
    (bucket.root / LEASE).write_bytes(written.replace(whole, damaged, 1))
    assert holder_of(bucket) is None
    lease = Lease(bucket, "machine", "propsync sync")
    lease.acquire(0)
    lease.release()


@pytest.mark.parametrize("body", [b"", b"<html>a page of a proxy</html>"])
def test_a_free_lease_that_the_bucket_refuses_is_not_waited_for_without_end(
    bucket: FolderBucket, monkeypatch: pytest.MonkeyPatch, body: bytes
) -> None:
    before = Lease(bucket, "another", "propsync sync")
    before.acquire(0)
    before.release()
    monkeypatch.setattr(bucket, "tagged", lambda key: (body or (bucket.root / key).read_bytes(), 'W/"weak"'))
    with pytest.raises(StorageUnfit, match="the bucket still refuses it"):
        Lease(bucket, "machine", "propsync sync").acquire(0)


def test_a_server_that_takes_no_tag_that_it_gave_is_unfit(
    bucket: FolderBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bucket, "tagged", lambda key: ((bucket.root / key).read_bytes(), 'W/"weak"'))
    with pytest.raises(StorageUnfit, match=r"refuses in If-Match the tag \(ETag\) that it gave"):
        refuse_unfit(bucket)
    assert list(bucket.list("")) == []


def test_a_home_that_is_behind_puts_and_removes_nothing(bucket: FolderBucket, opened: Desk) -> None:
    first = opened("first")
    first.is_behind()
    for number in range(25):  # the first commits become a checkpoint, and their numbers are free again
        first.home.put(f"landing/pages/{number}", b"%d" % number)
        first.commit("run")
    first.lease.release()
    before_it = sorted([*bucket.list("packs"), *bucket.list("log")])
    new = opened("new")
    with pytest.raises(HomeBehind):
        new.refuse_behind()
    new.home.put("landing/pages/own", b"own")
    assert not new.commit("")
    assert sorted([*bucket.list("packs"), *bucket.list("log")]) == before_it


def test_plans_stay_on_a_machine_that_fell_behind(bucket: FolderBucket, opened: Desk, tmp_path: Path) -> None:
    first, second = opened("first"), None
    first.is_behind()
    first.home.put("landing/pages/a", b"one")
    first.commit("run")
    first.lease.release()
    second = opened("second")
    take_in(second)
    second.home.put("landing/pages/b", b"two")
    second.commit("run")
    second.lease.release()
    first.home.put("state/plans/plan.json", b"a plan")
    first.home.put("landing/pages/c", b"not in the bucket")
    again = opened("first")
    take_in(again)
    assert again.home.get("state/plans/plan.json") == b"a plan"
    assert again.home.get("landing/pages/b") == b"two"
    assert [path.read_bytes() for path in (tmp_path / "first" / "state" / "aside").rglob("c")] == [b"not in the bucket"]


def test_a_run_that_published_rows_alone_puts_others_behind(bucket: FolderBucket, opened: Desk) -> None:
    first = opened("first")
    first.is_behind()
    first.home.put("landing/pages/a", b"one")
    first.commit("run")
    first.lease.release()
    second = opened("second")
    take_in(second)
    assert second.commit("a run on documents")
    second.lease.release()
    assert opened("first").is_behind()


def test_a_machine_that_died_before_it_put_anything_leaves_nothing_to_rebuild(
    bucket: FolderBucket, opened: Desk
) -> None:
    freeze(opened("dead"))
    second = opened("second")
    freeze(second)
    third = opened("third")
    assert not third.is_behind()
    third.home.put("landing/pages/a", b"one")
    assert third.commit("run")


def put_back(bucket: FolderBucket, opened: Desk, tmp_path: Path, others: int) -> None:
    """A bucket that lost the last commit of the first machine, and has others of the second in its place."""
    first = opened("first")
    first.is_behind()
    first.home.put("landing/pages/a", b"one")
    first.commit("run")
    backup = copied(bucket, tmp_path / "backup")
    first.home.put("landing/pages/b", b"two")
    first.commit("run")
    first.lease.release()
    shutil.rmtree(bucket.root)
    backup.root.rename(bucket.root)
    work_on(opened, others)


def work_on(opened: Desk, commits: int) -> None:
    """The second machine takes in what there is, and adds commits."""
    second = opened("second")
    take_in(second)
    for number in range(commits):
        second.home.put(f"landing/pages/{number}", b"of the second")
        second.commit("run")
    second.lease.release()


@pytest.mark.parametrize("others", [2, 50])  # of which checkpoints make the old commits superfluous, or not
def test_a_bucket_that_was_put_back_to_an_earlier_day_is_refused(
    bucket: FolderBucket, opened: Desk, tmp_path: Path, others: int
) -> None:
    put_back(bucket, opened, tmp_path, others)
    with pytest.raises(HomeUnusable, match="earlier day"):
        opened("first").is_behind()
    assert (tmp_path / "first/landing/pages/b").exists()


def test_pages_stay_that_a_bucket_lacks_and_does_not_show_it_ever_had(
    bucket: FolderBucket, opened: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("propsync.bucket.commits._PAST", 5)  # commits, as after thousands of runs
    put_back(bucket, opened, tmp_path, 50)
    take_in(opened("first"))
    (aside,) = (tmp_path / "first/state/aside").rglob("b")
    assert aside.read_bytes() == b"two"
    assert flaws(bucket, tmp_path / "first") == []


def test_a_machine_that_slept_through_many_runs_takes_them_in(
    bucket: FolderBucket, opened: Desk, tmp_path: Path
) -> None:
    first = opened("first")
    first.is_behind()
    for name in "ab":
        first.home.put(f"landing/pages/{name}", b"of the first")
        first.commit("run")
    first.lease.release()
    work_on(opened, 1)
    second = opened("second")
    second.is_behind()
    second.home.delete("landing/pages/a")  # no manifest names it
    second.commit("run")
    second.lease.release()
    work_on(opened, 50)
    again = opened("first")
    take_in(again)
    assert not again.home.exists("landing/pages/a")
    assert not (tmp_path / "first/state/aside").exists()
    assert flaws(bucket, tmp_path / "first") == []


def test_a_page_that_no_manifest_names_leaves_the_bucket_with_home(
    bucket: FolderBucket, opened: Desk, tmp_path: Path
) -> None:
    machine = opened("machine")
    machine.is_behind()
    machine.home.put("landing/pages/a", b"of a killed run")
    machine.commit("run")
    machine.home.delete("landing/pages/a")
    assert machine.commit("run")
    assert not machine.home.exists("landing/pages/a")
    assert flaws(bucket, tmp_path / "machine") == []


def test_documents_that_a_reader_needed_for_the_moment_leave_the_disk(bucket: FolderBucket, tmp_path: Path) -> None:
    key = key_of(KINDS["report"], "ab" * 32)
    bucket.put(key, b"%PDF")
    with closing(BucketBlobs(LocalStorage(tmp_path / "home"), bucket, tmp_path / "partial")) as blobs:
        assert blobs.path(key).read_bytes() == b"%PDF"
    assert [*(tmp_path / "partial").iterdir()] == []


class Blind(FolderBucket):
    """Its server, or a proxy before it, answers each list with an error and the status 200: it reads as empty."""

    def tags(self, prefix: str) -> list[tuple[str, str]]:
        return []


def test_a_list_that_shows_nothing_makes_no_new_home_in_a_full_bucket(
    bucket: FolderBucket, opened: Desk, tmp_path: Path
) -> None:
    first = opened("first")
    first.is_behind()
    for number in range(45):  # a checkpoint has replaced the commits before
        first.home.put(f"landing/pages/{number}", b"page")
        first.commit("run")
    first.lease.release()
    before = sorted(path for path in bucket.root.rglob("*") if path.is_file())
    with ExitStack() as stack, pytest.raises(StorageAway, match="lists nothing there, though it has commits"):
        Desk(Blind(bucket.root), tmp_path, stack)("second").is_behind()
    assert sorted(path for path in bucket.root.rglob("*") if path.is_file()) == before


class Late(FolderBucket):
    """Its list lacks the newest commit for a while."""

    def tags(self, prefix: str) -> list[tuple[str, str]]:
        found = sorted(super().tags(prefix))
        return found[:-1] if prefix == "log" else found


def test_a_late_list_does_not_read_as_a_bucket_that_was_put_back(
    bucket: FolderBucket, opened: Desk, tmp_path: Path
) -> None:
    first = opened("first")
    first.is_behind()
    for number in range(3):
        first.home.put(f"landing/pages/{number}", b"page")
        first.commit("run")
    first.lease.release()
    with ExitStack() as stack, pytest.raises(StorageAway, match=r"the server's list lacks log/0000000003\.json"):
        Desk(Late(bucket.root), tmp_path, stack)("first").is_behind()
    (bucket.root / "log/0000000003.json").unlink()
    with pytest.raises(HomeUnusable, match="put it back to an earlier day"):
        opened("first").is_behind()


def test_commits_that_somebody_removed_keep_no_new_machine_out(
    bucket: FolderBucket, opened: Desk, tmp_path: Path
) -> None:
    first = opened("first")
    first.is_behind()
    for number in range(4):
        first.home.put(f"landing/pages/{number}", b"page")
        first.commit("run")
    first.lease.release()
    (bucket.root / "log/0000000002.json").unlink()
    again = opened("first")
    again.is_behind()
    again.commit("run")
    again.lease.release()
    take_in(opened("second"))
    assert flaws(bucket, tmp_path / "second") == []


def test_a_damaged_document_stays_aside_in_the_bucket_until_it_is_removed(bucket: FolderBucket, tmp_path: Path) -> None:
    key, other = key_of(KINDS["report"], "ab" * 32), key_of(KINDS["bundle"], "cd" * 32)
    aside = f"archive/rotten/ab/{'ab' * 32}.pdf"
    bucket.put(key, b"%PDF")
    bucket.put(other, b"PK")
    with closing(BucketBlobs(LocalStorage(tmp_path / "home"), bucket, tmp_path / "partial")) as blobs:
        blobs.put_aside(key)
        assert (blobs.exists(key), blobs.aside(), blobs.all()) == (False, [aside], [other])
        assert bucket.get(aside) == b"%PDF"
        blobs.remove_by_hash({"ab" * 32})
        assert (blobs.aside(), blobs.all()) == ([], [other])


def test_a_damaged_note_of_who_sends_a_plan_is_named(bucket: FolderBucket, opened: Desk) -> None:
    first = opened("first")
    bucket.put("sending/p1.json", b"")
    with pytest.raises(UsageError, match=r"sending/p1\.json in s3://.*: it is damaged"):
        begin_sending(first, "p1")
    bucket.delete("sending/p1.json")
    begin_sending(first, "p1")
    begin_sending(first, "p1")


def test_a_home_that_changes_its_bucket_says_once_where_its_documents_stay(
    bucket: FolderBucket, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    home, told = LocalStorage(tmp_path / "home"), list[list[str]]()
    (home.root / "state/work").mkdir(parents=True)
    other = FolderBucket(tmp_path / "other")
    for storage, url in ((bucket, URL), (other, "s3://other"), (other, "s3://other"), (bucket, URL)):
        caplog.clear()
        if len(told) == 3:
            home.put(key_of(KINDS["report"], "ab" * 32), b"a document that a move to a folder brought")
        with BucketHome.opened(home, storage, url, home.root / "state/work", what="", wait_seconds=0) as opened:
            settle_restored(opened, restore(opened))
        told.append([one.getMessage() for one in caplog.records if "documents stay there" in one.getMessage()])
    assert [len(lines) for lines in told] == [0, 1, 0, 0]
    assert told[1][0].startswith(f"this home was in {URL}, ")
    assert left_places(home) == [URL, "s3://other"]  # for a search after an erasure


def test_a_plan_of_a_lost_machine_is_sent_once_its_note_is_gone(bucket: FolderBucket, opened: Desk) -> None:
    first = opened("first")
    begin_sending(first, "p1")
    first.lease.release()
    second = opened("second")
    with pytest.raises(UsageError, match=r"If it is lost, remove sending/p1\.json from the bucket"):
        begin_sending(second, "p1")
    bucket.delete("sending/p1.json")
    begin_sending(second, "p1")
