"""A home of its own for each test that makes a world's server itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from kit.world_home import WorldHome
from kit.world_server import WorldServer

HomeFor = Callable[[WorldServer], WorldHome]


@pytest.fixture
def home_for(tmp_path: Path) -> HomeFor:
    """Makes a home for a server."""
    return lambda server: WorldHome(tmp_path / "home", server)
