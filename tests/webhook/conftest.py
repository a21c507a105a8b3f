"""A home that hears hints."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from kit.hint_home import HintHome, hint_home
from kit.kept import KeptHomes


@pytest.fixture
def home(kept: KeptHomes, tmp_path: Path) -> Iterator[HintHome]:
    """A small sandbox, and a home after its first sync."""
    with hint_home(kept, tmp_path / "home") as made:
        yield made
