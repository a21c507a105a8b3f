"""The base of all errors: where, what, what to do next, and an exit code; and Busy."""

from __future__ import annotations

from typing import ClassVar


class PropsyncError(Exception):
    """Where it happened, what happened, and what to do next; `str()` is one line of the three.

    If `next_step` is missing, the class's own advice takes its place.
    """

    exit_code: ClassVar[int] = 1
    advice: ClassVar[str] = "Run `propsync doctor`"
    says_not_found: bool = False

    def __init__(self, where: str, what: str, next_step: str | None = None) -> None:
        self.where = " ".join(where.split())  # it may be a folder such as ".."
        self.what = _one_line(what)
        self.next_step = _one_line(next_step or self.advice)
        super().__init__(self.where, self.what, self.next_step)

    def __str__(self) -> str:
        stop = "" if self.what.endswith(("?", "!")) else "."
        return f"{self.where}: {self.what}{stop} {self.next_step}"


def _one_line(text: str) -> str:
    return " ".join(text.split()).rstrip(".")


class Busy(PropsyncError):
    """Another run holds the lock; propsync did nothing."""

    exit_code = 4
    advice = "Wait for the other run to end (`propsync status` names it), then run again"
