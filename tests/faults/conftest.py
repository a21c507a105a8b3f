"""A sandbox that goes wrong on purpose, and a home that was synced from it yesterday, when all was well."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from propsync.api import RetryPolicy
from propsync.runbooks import Report, nightly
from propsync.settings import load_settings
from propsync_sandbox import Sandbox

QUICK = RetryPolicy(attempts=4, budget=5, base=0.001)
SCALE = 120
Rows = list[tuple[Any, ...]]
_KEYS = {
    "assets": "asset_id",
    "assessments": "assessment_id",
    "schedules": "property_id, assessment_type_id",
}


@dataclass
class Night:
    """A sandbox and a home; `sync` is one nightly run of the one into the other."""

    sandbox: Sandbox
    home: Path

    def sync(self, **options: Any) -> Report:
        environ = {
            "PROPSYNC_BASE_URL": self.sandbox.base_url,
            "PROPSYNC_TOKEN": self.sandbox.token,
            "PROPSYNC_HOME": str(self.home),
            "PROPSYNC_PAGE_LIMIT": "20",
        }
        return nightly(load_settings(environ=environ), **{"policy": QUICK} | options)

    def rows(self, query: str) -> Rows:
        with duckdb.connect(self.home / "published" / "warehouse.duckdb", read_only=True) as connection:
            return connection.execute(query).fetchall()

    def published(self, resource: str) -> dict[Any, Any]:
        """Records by key, as they are published."""
        found = self.rows(f"select payload, {_KEYS[resource]} from {resource}")
        return {key[0] if len(key) == 1 else key: _decoded(payload) for payload, *key in _tupled(found)}

    def note(self) -> dict[str, Any]:
        """What `_published.json` says."""
        told: dict[str, Any] = json.loads((self.home / "published" / "_published.json").read_text())
        return told

    def change_a_little(self) -> None:
        """One edit and one addition of each resource, and a new label."""
        world = self.sandbox.world
        for resource in _KEYS:
            shelf = world.shelf(resource)
            shelf.scribble(shelf.keys()[0])  # type: ignore[attr-defined]
        world.assets.add()
        world.assessments.add(performed=("For", "By"))
        world.schedules.add()


def _tupled(found: Rows) -> Iterator[tuple[Any, ...]]:
    for payload, *key in found:
        yield (payload, *(key if len(key) == 1 else [tuple(key)]))


def _decoded(payload: str) -> Any:
    return json.loads(payload, parse_float=Decimal)


def is_truth(night: Night, resource: str) -> bool:
    """Whether exactly the records of the world are published."""
    return night.published(resource) == night.sandbox.world.truth(resource)


@pytest.fixture(scope="module")
def yesterday(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home after a quiet first run; to be copied, not used."""
    home = tmp_path_factory.mktemp("yesterday") / "home"
    with Sandbox(scale=SCALE) as sandbox:
        assert Night(sandbox, home).sync().exit_code == 0
    return home


NightWith = Callable[..., Night]


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Night]:
    """A sandbox and a home where nothing was ever synced."""
    with Sandbox(scale=SCALE) as sandbox:
        yield Night(sandbox, tmp_path / "home")


@pytest.fixture
def night(yesterday: Path, tmp_path: Path) -> Iterator[Night]:
    """The world of yesterday, a little changed, and a copy of yesterday's home."""
    home = tmp_path / "home"
    shutil.copytree(yesterday, home)
    with Sandbox(scale=SCALE) as sandbox:
        made = Night(sandbox, home)
        made.change_a_little()
        yield made
