"""What holds for all tests."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from kit.shared import Shared, shared_by_workers
from kit.together import SharedFiles
from variants import IS_ALL

from propsync.sweep import page_reader

# tests receive Ctrl-C, and so do the programs they start, also where a shell runs them all in the background
signal.signal(signal.SIGINT, signal.default_int_handler)

# homes of tests are in memory if there is plenty: a disk adds nothing but waiting (`--basetemp` puts them elsewhere)
_MEMORY = Path("/dev/shm")
_PLENTY = 6 * 10**9
if _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > _PLENTY:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))

# hypothesis tries the same examples every time, however busy the machine is; HYPOTHESIS=explore tries many new ones
settings.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("explore", settings.get_profile("steady"), derandomize=False, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS", "steady"))

_NO_TIME = "no time left (--until)"
_WHOLE = ("faces", "flows", "questions")

pytest_plugins = ["kit.fixtures"]


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Shared:
    """Folders that all workers share."""
    return shared_by_workers(tmp_path_factory)


@pytest.fixture(scope="session", autouse=True)
def _signatures_of_an_instant() -> None:
    """Each answer of a test server has signatures of its own, so nothing need wait for the next second."""
    page_reader.SIGNED_SECONDS = 0.0


def pytest_addoption(parser: pytest.Parser) -> None:
    words = "fail where a test would be skipped, unless one of these programs is missing (comma-separated)"
    parser.addoption("--no-skips-but", metavar="PROGRAMS", help=words)
    words = "of the slow tests of a file only the first, as CI does to keep to its minutes"
    parser.addoption("--brief", action="store_true", help=words)
    words = "begin no test after this second of the epoch; the summary counts those left out"
    parser.addoption("--until", metavar="SECOND", type=float, help=words)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of the variants of a costly test, the first runs every day; the others, and tests of a release, run with
    `VARIANTS=all`, as slow ones.
    """
    variants: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("costly"):
            variants.setdefault(item.nodeid.partition("[")[0], []).append(item)
    rare = [item for item in items if item.get_closest_marker("release")]
    for of_test in variants.values():
        first = next((item for item in of_test if not item.get_closest_marker("slow")), of_test[0])
        rare += [item for item in of_test if item is not first]
    for item in rare:
        item.add_marker(pytest.mark.slow)
    left_out = set() if IS_ALL else {id(item) for item in rare}
    items[:] = [item for item in items if id(item) not in left_out]
    if config.getoption("--brief"):
        items[:] = _briefly(items)


def _briefly(items: list[pytest.Item]) -> list[pytest.Item]:
    """Leaves out the slow tests after the first of a file, and its further variants. Pages of the docs and the services
    are always followed.
    """
    first: dict[Path, str] = {}
    kept: list[pytest.Item] = []
    for item in items:
        may_go = item.get_closest_marker("slow") and item.path.parent.name not in _WHOLE
        if not may_go or first.setdefault(item.path, item.nodeid) == item.nodeid:
            kept.append(item)
    return kept


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leaves out what a slow machine cannot begin in time: CI that is cut off says nothing at all."""
    until = item.config.getoption("--until")
    if until is not None and time.time() > until:
        pytest.skip(_NO_TIME)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turns a skip into a failure on a machine that should have all programs, as that of CI."""
    report = yield
    may_miss = item.config.getoption("--no-skips-but")
    if may_miss is None or not report.skipped or hasattr(report, "wasxfail"):
        return report
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    if _NO_TIME not in reason and not any(f"{program} is not installed" in reason for program in may_miss.split(",")):
        report.outcome, report.longrepr = "failed", f"--no-skips-but {may_miss}: {reason}"
    return report


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> SharedFiles | None:
    return SharedFiles(config, log) if config.getoption("dist") == "loadfile" else None
