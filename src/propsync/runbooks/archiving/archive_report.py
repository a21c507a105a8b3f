"""What an archive run fetched and left behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from propsync.runs import exit_code


@dataclass
class ArchiveReport:
    """The result. `counts`: stored (new bytes), same, missing, failed, removed, bytes; `lacking`: wanted and missing.

    Removed are documents of assessments that were deleted long ago. `lacking` is None if the run did not come to count.
    """

    counts: Counter[str] = field(default_factory=Counter)
    lacking: int | None = None
    ended: str | None = None
    left_behind: list[str] = field(default_factory=list)
    published: str | None = None

    def leave(self, lines: Sequence[str]) -> None:
        """Adds lines about what was left behind."""
        self.left_behind.extend(lines)

    @property
    def status(self) -> str:
        """ok, or attention if a document failed or propsync could not request it."""
        return "attention" if self.left_behind else "ok"

    @property
    def exit_code(self) -> int:
        """0 all well, 3 something was left behind."""
        return exit_code(self.status)

    def to_json(self) -> dict[str, Any]:
        """For `--json`."""
        names = ("stored", "same", "missing", "failed", "removed", "bytes")
        numbers = {name: self.counts[name] for name in names} | {"lacking": self.lacking, "ended": self.ended}
        return numbers | {"status": self.status, "left_behind": self.left_behind, "published": self.published}
