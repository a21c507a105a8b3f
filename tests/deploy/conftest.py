"""A sandbox, and machines that are set up for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from deploy.unit_files import Machine

from propsync_sandbox import Sandbox


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(scale=60, seed=3) as running:
        yield running


@pytest.fixture
def machine(sandbox: Sandbox, tmp_path: Path) -> Machine:
    return Machine(tmp_path / "machine").set_up(sandbox.base_url, sandbox.token)
