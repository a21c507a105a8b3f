"""A home after three nights, to erase from."""

from __future__ import annotations

from pathlib import Path

import pytest
from kit.shared import Shared
from privacy.private import PrivateHome, live


@pytest.fixture(scope="session")
def three_nights(shared: Shared) -> Path:
    """A home that hides nothing, after three nights; to be copied, not used."""
    return shared.folder("three nights to erase", lambda folder: live(PrivateHome(folder / "home"))) / "home"


@pytest.fixture
def home(three_nights: Path, tmp_path: Path) -> PrivateHome:
    return PrivateHome(three_nights).copied(tmp_path / "home")
