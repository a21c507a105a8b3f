"""`propsync doctor`."""

from __future__ import annotations

from propsync.cli.terminal.tables import echo
from propsync.runbooks.doctor.examine import examine
from propsync.settings import Settings


def print_doctor(settings: Settings) -> int:
    """Prints each finding at once; returns 1 if it finds a fault, else 0."""
    troubles = 0
    for finding in examine(settings):
        echo(f"{'ok ' if finding.is_well else 'BAD'}  {finding.what}: {finding.seen}")
        if not finding.is_well:
            troubles += 1
            echo(f"     → {finding.next_step}")
    if troubles:
        echo(f"\n{troubles} thing{'s' if troubles > 1 else ''} to fix, then run propsync doctor again")
        return 1
    echo("\nAll well. If a shape is wrong, set it under [shapes] in propsync.toml. Next: propsync sync")
    return 0
