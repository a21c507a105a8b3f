"""The findings of a search: places with a trace, and places that it could not read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

FOUND, NOT_SHOWN, CLEAN = "found", "not shown", "clean"


@dataclass(frozen=True, order=True)
class Place:
    """A file, as a path below home or an address in the bucket, and the place in it; `why` if it was not read."""

    file: str
    place: str
    why: str = ""

    def __str__(self) -> str:
        return ": ".join(part for part in (self.file, self.place, self.why) if part)


@dataclass
class Findings:
    """`traces` have it. `unread` could not be read, or not whole. `raw_only` were searched as raw bytes alone."""

    traces: list[Place] = field(default_factory=list)
    unread: list[Place] = field(default_factory=list)
    raw_only: list[Place] = field(default_factory=list)
    files: int = 0
    size_bytes: int = 0

    @property
    def verdict(self) -> str:
        """found, not shown (something could not be read) or clean."""
        if self.traces:
            return FOUND
        return NOT_SHOWN if self.unread else CLEAN

    def add(self, other: Findings) -> None:
        """Takes in what another search found."""
        self.traces += other.traces
        self.unread += other.unread
        self.raw_only += other.raw_only
        self.files += other.files
        self.size_bytes += other.size_bytes

    def to_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "verdict": self.verdict,
            "files": self.files,
            "bytes": self.size_bytes,
            "traces": [{"file": one.file, "place": one.place} for one in self.traces],
            "unread": [{"file": one.file, "place": one.place, "why": one.why} for one in self.unread],
            "raw_only": [{"file": one.file, "why": one.why} for one in self.raw_only],
        }
