"""Past plans on standard output."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from zoneinfo import ZoneInfo

from propsync.cli.terminal.tables import echo, print_table
from propsync.push.plan import Plan
from propsync.runbooks.push.undo import Past

_COLUMNS = ("run", "written", "file", "resource", "records", "values verified", "applied", "skipped", "failed", "plan")


def print_history(
    past: Sequence[Past], unfinished: Sequence[Plan], zone: ZoneInfo, *, as_json: bool, hides_any: bool = False
) -> None:
    """Prints a row for each plan, then those that an apply must finish; or one JSON object."""
    if as_json:
        open_plans = [{"plan_id": one.plan_id, "file": one.file, "resource": one.resource} for one in unfinished]
        echo(json.dumps({"plans": [asdict(one) for one in past], "unfinished": open_plans}, default=str))
        return
    print_table(_COLUMNS, [_row(one, zone) for one in past])
    for one in unfinished:
        echo(f"Unfinished: plan {one.plan_id} of {one.file}. Next: propsync push apply with this plan again")
    if past or not unfinished:  # an unfinished plan may have sent a part, and its line says the next command
        nothing = f"propsync has written nothing yet{', or [privacy] hides it' if hides_any else ''}"
        echo("Values are in ops.writes. Next: propsync push undo RUN" if past else nothing)


def _row(one: Past, zone: ZoneInfo) -> tuple[object, ...]:
    written = one.written_at.astimezone(zone).strftime("%Y-%m-%d %H:%M")
    counts = (one.records, one.verified, one.applied, one.skipped, one.failed)
    return (one.run_id, written, one.file, one.resource, *counts, one.plan_id)
