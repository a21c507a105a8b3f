"""Finds the history inside an assessment's flags (API §2.4: "flags and their history", shape not shown)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from propsync.records import Path
from propsync.shapes.choice import Choice, Shape
from propsync.shapes.entries import entries
from propsync.shapes.members import rank, refuse_astray

_HISTORY = ("history", "histories", "changes", "log", "events", "states", "audit", "timeline", "entries")
FLAGS: Path = ("flags",)


def find_flag_history(shape: Shape, assessments: Sequence[Any], *, is_whole: bool = True) -> None:
    """Settles flag_history: the array of objects inside a flag, under the names that flags have for it.

    Raises ShapeUnknown if people configured a name that no flag has. Without `is_whole` the assessments are only a
    part, in which it may lack.
    """
    found = [entry.value for assessment in assessments for entry in entries(assessment, FLAGS)]
    objects = [flag for flag in found if isinstance(flag, dict)]
    before = shape.choices.get("flag_history")
    if before is not None and before.source == "configured":
        refuse_astray(shape.resource, "flag_history", before, objects if is_whole else ())
        return
    flags = [names for flag in objects if (names := _histories(flag))]
    paths: list[Path] = []
    left = flags
    while best := _best(left, is_first=not paths):
        paths.append(best)
        left = [names for names in left if best not in names]
    if paths:
        read = len(flags) - len(left)
        shape.settle("flag_history", Choice(tuple(paths), "found", f"an array of objects in {read} flags"))


def _best(flags: Sequence[set[Path]], *, is_first: bool) -> Path | None:
    """The likeliest name; only a name that means a history may be a second one."""
    counts = Counter(path for names in flags for path in names)
    likely = [path for path in counts if is_first or _rank(path) < len(_HISTORY)]
    return min(likely, key=lambda path: (_rank(path), -counts[path], path), default=None)


def _rank(path: Path) -> int:
    """Ranks an array by the name of the flag's member that is it, or holds it."""
    return rank(path[:1], _HISTORY) + len(path) - 1


def _histories(flag: dict[str, Any]) -> set[Path]:
    own = {(name,) for name, value in flag.items() if _is_history(value)}
    objects = [(name, held) for name, held in flag.items() if isinstance(held, dict) and _rank((name,)) < len(_HISTORY)]
    return own | {(name, inner) for name, held in objects for inner, value in held.items() if _is_history(value)}


def _is_history(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(member, dict) for member in value)
