"""Documents by two workers: each in the bucket, each fetched once, though a worker is killed."""

from __future__ import annotations

import hashlib
import json
import math
import os
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from cluster.conftest import TOKEN, Dask
from distributed import Client
from kit.programs import PROGRAM, environment, files_with

from propsync.settings import load_settings
from propsync.storage.objects import ObjectStorage
from propsync_sandbox import Sandbox
from propsync_sandbox.documents import bundle, report, subject
from propsync_sandbox.findings import Subject

WRITERS: Mapping[str, Callable[[Subject], bytes]] = {"report.pdf": report, "bundle.zip": bundle}
MOST = 6
SCALE = int(os.environ.get("SCALE", "600"))
"""Assets: 600 have some 540 documents, 5,600 have 5,000."""
Pair = tuple[str, str]


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(scale=SCALE, seed=7, token=TOKEN) as running:
        yield running


@pytest.fixture
def settings(sandbox: Sandbox, bucket: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """A home in the bucket, after its first sync."""
    own = {
        "PROPSYNC_BASE_URL": sandbox.base_url,
        "PROPSYNC_TOKEN": TOKEN,
        "PROPSYNC_HOME": str(tmp_path / "home"),
        "PROPSYNC_MAX_CONCURRENCY": str(MOST),
    }
    done = propsync(bucket | own, "sync", "--no-archive")
    assert done.returncode == 0, done.stderr
    return bucket | own


def propsync(settings: Mapping[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PROGRAM, *words], env=environment(**settings), capture_output=True, text=True, check=False)


def asked(sandbox: Sandbox) -> Counter[Pair]:
    """How often each document was asked for."""
    paths = [entry.path.split("/") for entry in sandbox.journal.entries()]
    return Counter((path[2], path[3]) for path in paths if path[-1] in WRITERS)


def slow_down(sandbox: Sandbox, seconds: float) -> None:
    """Lets each document take that long from now on."""
    sandbox.set_faults([{"match": {"path": r".*\.(pdf|zip)"}, "effect": {"kind": "delay", "seconds": seconds}}])


def hold_both_workers(sandbox: Sandbox) -> None:
    """Returns when each worker waits for documents of a batch, so that none is between two batches."""
    slow_down(sandbox, 15)
    before = -1
    while before < (now := asked(sandbox).total()):
        before = now
        time.sleep(3)


def absent(sandbox: Sandbox) -> set[Pair]:
    """The documents that the sandbox says it does not have."""
    paths = [entry.path.split("/") for entry in sandbox.journal.entries() if entry.status == 404]
    return {(path[2], path[3]) for path in paths}


def truth(sandbox: Sandbox) -> dict[Pair, str]:
    """The key in the bucket of every wanted document."""
    found = {}
    for one in sandbox.world.assessments.records():
        for name, write in WRITERS.items() if one.status == "approved" else ():
            digest = hashlib.sha256(write(subject(sandbox.world, one))).hexdigest()
            found[str(one.key), name] = f"archive/blobs/{digest[:2]}/{digest}.{name[-3:]}"
    return found


def bucket_of(settings: Mapping[str, str]) -> ObjectStorage:
    access = load_settings(environ=dict(settings)).storage()
    assert access is not None
    return ObjectStorage(access)


def seen_by_the_scheduler(address: str) -> str:
    """Everything that the run and its batches brought into the memory of the scheduler."""

    def told(dask_scheduler: Any) -> str:
        tasks = [[getattr(task, name, None) for name in task.__slots__] for task in dask_scheduler.tasks.values()]
        logged = [list(dask_scheduler.transition_log), dict(dask_scheduler.worker_plugins)]
        return repr(tasks) + repr(logged)

    client: Any = Client(address, set_as_default=False)  # type: ignore[no-untyped-call]
    with client:
        return str(client.run_on_scheduler(told))


@pytest.mark.slow
def test_a_killed_worker_loses_nothing_and_only_its_batch_is_fetched_again(
    dask: Dask, settings: dict[str, str], sandbox: Sandbox, tmp_path: Path
):
    for _ in range(2):
        dask.start_worker()
    sandbox.journal.clear()
    slow_down(sandbox, 0.05)
    wanted = truth(sandbox)
    batch = min(200, max(50, math.ceil(len(wanted) / 16)))
    assert len(wanted) > 8 * batch
    command = [PROGRAM, "archive", "--dask", dask.address, "--json"]
    with subprocess.Popen(
        command, env=environment(**settings), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        while len(asked(sandbox)) < 3.5 * batch:
            assert run.poll() is None, run.communicate()
            time.sleep(0.2)
        hold_both_workers(sandbox)
        memory = seen_by_the_scheduler(dask.address)
        dask.workers[0].kill()
        slow_down(sandbox, 0.05)
        out, err = run.communicate(timeout=600)
    assert run.returncode == 0, out + err
    told = json.loads(out)
    often, lacking = asked(sandbox), absent(sandbox)
    assert told["missing"] == told["lacking"] == len(lacking) < len(wanted) / 100
    assert (told["stored"], told["failed"]) == (len(wanted) - len(lacking), 0)
    assert often.keys() == wanted.keys()
    assert max(often.values()) == 2
    assert 0 < sum(often.values()) - len(wanted) <= batch

    storage = bucket_of(settings)
    stored = {key for pair, key in wanted.items() if pair not in lacking}
    assert {*storage.list("archive/blobs")} == stored
    assert all(hashlib.sha256(storage.get(key)).hexdigest() in key for key in stored)
    assert 2 < sandbox.most_at_once <= MOST

    assert sandbox.base_url in memory or "Benches" in memory
    for secret in (TOKEN, settings["AWS_SECRET_ACCESS_KEY"]):
        assert secret not in memory + out + err
        assert not files_with(secret, dask.root)
