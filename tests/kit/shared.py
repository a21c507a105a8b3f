"""Folders that all workers of a test run share: the first worker that asks makes one, and the others wait for it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

_MADE = ".made"


class Shared:
    """Shared folders below `root`, each made once in a test run."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def folder(self, name: str, make: Callable[[Path], object]) -> Path:
        """The folder `name`; `make` fills it, unless a worker did so before."""
        folder = self.root / name
        with FileLock(f"{folder}.lock"):
            if not (folder / _MADE).exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir(parents=True)
                make(folder)
                (folder / _MADE).touch()
        return folder


def shared_by_workers(factory: pytest.TempPathFactory) -> Shared:
    """The shared folders of this test run; with pytest-xdist each worker has a folder of its own beside them."""
    own = factory.getbasetemp()
    return Shared((own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "shared")
