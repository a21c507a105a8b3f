"""Finds the history inside an assessment's flags (API §2.4: "flags and their history", shape not shown)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from propsync.records import Path
from propsync.shapes.choice import Choice, Shape
from propsync.shapes.entries import entries
from propsync.shapes.members import rank

_HISTORY = ("history", "histories", "changes", "log", "events", "states", "audit", "timeline", "entries")
FLAGS: Path = ("flags",)


def find_flag_history(shape: Shape, assessments: Sequence[Any]) -> None:
    """Settles flag_history: the array of objects inside a flag."""
    if shape.choices.get("flag_history", Choice((), "absent", "")).source == "configured":
        return
    counts: Counter[Path] = Counter()
    for flag in (entry.value for assessment in assessments for entry in entries(assessment, FLAGS)):
        if isinstance(flag, dict):
            counts.update((name,) for name, value in flag.items() if _is_history(value))
    if not counts:
        return
    best = min(counts, key=lambda path: (rank(path, _HISTORY), -counts[path], path))
    shape.settle("flag_history", Choice((best,), "found", f"an array of objects in {counts[best]} flags"))


def _is_history(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(member, dict) for member in value)
