"""The command line as people use it: a real process, a real sandbox."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from propsync_sandbox import Sandbox

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(scale=120, seed=11) as running:
        yield running


@pytest.fixture
def propsync(sandbox: Sandbox, tmp_path: Path) -> Run:
    """Runs `propsync …` in a home of its own; keyword arguments are settings, None unsets one."""

    def run(*words: str, timeout: float = 120, **settings: str | None) -> subprocess.CompletedProcess[str]:
        environ = {name: value for name, value in os.environ.items() if not name.startswith("PROPSYNC_")}
        environ |= {
            "PROPSYNC_BASE_URL": sandbox.base_url,
            "PROPSYNC_TOKEN": sandbox.token,
            "PROPSYNC_HOME": str(tmp_path / "home"),
        }
        environ |= {f"PROPSYNC_{name.upper()}": value for name, value in settings.items() if value is not None}
        for name in (name for name, value in settings.items() if value is None):
            environ.pop(f"PROPSYNC_{name.upper()}", None)
        program = Path(sys.executable).with_name("propsync")
        return subprocess.run(
            [str(program), *words], env=environ, capture_output=True, text=True, timeout=timeout, cwd=tmp_path
        )

    return run
