"""A home of its own for each test, and syncs into it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from contract.estate import Estate, Nights, nights_of
from contract.server import TOKEN, ApiServer

from propsync.api import RetryPolicy
from propsync.runbooks import Report, nightly
from propsync.settings import load_settings

QUICK = RetryPolicy(attempts=3, base=0.001)
Rows = list[tuple[Any, ...]]


class Home:
    """A folder that propsync keeps its files in, for one server."""

    def __init__(self, path: Path, server: ApiServer) -> None:
        self.path = path
        self.server = server

    def sync(self, **settings: object) -> Report:
        given = {"base_url": self.server.url, "token": TOKEN, "home": self.path, "page_limit": 50} | settings
        environ = {f"PROPSYNC_{name.upper()}": str(value) for name, value in given.items()}
        return nightly(load_settings(environ=environ), policy=QUICK)

    def rows(self, query: str) -> Rows:
        with duckdb.connect(self.path / "published" / "warehouse.duckdb", read_only=True) as connection:
            return connection.execute(query).fetchall()


HomeFor = Callable[[ApiServer], Home]


@pytest.fixture
def home_for(tmp_path: Path) -> HomeFor:
    """Makes a home for a server."""
    return lambda server: Home(tmp_path / "home", server)


def moved(report: Report) -> dict[str, tuple[int, int]]:
    """(inserted, updated) of each resource that moved at all."""
    counts = {name: (told["inserted"], told["updated"]) for name, told in report.resources.items()}
    return {name: count for name, count in counts.items() if count != (0, 0)}


@pytest.fixture
def nights(tmp_path: Path) -> Iterator[Nights]:
    """An estate with nothing in it yet, and a home where nothing was ever synced."""
    yield from nights_of(Estate(), tmp_path / "home")
