"""The command line on a sandbox: in the process of the tests for its words, a real program where a start matters."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from kit.command_line import CommandLine, settings_of
from kit.programs import Program

from propsync_sandbox import Sandbox


@pytest.fixture(scope="session")
def running_sandbox() -> Iterator[Sandbox]:
    with Sandbox(scale=120, seed=11, properties=True) as running:
        yield running


@pytest.fixture
def sandbox(running_sandbox: Sandbox) -> Iterator[Sandbox]:
    """The sandbox of all tests here, which nothing edits; the faults of a test end with it."""
    yield running_sandbox
    running_sandbox.set_faults([])


@pytest.fixture(scope="session")
def synced_once(running_sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home after its first sync, documents included. Tests only read it."""
    home = tmp_path_factory.mktemp("synced") / "home"
    done = CommandLine(home.parent, settings_of(running_sandbox, home))("sync")
    assert done.returncode == 0, done.stderr
    return home


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The home of this test, which does not exist yet."""
    return tmp_path / "home"


@pytest.fixture
def synced(synced_once: Path, home: Path) -> Path:
    """The home of this test, as a first sync left it."""
    return Path(shutil.copytree(synced_once, home))


@pytest.fixture
def own_settings(sandbox: Sandbox, home: Path) -> dict[str, str]:
    return settings_of(sandbox, home)


@pytest.fixture
def propsync(own_settings: dict[str, str], tmp_path: Path) -> CommandLine:
    """Runs `propsync …` in the process of the tests."""
    return CommandLine(tmp_path, own_settings)


@pytest.fixture
def program(own_settings: dict[str, str], tmp_path: Path) -> Program:
    """Runs the program, in a process of its own."""
    return Program(tmp_path, own_settings)
