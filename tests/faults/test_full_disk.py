"""A disk without room stops the run with one line that says what to do; nothing is lost and nothing half published."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from faults.conftest import SCALE, Night, as_yesterday
from kit.kept import KeptHomes
from publish.delta_kit import OneTable

from propsync.errors import DiskFull
from propsync_sandbox import Sandbox

_SIZE = "64m"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, of known size."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a small file system")
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={_SIZE}", "tmpfs", folder], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.decode().strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.mark.release
@pytest.mark.costly
@pytest.mark.parametrize("left", [0, 1_500_000])
def test_a_full_disk_stops_the_run_and_the_next_one_with_room_is_whole(
    small_disk: Path, kept: KeptHomes, left: int
) -> None:
    home = small_disk / "home"
    as_yesterday(kept, home)
    with Sandbox(scale=SCALE) as sandbox:
        night = Night(sandbox, home)
        night.change_a_little()
        before = night.note()
        ballast = _fill(small_disk, left)
        with pytest.raises(DiskFull) as full:
            night.sync()
        assert full.value.exit_code == 1
        assert str(full.value).endswith("Free some space under PROPSYNC_HOME, then run the same command again")
        assert night.note() == before
        assert night.rows("select count(*) from assets") == [(SCALE,)]

        ballast.unlink()
        assert night.sync().exit_code == 0
        assert [one for one in ("assets", "assessments", "schedules") if not night.is_truth(one)] == []


def test_a_delta_table_stays_as_it_was_on_a_disk_without_room_for_its_log(small_disk: Path) -> None:
    one = OneTable(small_disk / "home")
    start = datetime(2026, 3, 2, tzinfo=UTC)
    one.publish("select 'old' as n", start)
    ballast = _fill(small_disk, 4096)  # the rows take them
    with pytest.raises(DiskFull) as full:
        one.publish("select 'new' as n", start + timedelta(days=1))
    assert "the disk is full" in str(full.value)
    assert str(full.value).endswith("then run the same command again")
    assert one.rows() == [("old",)]
    ballast.unlink()
    one.publish("select 'new' as n", start + timedelta(days=2))
    assert (one.rows(), one.damaged, len(one.files())) == ([("new",)], [], 2)


def _fill(folder: Path, left: int) -> Path:
    """A file that leaves that many bytes free."""
    ballast = folder / "ballast"
    usage = os.statvfs(folder)
    with ballast.open("wb") as writer:
        os.posix_fallocate(writer.fileno(), 0, usage.f_bavail * usage.f_frsize - left)
    return ballast
