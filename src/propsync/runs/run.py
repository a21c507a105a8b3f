"""A run's identity and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum


class Verdict(StrEnum):
    """How one resource ended in a run."""

    CERTIFIED = "certified"
    AGREED = "agreed"
    INCOMPLETE = "incomplete"
    FAILED = "failed"

    @property
    def is_complete(self) -> bool:
        """Whether the resource was read completely, so that what it does not list is missing."""
        return self in (Verdict.CERTIFIED, Verdict.AGREED)

    @property
    def words(self) -> str:
        """How propsync read a list, in words that can follow "read"."""
        total = ", though the API's total is wrong" if self is Verdict.AGREED else ""
        return f"completely{total}" if self.is_complete else "in part"


_RUN_ID = "%Y%m%dT%H%M%S%fZ"


@dataclass(frozen=True)
class Run:
    """One run. `time` is the moment it got the lock and the `valid_from` of all that it changes; ids sort by it."""

    run_id: str
    time: datetime
    flow: str

    @property
    def is_in_between(self) -> bool:
        """Whether it comes by itself between two syncs, and reads no whole list."""
        return self.flow in ("archive", "hints")


def next_run(flow: str, last: datetime | None, now: datetime | None = None) -> Run:
    """A run that begins now, and later than any before it even if somebody set the clock back."""
    time = now or datetime.now(UTC)
    if last is not None and time <= last:
        time = last.astimezone(UTC) + timedelta(microseconds=1)  # DuckDB gives times in the computer's own zone
    return Run(time.strftime(_RUN_ID), time, flow)


def time_of(run_id: str) -> datetime:
    """The time in a run id."""
    return datetime.strptime(run_id, _RUN_ID).replace(tzinfo=UTC)


def is_run_id(words: str) -> bool:
    """Whether a text could be the id of a run."""
    try:
        return time_of(words).strftime(_RUN_ID) == words
    except ValueError:
        return False


def run_status(verdicts: Mapping[str, Verdict], held: int = 0) -> str:
    """`ok`, `attention` if something was left behind, `failed` if propsync could read nothing (`ops.runs.status`).

    `held` counts records that it held or could not understand.
    """
    if verdicts and all(verdict is Verdict.FAILED for verdict in verdicts.values()):
        return "failed"
    return "ok" if not held and all(verdict.is_complete for verdict in verdicts.values()) else "attention"


def exit_code(status: str) -> int:
    """The exit code for it: 0 all well, 1 failed, 3 something left behind."""
    return {"ok": 0, "attention": 3}.get(status, 1)
