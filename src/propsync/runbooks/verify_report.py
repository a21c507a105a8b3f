"""What `archive verify` has to say at its end."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from propsync.runs import exit_code

MOST_TOLD = 20
"""Files of each sort that a report names; the others are counted."""
_COUNTS = ("files", "bytes", "rotten", "gaps", "unreadable", "mended", "orphans", "young_orphans", "removed")


@dataclass
class VerifyReport:
    """What came of it. `counts`: files and bytes hashed or looked for, what was found wrong, mended, and orphans.

    `lost` are all files that are not there now, of which `not_mended` names some, as `mended` and `orphans` do; `due`
    are those that were left for another time.
    """

    counts: Counter[str] = field(default_factory=Counter)
    lost: int = 0
    due: int = 0
    mended: list[str] = field(default_factory=list)
    not_mended: list[str] = field(default_factory=list)
    orphans: list[str] = field(default_factory=list)
    ended: str | None = None
    published: str | None = None

    @property
    def orphans_left(self) -> int:
        """Files that no version names, that are still there and that could be removed."""
        return self.counts["orphans"] - self.counts["removed"] - self.counts["young_orphans"]

    @property
    def left_behind(self) -> list[str]:
        """A line for what is lost, and one for orphans; those that are too young to remove ask for nothing."""
        lost = [f"{counted(self.lost, 'file')} of documents {are(self.lost)} lost"] if self.lost else []
        left = self.orphans_left
        return lost + ([f"{counted(left, 'file')} that no version names {are(left)} left"] if left else [])

    @property
    def status(self) -> str:
        """ok, or attention where a file is lost or an orphan is left that could be removed."""
        return "attention" if self.left_behind else "ok"

    @property
    def exit_code(self) -> int:
        """0 all well or mended, 3 something is left."""
        return exit_code(self.status)

    def to_json(self) -> dict[str, Any]:
        """For `--json`."""
        told = {name: self.counts[name] for name in _COUNTS} | {"lost": self.lost, "due": self.due}
        names = {"mended_files": self.mended, "lost_files": self.not_mended, "orphan_files": self.orphans}
        return told | names | {"status": self.status, "ended": self.ended, "published": self.published}


def counted(count: int, name: str) -> str:
    """How many, with the name of one or of several."""
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def are(count: int) -> str:
    """The verb after `counted`."""
    return "is" if count == 1 else "are"
