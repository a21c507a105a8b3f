"""The report at the end of a run."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from propsync.errors import PropsyncError
from propsync.log import redact
from propsync.runs import Verdict, exit_code


@dataclass(frozen=True)
class Report:
    """A run's outcome: `resources` has the rows of `ops.run_resources`, `left_behind` a line for each shortfall.

    `documents` is the result of the archive run after it (`ArchiveReport.to_json`), None if there was none or it
    stopped. `notes` are lines about possible mistakes of people, although nothing went wrong.
    """

    run_id: str
    status: str
    seconds: float
    resources: Mapping[str, Mapping[str, Any]]
    left_behind: list[str] = field(default_factory=list)
    published: str | None = None
    documents: Mapping[str, Any] | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """0 all well, 1 failed, 3 something was left behind."""
        return exit_code(self.status)

    def to_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "run_id": self.run_id,
            "status": self.status,
            "exit_code": self.exit_code,
            "seconds": round(self.seconds, 3),
            "resources": {name: dict(counts) for name, counts in self.resources.items()},
            "left_behind": self.left_behind,
            "published": self.published,
            "documents": self.documents,
            "notes": self.notes,
        }


def joined(reports: Sequence[Report]) -> Report:
    """Several runs as one: the sums of the counts, the worst status, everything left behind.

    It is no failure if any of them published: a failed run has published nothing.
    """
    worst = max((report.status for report in reports), key=("ok", "attention", "failed").index)
    published = [report.published for report in reports if report.published]
    resources: dict[str, dict[str, Any]] = {}
    for report in reports:
        for name, counts in report.resources.items():
            resources[name] = _added(resources[name], counts) if name in resources else dict(counts)
    return Report(
        reports[-1].run_id,
        "attention" if worst == "failed" and published else worst,
        sum(report.seconds for report in reports),
        resources,
        [*dict.fromkeys(line for report in reports for line in report.left_behind)],
        published[-1] if published else None,
        notes=[line for report in reports for line in report.notes],
    )


def _added(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    both = {name: one[name] + other[name] for name in one if isinstance(one[name], int)}
    verdicts = [Verdict(counts["verdict"]) for counts in (one, other)]
    return {**other, **both, "verdict": max(verdicts, key=list(Verdict).index).value}


_MOST_REASONS = 3


def left_behind(
    verdicts: Mapping[str, Verdict],
    errors: Mapping[str, str],
    held: Sequence[tuple[str, str, int]],
    run_id: str,
    read: Mapping[str, datetime],
    left_out: Collection[str] = (),
) -> list[str]:
    """A line for each resource that is not as fresh as the run, or that has held records, by reason.

    `read` has the time of the rows of each resource that any run has read. `left_out` are resources whose lists leave
    out many records that look-ups show.
    """
    lines = []
    for resource, verdict in verdicts.items():
        name = resource.replace("_", " ")
        if verdict is Verdict.FAILED:
            state = (
                f"keep the rows of {read[resource]:%Y-%m-%d %H:%M} UTC" if resource in read else "were never read yet"
            )
            lines.append(f"{name} {state}: {errors.get(resource, 'they could not be read')}")
        elif resource in left_out:
            lines.append(
                f"{name} were not read completely: the lists leave out many that look-ups or earlier lists show, and "
                "maybe new ones. Run `propsync sync` again. If the API is right, set a higher PROPSYNC_DELETE_LIMIT "
                "for that one run"
            )
        elif not verdict.is_complete:
            lines.append(
                f"{name} were not read completely: the list changed meanwhile, or its total or a filter is wrong. "
                "propsync published the records that it read. Run `propsync sync` again"
            )
        lines += _held(name, [(reason, count) for of, reason, count in held if of == resource])
    accept = f"propsync sync --accept-deletes {run_id}, or nightly with accept_deletes={run_id} under Prefect"
    return [*lines, *([f"ops.held_deletes lists them; to accept these deletes: {accept}"] if held else [])]


def not_understood(unread: Sequence[tuple[str, str, str]]) -> list[str]:
    """A line for each (resource, part, evidence) in records that propsync could make no table of."""
    return [
        f"{resource.replace('_', ' ')}: {part.replace('_', ' ')} could not be read: {evidence}. Run `propsync doctor`"
        for resource, part, evidence in unread
    ]


def _held(name: str, reasons: Sequence[tuple[str, int]]) -> list[str]:
    if not reasons:
        return []
    count = sum(count for _, count in reasons)
    shown = [reason for reason, _ in reasons[:_MOST_REASONS]]
    more = ["…"] if len(reasons) > _MOST_REASONS else []
    why = "; ".join([*shown, *more])
    return [f"the API no longer lists {count:,} of the {name}; propsync holds their deletes ({why})"]


def in_one_line(error: BaseException) -> str:
    """The cause of a run's end, for published tables, and for notices that leave the machine."""
    if isinstance(error, PropsyncError):
        words = str(error)
    elif isinstance(error, Exception):
        words = f"{type(error).__name__}: {error}"
    else:
        words = "it was interrupted; the next run resumes from there"
    return redact(" ".join(words.split()))
