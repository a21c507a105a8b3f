"""The repeated parts of a record: members of an array, or of an object that is keyed by their ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from propsync.records import Path, follow, text_of

NAME: Path = ()
"""In place of a path: the name of the member itself, as in `{"<field id>": …}`."""


@dataclass(frozen=True)
class Entry:
    """One such part; `name` is None in an array."""

    name: str | None
    value: Any

    def text(self, path: Path) -> str | None:
        """The identifier at `path`, NAME included, or None."""
        return self.name if path == NAME else text_of(follow(self.value, path))

    def held(self, path: Path) -> Any:
        """Anything at `path`, NAME included, or None."""
        return self.name if path == NAME else follow(self.value, path)

    def first_text(self, paths: Sequence[Path]) -> str | None:
        """The first identifier that one of `paths` leads to; the name if none does."""
        for path in paths:
            if text := self.text(path):
                return text
        return self.name


def entries(record: Any, path: Path) -> list[Entry]:
    """The members of the array or object at `path`, or none."""
    held = follow(record, path)
    if isinstance(held, dict):
        return [Entry(name, value) for name, value in held.items()]
    return [Entry(None, value) for value in held] if isinstance(held, list) else []


def values(found: Sequence[Entry]) -> list[Any]:
    """The values under the names."""
    return [entry.value for entry in found]


def names(found: Sequence[Entry]) -> list[str]:
    """The names of the entries that have one."""
    return [entry.name for entry in found if entry.name is not None]
