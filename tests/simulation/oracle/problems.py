"""What is wrong, in words."""

from __future__ import annotations


class Broken(AssertionError):
    """A promise was broken; the text has a line for each thing that is wrong."""


class Problems:
    """Collects what the oracle finds, and is raised once."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, promise: str, *what: object) -> None:
        """One thing that is wrong: the promise, and which keys or rows break it."""
        self.lines.append(f"{promise}: {' '.join(map(str, what))}"[:600])

    def expect(self, holds: bool, promise: str, *what: object) -> bool:
        """Notes a thing that does not hold; returns whether it does."""
        if not holds:
            self.add(promise, *what)
        return holds

    def settle(self, moment: str) -> None:
        """Raises Broken when anything was found."""
        if self.lines:
            shown = self.lines[:12]
            more = [f"… and {len(self.lines) - 12} more"] if len(self.lines) > 12 else []
            raise Broken("\n".join([moment, *(f"  {line}" for line in (*shown, *more))]))
