"""What `propsync erase` prints."""

from __future__ import annotations

import json

from propsync.cli.terminal.tables import echo, print_table
from propsync.erasing.request import Request
from propsync.runbooks import Erased, erase, find, forget
from propsync.settings import Settings


def run_find(settings: Settings, request: Request, *, as_json: bool) -> int:
    """Shows where it is; returns the exit code."""
    found = find(settings, request)
    if as_json:
        echo(json.dumps(found.to_json()))
        return found.exit_code
    if not found.found:
        echo("Nothing in this home has it. Check the id or the text with `propsync query`")
        return found.exit_code
    _print_places(found)
    for line in found.notes:
        echo(line)
    echo("Nothing is erased. To erase it, run the same command with --reason and without --dry-run")
    return found.exit_code


def run_erase(settings: Settings, request: Request | None, *, as_json: bool) -> int:
    """Erases, and prints what went; returns the exit code."""
    erased = erase(settings, request)
    if as_json:
        echo(json.dumps(erased.to_json(), default=str))
        return erased.exit_code
    _print_places(erased)
    for line in erased.notes:
        echo(line)
    for line in erased.left_behind:
        echo(f"Left behind: {line}")
    if erased.run:
        echo(f"Erased as {erased.erasure_id} and published in {erased.run.seconds:.1f} s")
    echo("Next: propsync erase --verify, with the same option")
    return erased.exit_code


def run_forget(settings: Settings, erasure_id: str, *, as_json: bool) -> int:
    """Lets it come back; returns the exit code."""
    erasure = forget(settings, erasure_id)
    if as_json:
        echo(json.dumps({"erasure_id": erasure.erasure_id, "state": erasure.state}))
    else:
        echo(
            f"Erasure {erasure.erasure_id} is forgotten: if the API still shows the thing, the next run brings it back"
        )
        echo("Next: propsync sync")
    return 0


def _print_places(found: Erased) -> None:
    print_table(["place", "found"], [(name, count) for name, count in found.found.items() if count])
