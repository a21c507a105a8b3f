"""A machine without a program passes and says what it skipped; with `--no-skips-but`, as in CI, a skip is a failure."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from kit.programs import environment
from kit.shared import Shared

ROOT = Path(__file__).parents[2]
UNITS = "tests/deploy/test_units.py::test_a_service_may_do_little"


@pytest.mark.slow
def test_a_missing_program_is_a_skip_with_its_package(tmp_path: Path):
    code, printed = pytest_on(tmp_path)
    assert code == 0
    assert "4 skipped" in printed
    assert "systemd-analyze is not installed; on Debian: apt-get install systemd" in printed


@pytest.mark.slow
@pytest.mark.parametrize(("programs", "code"), [("docker", 1), ("docker,systemd-analyze", 0)])
def test_a_skip_fails_unless_the_program_may_be_missing(tmp_path: Path, programs: str, code: int):
    assert pytest_on(tmp_path, f"--no-skips-but={programs}")[0] == code


@pytest.mark.slow
def test_what_a_slow_machine_cannot_begin_in_time_is_counted(tmp_path: Path):
    code, printed = pytest_on(tmp_path, "--no-skips-but=docker", "-rs", "--until=1")
    assert code == 0
    assert re.search(r"SKIPPED \[4\] .*: no time left \(--until\)", printed)
    assert pytest_on(tmp_path, "--no-skips-but=docker", f"--until={time.time() + 600}")[0] == 1


@pytest.mark.slow
def test_every_variant_of_a_release_can_be_collected():
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--collect-only", "tests"]
    done = subprocess.run(command, env=environment(VARIANTS="all"), cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]


def pytest_on(folder: Path, *options: str) -> tuple[int, str]:
    """Runs the tests that need systemd on a machine without it: its exit code and its output."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--basetemp={folder / 'base'}"]
    environ = environment(PATH=str(folder))
    done = subprocess.run([*command, *options, UNITS], env=environ, cwd=ROOT, capture_output=True, text=True)
    return done.returncode, done.stdout


def test_a_shared_folder_is_made_once_and_again_if_that_failed(tmp_path: Path):
    made: list[Path] = []

    def fail(folder: Path) -> None:
        (folder / "half").touch()
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        Shared(tmp_path).folder("wheel", fail)
    first, second = Shared(tmp_path).folder("wheel", made.append), Shared(tmp_path).folder("wheel", made.append)
    assert made == [first] == [second]
    assert not (first / "half").exists()
