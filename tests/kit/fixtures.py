"""Fixtures of the kit, for every test: homes that a session makes once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from kit.archives import LARGE, SMALL, place
from kit.estate import Estate
from kit.home import Home
from kit.kept import KeptHomes
from kit.new_states import made_once
from kit.nights import Nights, nights_of
from kit.server import Server
from kit.shared import Shared, shared_by_workers
from kit.small_api import SmallApi, SmallHome
from kit.stores import Stores


@pytest.fixture(scope="session", autouse=True)
def new_states(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A new state database is a copy of one that an earlier test made."""
    with made_once(shared_by_workers(tmp_path_factory)):
        yield


@pytest.fixture(scope="session")
def kept(shared: Shared) -> KeptHomes:
    """Homes by key, to be copied."""
    return KeptHomes(shared)


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Homes of the test build their marts and draw their dashboard."""
    monkeypatch.setattr(Home, "has_desk", True)


@pytest.fixture
def nights(tmp_path: Path, kept: KeptHomes) -> Iterator[Nights]:
    """An estate with nothing in it yet, and a home where nothing was ever synced."""
    with nights_of(Estate(), tmp_path / "home", kept) as made:
        yield made


@pytest.fixture(scope="session")
def synced(shared: Shared) -> Path:
    """A home after the first sync of a large sandbox; to be copied, not used."""
    return shared.folder("synced", lambda folder: _synced(folder, LARGE)) / "home"


@pytest.fixture(scope="session")
def archived(shared: Shared, synced: Path) -> Path:
    """The same after its first archive run."""
    return shared.folder("archived", lambda folder: _archived(folder, synced, LARGE)) / "home"


@pytest.fixture(scope="session")
def synced_small(shared: Shared) -> Path:
    """A home after the first sync of a small sandbox; to be copied, not used."""
    return shared.folder("synced small", lambda folder: _synced(folder, SMALL)) / "home"


@pytest.fixture(scope="session")
def archived_small(shared: Shared, synced_small: Path) -> Path:
    """The same with everything archived."""
    return shared.folder("archived small", lambda folder: _archived(folder, synced_small, SMALL)) / "home"


def _synced(folder: Path, scale: int) -> None:
    with place(folder / "home", scale=scale) as made:
        assert made.sync().exit_code == 0


def _archived(folder: Path, synced: Path, scale: int) -> None:
    with place(folder / "home", synced, scale=scale) as made:
        assert made.archive().exit_code == 0


@pytest.fixture
def small_nights(tmp_path: Path) -> Iterator[SmallHome]:
    """A small API and a home where nothing was ever synced."""
    api = SmallApi()
    with Server(api) as server:
        yield SmallHome(tmp_path / "home", server.url, api)


@pytest.fixture(scope="session")
def stores(shared: Shared) -> Iterator[Stores]:
    """Object stores by name; a server starts when a test first asks for it."""
    with Stores(shared.root) as made:
        yield made
