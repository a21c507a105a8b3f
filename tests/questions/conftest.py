"""One home that followed a sandbox over the end of a financial year, for all questions."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest
from kit.sandbox_home import SandboxHome
from questions.lived import live
from questions.witness import Witness

from propsync_sandbox import Sandbox

NIGHTS = 3
SCALE = 500
FIRST = date(2026, 3, 30)


@pytest.fixture(scope="session")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SandboxHome, Witness]]:
    """Read only. With documents: one sync, and one after each of three nights."""
    with Sandbox(scale=SCALE, seed=7, today=FIRST) as sandbox:
        yield live(sandbox, tmp_path_factory.mktemp("questions"), NIGHTS)


@pytest.fixture(scope="session")
def home(lived: tuple[SandboxHome, Witness]) -> SandboxHome:
    return lived[0]


@pytest.fixture(scope="session")
def witness(lived: tuple[SandboxHome, Witness]) -> Witness:
    return lived[1]
