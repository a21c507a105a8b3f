"""Folders that the system cannot list, also for root, whom no right keeps out."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def unlisted(monkeypatch: pytest.MonkeyPatch, folder: Path, number: int) -> None:
    """From now on the system answers with this error whenever Python lists `folder`."""
    real: Callable[[Any], Any] = os.scandir

    def scandir(path: Any = ".") -> Any:
        if Path(os.fsdecode(path)) == folder:
            raise OSError(number, os.strerror(number), os.fspath(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
