"""Keeps the places that an earlier night found: the versions in the history have their values there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from propsync.records import Path, follow
from propsync.shapes.choice import UNREAD, Choice
from propsync.shapes.entries import NAME
from propsync.shapes.members import contradicts

_FOUND = ("found", "likely", "documented")


def with_earlier(
    before: Choice | None,
    choice: Choice | None,
    records: Sequence[Any],
    held: Callable[[Any, Path], Any] = follow,
) -> Choice | None:
    """Tonight's choice with the places of the earlier one, which come last.

    Without them, a part that moves in all records at once would be lost from every earlier version. A sample may miss a
    rare form too. A place that mostly contradicts tonight's is dropped. Models always try a name in an object last.
    """
    if before is None or choice is None or before.source not in (*_FOUND, UNREAD) or choice.source not in _FOUND:
        return choice
    earlier = [path for path in before.paths if path not in choice.paths and path != NAME]
    kept = [path for path in earlier if not contradicts(records, path, choice.paths, held)]
    if {*choice.paths, *kept} == {*before.paths}:
        return replace(choice, paths=before.paths)
    return replace(choice, paths=(*choice.paths, *kept))
