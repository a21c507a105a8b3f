"""A run's report on standard output."""

from __future__ import annotations

import json

from propsync.cli.terminal.tables import echo, fits, print_table, say
from propsync.runbooks import Report


def print_report(report: Report, *, as_json: bool) -> None:
    """Prints the counts of a run as a table, then the remaining problems and the next command; or one JSON object.

    If a run published nothing, a line on standard error says why, as after an error.
    """
    if as_json:
        echo(json.dumps(report.to_json(), default=str))
    else:
        _print(report)
    if not report.published:
        say(f"nothing was published: {report.left_behind[0] if report.left_behind else report.status}")


def _print(report: Report) -> None:
    print_counts(report)
    for line in report.notes:
        echo(line)
    for line in report.left_behind:
        echo(f"Left behind: {line}")
    if report.documents:
        archived = report.documents
        echo(
            f"Documents: {archived['stored']:,} stored, {archived['failed']:,} failed, {archived['lacking']:,} lacking"
        )
        print_removed(archived["removed"])
    if report.published:
        step = "propsync status" if report.left_behind else "propsync query --tables"
        echo(f"Published to {report.published} in {report.seconds:.1f} s. Next: {step}")
    else:
        echo("Nothing was published; any tables published before stay as they were. Next: propsync doctor")


def print_removed(count: int) -> None:
    """A line about documents that went by the years of the setting, if any did."""
    if count:
        documents = "1 document" if count == 1 else f"{count:,} documents"
        echo(f"Removed {documents} of assessments that were deleted long ago (PROPSYNC_ARCHIVE_KEEP_YEARS)")


def print_counts(report: Report) -> None:
    """A row for each resource of the run. On a narrow terminal, columns in which all is 0 share a line below."""
    columns = ["resource", "read", "seen", "new", "changed", "same", "gone", "held", "rejected"]
    rows = [
        (
            name.replace("_", " "),
            _in_words(counts["verdict"]),
            *(counts[one] for one in ("fetched", "inserted", "updated", "unchanged", "deleted", "held", "rejected")),
        )
        for name, counts in report.resources.items()
    ]
    if not rows or fits(columns, rows):
        print_table(columns, rows)
        return
    kept = [place for place in range(len(columns)) if any(row[place] for row in rows)]
    print_table([columns[place] for place in kept], [[row[place] for place in kept] for row in rows])
    if empty := [name for place, name in enumerate(columns) if place not in kept]:
        echo(f"All 0: {', '.join(empty)}")


def _in_words(verdict: str) -> str:
    words = {
        "certified": "completely",
        "agreed": "completely, total is off",
        "incomplete": "in part",
        "failed": "failed",
    }
    return words.get(verdict, verdict)
