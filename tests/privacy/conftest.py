"""Homes that hide from the start, later, or never."""

from __future__ import annotations

from pathlib import Path

import pytest
from kit.shared import Shared
from privacy.private import LINES, PrivateHome, live
from privacy.typed import TYPE_LINES, live_typed


@pytest.fixture(scope="session")
def open_nights(shared: Shared) -> Path:
    """A home that hides nothing, after three nights; to be copied, not used."""
    return shared.folder("open nights", lambda folder: live(PrivateHome(folder / "home"))) / "home"


@pytest.fixture(scope="session")
def hidden_nights(shared: Shared) -> Path:
    """A home that hides from the start, after the same nights; to be copied, not used."""

    def make(folder: Path) -> None:
        home = PrivateHome(folder / "home")
        home.hide(*LINES)
        live(home)

    return shared.folder("hidden nights", make) / "home"


@pytest.fixture(scope="session")
def open_types(shared: Shared) -> Path:
    """A home that hides no type, after three nights in which records cross from type to type."""
    return shared.folder("open types", lambda folder: live_typed(PrivateHome(folder / "home"))) / "home"


@pytest.fixture(scope="session")
def hidden_types(shared: Shared) -> Path:
    """A home that hides two types from the start, after the same nights."""

    def make(folder: Path) -> None:
        home = PrivateHome(folder / "home")
        home.hide(*TYPE_LINES)
        live_typed(home)

    return shared.folder("hidden types", make) / "home"


@pytest.fixture
def open_typed(open_types: Path, tmp_path: Path) -> PrivateHome:
    return PrivateHome(open_types).copied(tmp_path / "open types")


@pytest.fixture
def hidden_typed(hidden_types: Path, tmp_path: Path) -> PrivateHome:
    return PrivateHome(hidden_types).copied(tmp_path / "hidden types")


@pytest.fixture
def open_home(open_nights: Path, tmp_path: Path) -> PrivateHome:
    return PrivateHome(open_nights).copied(tmp_path / "open")


@pytest.fixture
def hidden_home(hidden_nights: Path, tmp_path: Path) -> PrivateHome:
    return PrivateHome(hidden_nights).copied(tmp_path / "hidden")
