"""The things that a soak has exercised: a simulation that never does a thing proves nothing about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from .oracle.published import Published
from .outcome import Outcome
from .watch import Window

Coverage = Counter[str]


def of_run(outcome: Outcome, window: Window, kill: object) -> Coverage:
    """How a run ended and what it met."""
    found: Coverage = Counter()
    found["run"] += 1
    found["request"] += len(window.entries)
    ended = "killed" if outcome.killed else f"exit {outcome.exit_code}"
    found[f"run {ended}"] += 1
    if kill is not None and outcome.killed:
        found[f"kill at {getattr(kill, 'event', '')}"] += 1
    found["held"] += outcome.held
    for entry in window.entries:
        if entry.fault:
            found[f"fault {entry.fault}"] += 1
        if entry.path.endswith(("report.pdf", "bundle.zip")):
            found[f"document answered {entry.status}"] += 1
            found[f"document with fault {entry.fault}"] += entry.fault is not None
        elif "assessments/schedules/" in entry.path:
            found["look-up of one schedule"] += 1
        elif "assessment=" in entry.query or "&id=" in entry.query or entry.query.startswith("id="):
            found["look-up by ids"] += 1
    return found


def of_end(found: Published) -> Coverage:
    """The facts that the tables hold about all runs of a seed."""
    counted: Coverage = Counter()
    for rung, verdict, count in found.rows("select rung, verdict, count(*) from ops.sweeps group by all"):
        counted[f"rung {rung} {verdict}"] += count
    for verdict, count in found.rows("select verdict, count(*) from ops.run_resources group by all"):
        counted[f"resource {verdict}"] += count
    for status, count in found.rows("select status, count(*) from ops.runs group by all"):
        counted[f"run told as {status}"] += count
    for flow, count in found.rows("select flow, count(*) from ops.runs group by all"):
        counted[f"flow {flow}"] += count
    for kind, state, count in found.rows("select kind, state, count(*) from main.documents group by all"):
        counted[f"{kind} {state}"] += count
    counted["document changed"] += found.rows("select count(*) from main.documents where version > 1")[0][0]
    counted["document repeated"] += found.rows("select count(same_text_as) from main.documents")[0][0]
    for reason, count in found.rows("select reason, count(*) from marts.document_coverage group by all"):
        counted[f"document {reason}"] += count
    for resource in found.resources:
        for change, count in found.rows(f"select change, count(*) from history.{resource} group by all"):
            counted[f"{resource} {change}"] += count
    return counted


def in_lines(coverage: Coverage) -> Iterable[str]:
    """For people, sorted."""
    return (f"  {name:36} {count:>10,}" for name, count in sorted(coverage.items()))
