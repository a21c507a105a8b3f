"""A published home, made by a real sync of a real sandbox."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from propsync.settings import Settings, load_settings
from propsync_sandbox import Sandbox


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(scale=150, seed=5) as running:
        yield running


@pytest.fixture
def settings(sandbox: Sandbox, tmp_path: Path) -> Settings:
    environ = {
        "PROPSYNC_BASE_URL": sandbox.base_url,
        "PROPSYNC_TOKEN": sandbox.token,
        "PROPSYNC_HOME": str(tmp_path / "home"),
    }
    return load_settings(environ=environ)
