"""A plan on standard output: counts first, then changes, then refused rows, then the next command."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from propsync.cli.terminal.tables import echo, fits, hanging, print_table
from propsync.push.plan import CREATE, Plan
from propsync.push.review.changes import COLUMNS, MOST_CHANGES, change_rows, counted, long_values, refusal_line
from propsync.push.review.names import Names
from propsync.push.review.summary import plan_to_json
from propsync.resources import ASSETS


def print_plan(
    plan: Plan, names: Names, path: Path, *, as_json: bool, most: int | None = MOST_CHANGES, with_next: bool = True
) -> None:
    """Prints the plan with at most that many changes and the next command, or one JSON object."""
    if as_json:
        echo(plan_to_json(plan, names, path).decode())
        return
    _print_counts(plan, path)
    _print_changes(plan, names, path, most)
    _print_refusals(plan, path, most)
    for line in plan.notes:
        echo(f"Note: {line}")
    reasons = plan.why_large() if plan.entries else []
    for line in reasons:
        echo(f"Large: {line}")
    if with_next:
        echo(_next(plan, path, is_large=bool(reasons)))


def _print_counts(plan: Plan, path: Path) -> None:
    records, fields = plan.counts(), plan.fields()
    echo(f"Plan {plan.plan_id} of {plan.file}: {path}")
    echo(
        f"{plan.resource.capitalize()}: {records['create']:,} to create, {records['update']:,} to update, "
        f"{records['delete']:,} to delete; {counted(fields['set'], 'value')} to set, {fields['clear']:,} to clear; "
        f"{counted(len(plan.refused), 'refusal')}"
    )
    if plan.resource == ASSETS.name and records[CREATE]:
        echo(
            f"New: {counted(records[CREATE], 'asset')}, because asset_id is empty there. The API cannot delete an asset"
        )


def _print_changes(plan: Plan, names: Names, path: Path, most: int | None) -> None:
    changes = list(change_rows(plan, names))
    if not changes:
        return
    echo()
    if fits(COLUMNS, changes[:most]):
        print_table(COLUMNS, changes[:most])
    else:
        _print_narrow(changes[:most])
    if most is not None and len(changes) > most:
        echo(_rest(most, len(changes), "changes", path))
    if most is None:
        _print_long_values(plan)
    echo()


def _print_narrow(changes: Sequence[tuple[Any, ...]]) -> None:
    """For a terminal that is too narrow for the table: a block for each record, its old values above the new ones."""
    room = shutil.get_terminal_size().columns
    for (row, action, record, name), some in groupby(changes, key=itemgetter(0, 1, 2, 3)):
        place = f"row {row}, " if row != "" else ""
        lines = [*hanging("", f"{place}{action} {record}", 2, room), *(hanging("  ", name, 2, room) if name else [])]
        for *_, label, old, new in some:
            lines += hanging("  ", label, 2, room) if label else []
            for which, value in (("old", old), ("new", new)):
                lines += hanging(f"    {which}  ", value, 9, room) if value else []
        for line in lines:
            echo(line)


def _print_long_values(plan: Plan) -> None:
    """Below the table, which would be as wide as the longest."""
    lines = list(long_values(plan))
    if lines:
        echo()
        echo("Long values, whole:")
    for line in lines:
        echo(line)


def _print_refusals(plan: Plan, path: Path, most: int | None) -> None:
    for one in plan.refused[:most]:
        echo(f"Refused: {refusal_line(one)}")
    if most is not None and len(plan.refused) > most:
        echo(_rest(most, len(plan.refused), "refusals", path))


def _rest(most: int, count: int, what: str, path: Path) -> str:
    return f"The first {most} of {count:,} {what}. For all of them: propsync push show {typed(path)} --all"


def _next(plan: Plan, path: Path, *, is_large: bool) -> str:
    if not plan.entries:
        again = f"Correct the refused rows. Next: propsync push plan {plan.resource} FILE"
        return f"Nothing to send. {again if plan.refused and not plan.undoes else 'Next: propsync status'}"
    consent = f" --allow-large {plan.plan_id}" if is_large else ""
    return f"Nothing is sent yet. Next: propsync push apply {typed(path)}{consent}"


def typed(path: Path) -> str:
    """A path as people type it in a shell."""
    return shlex.quote(str(path))
