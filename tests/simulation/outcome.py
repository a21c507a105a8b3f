"""How one run ended, as whoever started it knows it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Outcome:
    """`exit_code` is None for a run that was killed or that ended with an `error` which no report tells."""

    exit_code: int | None
    run_id: str | None = None
    held: int = 0
    left_behind: list[str] = field(default_factory=list)
    killed: bool = False
    error: str | None = None


def held_of(report: Any) -> int:
    """How many deletes a run holds."""
    return sum(int(counts.get("held") or 0) for counts in report.resources.values())
