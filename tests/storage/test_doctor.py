"""The words of `propsync doctor` and `propsync sync` about a bucket: ready, wrong, away, behind, on an unfit server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from pathlib import Path

import pytest
from kit.command_line import CommandLine, Done, settings_of
from kit.fault_proxy import Fault, FaultProxy
from kit.programs import free_port
from kit.stores import BUCKET, Store, Stores

from propsync.bucket import Lease
from propsync.storage.objects import ObjectStorage
from propsync_sandbox import Sandbox

from .conftest import QUICK


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(scale=20, seed=3) as running:
        yield running


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


Run = Callable[..., Done]


@pytest.fixture
def propsync(sandbox: Sandbox, home: Path) -> Run:
    """Runs a command with these variables of the environment, in the home of the test or another."""

    def run(word: str, environ: Mapping[str, str] | None = None, place: Path = home) -> Done:
        return CommandLine(home.parent, settings_of(sandbox, place) | dict(environ or {}))(word)

    return run


def ready(printed: str) -> list[str]:
    return [line.removeprefix("ok   ") for line in printed.splitlines() if line.startswith("ok   bucket")]


def wrong(printed: str) -> list[str]:
    lines = printed.splitlines()
    return [f"{line} {lines[number + 1].strip()}" for number, line in enumerate(lines) if line.startswith("BAD")]


def test_a_home_without_a_bucket_is_said_to_be_so(propsync: Run, home: Path):
    done = propsync("doctor")
    assert ready(done.stdout) == [f"bucket: none: propsync keeps everything under {home}"]


def test_a_bucket_that_is_ready_is_shown_and_left_as_it_was(propsync: Run, stores: Stores):
    environ = stores["ministack"].environ("ready")
    done = propsync("doctor", environ)
    assert done.returncode == 0, done.stdout
    assert (
        ready(done.stdout)[0]
        == f"bucket: s3://{BUCKET}/ready answers and takes the credentials; it holds no commit yet"
    )
    assert [line.partition(":")[0] for line in ready(done.stdout)[1:]] == [
        "bucket conditions",
        "bucket clock",
        "bucket lease",
        "bucket home",
    ]
    assert list(ObjectStorage(stores["ministack"].access("ready")).list("")) == []


def test_a_plan_that_a_machine_began_to_send_is_named(propsync: Run, stores: Stores):
    note = b'{"machine": "m", "host": "north", "since": "2026-11-28T18:00:00+00:00"}'
    ObjectStorage(stores["ministack"].access("sent")).put("sending/abc.json", note)
    done = propsync("doctor", stores["ministack"].environ("sent"))
    line = "north began to send plan abc at 2026-11-28T18:00:00+00:00, and has not recorded the result"
    assert f"bucket plan: {line}" in ready(done.stdout)


@pytest.mark.slow
def test_the_holder_of_the_lease_and_a_home_that_is_behind_are_named(propsync: Run, stores: Stores, tmp_path: Path):
    environ = stores["ministack"].environ("shared")
    assert propsync("sync", environ).returncode == 0
    assert "bucket home: this home has all that it holds" in propsync("doctor", environ).stdout
    lease = Lease(ObjectStorage(stores["ministack"].access("shared")), "another machine", "propsync sync")
    lease.acquire(5)
    held = propsync("doctor", environ)
    lease.release()
    assert "bucket lease: held by propsync sync (on " in held.stdout
    assert "bucket lease: no machine is at work" in propsync("doctor", environ).stdout
    behind = propsync("doctor", environ, tmp_path / "other")
    assert behind.returncode == 0
    assert "its last commit is number " in ready(behind.stdout)[0]
    line = "bucket home: it holds runs that this home does not have; `propsync sync` or `propsync rebuild` brings them"
    assert ready(behind.stdout)[-1] == line


def test_a_bucket_that_cannot_be_used_is_a_finding_with_the_next_step(propsync: Run, stores: Stores):
    store = stores["ministack"]
    refused = propsync("doctor", store.environ() | {"AWS_ACCESS_KEY_ID": "somebody-else"})
    missing = propsync("doctor", store.environ(bucket="nobody-made-this"))
    away = propsync("doctor", Store("s3", f"http://127.0.0.1:{free_port()}", store.credentials).environ())
    assert [done.returncode for done in (refused, missing, away)] == [1, 1, 1]
    assert "403 Forbidden: InvalidAccessKeyId" in wrong(refused.stdout)[0]
    assert "no such bucket or container → Correct PROPSYNC_STORAGE_URL or the credentials" in wrong(missing.stdout)[0]
    assert "error sending request → Run the same command again later" in wrong(away.stdout)[0]
    assert all("shape of assets: result_field" in done.stdout for done in (refused, missing, away)), "the rest goes on"


def test_credentials_that_are_not_whole_are_wrong_settings(propsync: Run):
    done = propsync("doctor", {"PROPSYNC_STORAGE_URL": "s3://bucket/home", "AWS_ACCESS_KEY_ID": "one"})
    assert done.returncode == 2
    assert "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY" in done.stderr


def test_a_clock_that_is_wrong_is_found(propsync: Run, stores: Stores, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ObjectStorage, "age", lambda storage, key: -300.0)
    done = propsync("doctor", stores["ministack"].environ())
    words = "BAD  bucket clock: this computer's clock is 300 seconds behind that of the bucket → Set the clock"
    assert wrong(done.stdout)[0].startswith(words)


@pytest.mark.slow
def test_a_server_that_ignores_conditions_is_refused_and_left_empty(propsync: Run, stores: Stores, home: Path):
    store = stores["s3rver"]
    environ = store.environ("home")
    line = "its server ignores If-None-Match or If-Match, so two machines could overwrite each other's work"
    step = "Use a store that honours If-None-Match and If-Match: S3, MinIO, Azure"
    looked = propsync("doctor", environ)
    assert looked.returncode == 1
    assert wrong(looked.stdout) == [f"BAD  bucket: PROPSYNC_STORAGE_URL: {line} → {step}"]
    for command in ("sync", "rebuild", "archive"):
        done = propsync(command, environ)
        assert done.returncode == 1, done.stderr
        assert done.stderr.splitlines()[-1].endswith(f"PROPSYNC_STORAGE_URL: {line}. {step}")
        assert not (home / "published/warehouse.duckdb").exists()
    assert list(ObjectStorage(store.access("home"), QUICK).list("")) == []


@pytest.mark.release
@pytest.mark.slow
def test_a_bucket_away_ends_a_sync_and_the_next_one_puts_what_it_lacks(propsync: Run, stores: Stores):
    store = stores["ministack"]
    with FaultProxy(store.address) as proxy:
        environ = Store("s3", proxy.url, store.credentials).environ("once-away")
        requests = count()
        proxy.fault = lambda request: Fault.LACKING if next(requests) > 20 else None
        done = propsync("sync", environ)
        assert done.returncode == 1, "in the middle of its puts"
        assert "501 Not Implemented" in done.stderr
        proxy.always(None)
        assert propsync("sync", environ).returncode == 0
    assert ObjectStorage(store.access("once-away")).exists("published/_published.json")
