"""Death at a chosen moment: before a file is put in place or removed, or a line is added; nothing is done after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from propsync.storage import LineFile


class Killed(BaseException):
    """The process died here."""


class Moments:
    """Counts moments; `at` is the one at which to die, None for never."""

    def __init__(self, at: int | None) -> None:
        self.names: list[str] = []
        self._at = at
        self._is_dead = False

    def around(self, act: Callable[..., Any]) -> Callable[..., Any]:
        def acting(path: Path, *given: Any, **more: Any) -> Any:
            if path.exists():  # where nothing happens, nothing can be cut off
                self._pass(f"{act.__name__} {path.name}")
            return act(path, *given, **more)

        return acting

    def around_lines(self, add: Callable[..., Any]) -> Callable[..., Any]:
        def adding(file: LineFile, line: bytes) -> None:
            was_dead = self._is_dead  # another thread may have died meanwhile, and tore its own line
            try:
                self._pass("add a line")
            except Killed:
                if not was_dead:
                    add(file, line[: len(line) // 2])  # a kill may tear it
                raise
            add(file, line)

        return adding

    def _pass(self, name: str) -> None:
        if self._is_dead or len(self.names) == self._at:
            self._is_dead = True
            raise Killed(name)
        self.names.append(name)


@contextmanager
def dying(at: int | None) -> Iterator[Moments]:
    """Dies at a moment while the block runs, which then ends without a word."""
    moments = Moments(at)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("replace", "unlink"):
            patch.setattr(Path, name, moments.around(getattr(Path, name)))
        patch.setattr(LineFile, "add", moments.around_lines(LineFile.add))
        try:
            yield moments
        except Killed:
            assert at is not None
