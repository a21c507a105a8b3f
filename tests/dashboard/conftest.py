"""A home that a sandbox filled, and a copy of what it published that a test may change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import duckdb
import pytest
from kit.kept import KeptHomes
from kit.sandbox_home import SandboxHome, with_desk

from propsync.desk.dashboard import Dashboard, draw
from propsync.warehouse import PublishedReader

ZONE = ZoneInfo("Europe/London")


@pytest.fixture
def home(kept: KeptHomes, tmp_path: Path) -> Iterator[SandboxHome]:
    """A sandbox, and a home that was synced from it."""
    with with_desk(kept, tmp_path / "home") as made:
        yield made


Drawing = Callable[..., Dashboard]


@pytest.fixture
def drawn(home: SandboxHome) -> Drawing:
    """Draws the page of what is published, after `statements` on a copy of it."""

    def draw_copy(*statements: str) -> Dashboard:
        copy = home.copy_of_published()
        copy.chmod(0o600)
        with duckdb.connect(copy) as connection:
            for one in statements:
                connection.execute(one)
        with PublishedReader(copy) as reader:
            page = draw(reader, ZONE)
        assert page is not None
        return page

    return draw_copy
