"""A sandbox that goes wrong on purpose, and a home that was synced from it yesterday, when all was well."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from kit.home import KEYS
from kit.kept import KeptHomes
from kit.sandbox_home import SandboxHome

from propsync.api import RetryPolicy
from propsync_sandbox import Sandbox

SCALE = 120


class Night(SandboxHome):
    """A sandbox and a home; pages have 20 records, and the fourth attempt is the last."""

    def __init__(self, sandbox: Sandbox, path: Path) -> None:
        super().__init__(sandbox, path, page_limit=20)
        self.policy = RetryPolicy(attempts=4, budget=5, base=0.001)

    def change_a_little(self) -> None:
        """One edit and one addition of each resource, and a new label."""
        world = self.sandbox.world
        for resource in KEYS:
            shelf = world.shelf(resource)
            shelf.scribble(shelf.keys()[0])  # type: ignore[attr-defined]
        world.assets.add()
        world.assessments.add(performed=("For", "By"))
        world.schedules.add()


def as_yesterday(kept: KeptHomes, home: Path) -> None:
    """Makes `home` a home after a quiet first run."""

    def make(path: Path) -> None:
        with Sandbox(scale=SCALE) as sandbox:
            assert Night(sandbox, path).sync().exit_code == 0

    kept.copied(("yesterday", SCALE), home, make)


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Night]:
    """A sandbox and a home where nothing was ever synced."""
    with Sandbox(scale=SCALE) as sandbox:
        yield Night(sandbox, tmp_path / "home")


@pytest.fixture
def night(kept: KeptHomes, tmp_path: Path) -> Iterator[Night]:
    """The world of yesterday, a little changed, and a copy of yesterday's home."""
    home = tmp_path / "home"
    as_yesterday(kept, home)
    with Sandbox(scale=SCALE) as sandbox:
        made = Night(sandbox, home)
        made.change_a_little()
        yield made
