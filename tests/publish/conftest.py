"""A published home, made by a real sync of a real sandbox."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from kit.kept import KeptHomes
from kit.sandbox_home import SandboxHome

from propsync_sandbox import Sandbox

SCALE = 40


@pytest.fixture
def home(kept: KeptHomes, tmp_path: Path) -> Iterator[SandboxHome]:
    """A sandbox, and a home that was synced from it."""
    with Sandbox(scale=SCALE, seed=5) as sandbox:
        made = SandboxHome(sandbox, tmp_path / "home")
        kept.copied(("published", SCALE), made.path, lambda _: made.sync())
        assert made.rows("select status from ops.runs") == [("ok",)]
        yield made
