"""Two machines at once: one works, the other says so. One that froze and lost its lease publishes nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from kit.bucket import KEYS, FolderBucket, flaws
from kit.small_api import asset

from .conftest import Machine, Machines

AT_WORK = Path(__file__).with_name("at_work.py")
MOMENTS = [
    "replace assets.parquet",
    pytest.param("put_file packs/", marks=pytest.mark.release),
    pytest.param("put_new log/", marks=pytest.mark.release),
    pytest.param("put_file published/warehouse", marks=pytest.mark.release),
]


def started(machine: Machine, freeze: str = "", lock_wait: int = 60) -> subprocess.Popen[str]:
    """A sync of a machine, as a program."""
    url = f"s3://bucket{machine.bucket.root}"
    environ = os.environ | machine.environ(storage_url=url, lock_wait=lock_wait) | KEYS | {"FREEZE": freeze}
    return subprocess.Popen([sys.executable, AT_WORK], env=environ, stderr=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Exit code and log."""
    _, told = process.communicate(timeout=120)
    return process.returncode, told


def published(machine: Machine) -> dict[Path, bytes]:
    folder = machine.path / "published"
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.release
@pytest.mark.parametrize("moment", MOMENTS)
def test_one_that_froze_at_a_moment_publishes_nothing_when_it_wakes(machines: Machines, moment: str) -> None:
    first, second = machines("first"), machines("second")
    assert ended(started(first))[0] == 0
    machines.api.assets.append(asset("a8", note="later"))
    before = published(first)
    frozen = started(first, moment)
    try:
        assert os.WIFSTOPPED(os.waitpid(frozen.pid, os.WUNTRACED)[1])
        had = published(first)
        code, told = ended(started(second, lock_wait=0))
        assert code in (0, 4), told
        if code == 4:
            assert "is at work" in told
            code, told = ended(started(second))
        assert code == 0, told
        there = FolderBucket(machines.bucket.root)
        assert flaws(there, second.path) == []
    finally:
        frozen.send_signal(signal.SIGCONT)
    code, told = ended(frozen)
    assert code == 1, told
    assert "took the lease over" in told or "another machine has put its own work there" in told
    assert published(first) == had
    assert flaws(there, second.path) == []
    assert had == before or moment.startswith(("replace", "put_file published"))
    code, told = ended(started(first))
    assert code == 0, told
    assert flaws(there, first.path) == []
    assert first.column("select count(*) from assets") == [len(machines.api.assets)]


@pytest.mark.release
def test_a_home_that_was_killed_does_not_wait_for_its_own_lease(machines: Machines) -> None:
    machine = machines("machine")
    frozen = started(machine, "put_file packs/")
    assert os.WIFSTOPPED(os.waitpid(frozen.pid, os.WUNTRACED)[1])
    frozen.kill()
    frozen.communicate()
    code, told = ended(started(machine, lock_wait=0))
    assert code == 0, told
    assert flaws(machines.bucket, machine.path) == []
