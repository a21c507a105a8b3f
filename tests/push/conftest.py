"""A sandbox and a home that was synced from it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from kit.kept import KeptHomes
from kit.push_home import PushHome, push_home


@pytest.fixture
def home(kept: KeptHomes, tmp_path: Path) -> Iterator[PushHome]:
    """A small sandbox, and a home after its first sync."""
    with push_home(kept, tmp_path / "home") as made:
        yield made
