"""Homes that a test run makes once and its tests copy."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

from kit.shared import Shared


class KeptHomes:
    """Keeps a home for each key, for all workers. A home has no path of its own inside, so that a copy is as good."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    def copied(self, key: object, home: Path, make: Callable[[Path], object]) -> None:
        """Makes `home` the home of `key`; `make` fills it, unless a test did so before.

        `repr(key)` must say all that decides what `make` leaves.
        """

        def keep(folder: Path) -> None:
            make(home)
            shutil.copytree(home, folder / "home")

        kept = self._shared.folder(f"home-{hashlib.sha256(repr(key).encode()).hexdigest()[:32]}", keep)
        if not home.exists():
            shutil.copytree(kept / "home", home)
