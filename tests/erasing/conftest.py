"""Homes to erase from: one after three nights, and machines of one bucket."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from kit.server import Server
from kit.shared import Shared
from kit.small_api import SmallApi, asset
from machines.conftest import Machines
from privacy.private import PrivateHome, live

GONE = "asset-gone-1"


@pytest.fixture(scope="session")
def three_nights(shared: Shared) -> Path:
    """A home that hides nothing, after three nights; to be copied, not used."""
    return shared.folder("three nights to erase", lambda folder: live(PrivateHome(folder / "home"))) / "home"


@pytest.fixture
def home(three_nights: Path, tmp_path: Path) -> PrivateHome:
    return PrivateHome(three_nights).copied(tmp_path / "home")


@pytest.fixture
def machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machines]:
    api = SmallApi()
    api.assets.append(asset(GONE, note="first note"))
    with Server(api) as server:
        yield Machines(tmp_path, server.url, api, monkeypatch)
