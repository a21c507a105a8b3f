"""`propsync rebuild`: prints what it rebuilt, and what it lost."""

from __future__ import annotations

import json
from collections.abc import Collection

from propsync.cli.terminal.tables import echo, print_table
from propsync.runbooks import rebuild
from propsync.settings import Settings


def run_rebuild(settings: Settings, accept_loss: Collection[str], *, as_json: bool) -> int:
    """Rebuilds, and prints records and versions of each resource; returns the exit code."""
    report = rebuild(settings, accept_loss=accept_loss)
    if as_json:
        echo(json.dumps(report.to_json(), default=str))
        return report.exit_code
    rows = [
        (name.replace("_", " "), counts["records"], counts["versions"]) for name, counts in report.resources.items()
    ]
    print_table(["resource", "records", "versions"], rows)
    for line in report.notes:
        echo(line)
    for line in report.left_behind:
        echo(f"Left behind: {line}")
    echo(f"Rebuilt and published to {report.published} in {report.seconds:.1f} s. Next: propsync status")
    return report.exit_code
