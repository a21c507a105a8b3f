"""A sandbox, and machines that are set up for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from deploy.unit_files import Machine, run_service

from propsync_sandbox import Sandbox


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(scale=60, seed=3) as running:
        yield running


@pytest.fixture
def machine(sandbox: Sandbox, tmp_path: Path) -> Machine:
    return Machine(tmp_path / "machine").set_up(sandbox.base_url, sandbox.token)


@pytest.fixture(scope="session")
def morning(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """A machine after a night, which ran as its unit says; tests only read it."""
    machine = Machine(tmp_path_factory.mktemp("morning") / "machine").set_up(sandbox.base_url, sandbox.token)
    night = run_service("propsync.service", machine)
    assert night.returncode == 0, night.stderr
    assert sandbox.token not in night.stdout + night.stderr
    return machine
