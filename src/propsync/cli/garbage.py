"""Sets how often Python collects garbage: this process is the command's own, so its settings are too."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_WHILE_IMPORTING = (
    300_000  # allocations between collections: imports leave no garbage, and 700 made them a fifth slower
)
_WHILE_RUNNING = 50_000  # decoded records become many small objects, none of them in a cycle


def look_seldom() -> None:
    """For commands, which import much and end soon."""
    gc.set_threshold(_WHILE_IMPORTING)


@contextmanager
def imports_left_alone() -> Iterator[None]:
    """Freezes objects from imports: collecting garbage among them again and again took a twentieth of a first load."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_WHILE_RUNNING)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
