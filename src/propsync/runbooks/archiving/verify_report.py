"""The report at the end of `archive verify`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from propsync.runs import exit_code

MOST_TOLD = 20
"""Files of each sort that a report names; it counts the others."""
_COUNTS = ("files", "bytes", "rotten", "gaps", "unreadable", "mended", "orphans", "young_orphans", "removed")


@dataclass
class VerifyReport:
    """The result. `counts` has the files and bytes checked, the faults, the repairs, and the orphans.

    `lost` is the number of lost files; `not_mended` names some of them, as `mended` and `orphans` do for theirs. `due`
    is the number of files left for the next check.
    """

    counts: Counter[str] = field(default_factory=Counter)
    lost: int = 0
    due: int = 0
    mended: list[str] = field(default_factory=list)
    not_mended: list[str] = field(default_factory=list)
    orphans: list[str] = field(default_factory=list)
    ended: str | None = None
    published: str | None = None
    others: list[str] = field(default_factory=list)
    """Lines for what has nothing to do with files: marts that failed."""

    def leave(self, lines: Sequence[str]) -> None:
        """Adds lines about what was left behind."""
        self.others.extend(lines)

    @property
    def orphans_left(self) -> int:
        """Files that no version names, that still exist, and that propsync may remove."""
        return self.counts["orphans"] - self.counts["removed"] - self.counts["young_orphans"]

    @property
    def left_behind(self) -> list[str]:
        """A line for lost files, one for orphans, without those that are too young to remove, and further lines."""
        lost = [f"{counted(self.lost, 'file')} of documents {are(self.lost)} lost"] if self.lost else []
        left = self.orphans_left
        orphans = [f"{counted(left, 'file')} that no version names {are(left)} left"] if left else []
        return lost + orphans + self.others

    @property
    def status(self) -> str:
        """ok, or attention if a file is lost or a removable orphan is left."""
        return "attention" if self.left_behind else "ok"

    @property
    def exit_code(self) -> int:
        """0 all well or mended, 3 something is left."""
        return exit_code(self.status)

    def to_json(self) -> dict[str, Any]:
        """For `--json`."""
        numbers = {name: self.counts[name] for name in _COUNTS} | {"lost": self.lost, "due": self.due}
        names = {"mended_files": self.mended, "lost_files": self.not_mended, "orphan_files": self.orphans}
        return numbers | names | {"status": self.status, "ended": self.ended, "published": self.published}


def counted(count: int, name: str) -> str:
    """How many, with the name of one or of several."""
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def are(count: int) -> str:
    """The verb after `counted`."""
    return "is" if count == 1 else "are"
