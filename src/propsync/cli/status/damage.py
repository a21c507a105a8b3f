"""`propsync status`: the damage in landing, by snapshot."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from propsync.cli.terminal.tables import echo
from propsync.landing import Inspection, Manifests
from propsync.runs import is_run_id, time_of
from propsync.settings import Settings
from propsync.storage import LocalStorage, may_list
from propsync.warehouse import PublishedReader, statement

_MOST_HASHED = 300_000_000  # bytes, a second or so: monitoring asks for the status every few minutes
_MOST_NAMED = 5


def find_damage(reader: PublishedReader, settings: Settings) -> dict[str, Any] | None:
    """For `--json`: damaged files with their run and resource, and how many of the bodies propsync hashed.

    `newer` are the runs that landed after those in the tables. None if the caller may not read landing.
    """
    if settings.landing.exists() and not may_list(settings.landing):
        return None
    inspection = Inspection(LocalStorage(settings.home), _MOST_HASHED)
    damaged = [asdict(one) for one in inspection.damage(reader.rows(statement("runs/expected_snapshots"))[1])]
    ((newest,),) = reader.rows(statement("cli/status/newest_run"))[1]
    landed = Manifests(LocalStorage(settings.home)).all_runs()
    newer = [run_id for run_id in landed if is_run_id(run_id) and run_id > newest]
    return {"damaged": damaged, "bodies": inspection.bodies, "hashed": inspection.hashed, "newer": newer}


def print_newer(found: dict[str, Any] | None) -> None:
    """Prints a line if runs landed that the tables do not show: somebody restored older ones, or a run was killed."""
    if newer := found["newer"] if found else []:
        runs = "1 run" if len(newer) == 1 else f"{len(newer):,} runs"
        last = f"{time_of(newer[-1]):%Y-%m-%d %H:%M} UTC"
        echo(f"Landed and not in these tables: {runs}, the last of {last}. The next sync takes them in")


def print_damage(found: dict[str, Any] | None, unreadable: Iterable[str]) -> None:
    """Prints a line for each damaged snapshot, the newest first, and for each unreadable folder."""
    snapshots: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for one in found["damaged"] if found else ():
        snapshots.setdefault((one["run_id"], one["resource"]), []).append(one)
    for (run_id, resource), files in list(snapshots.items())[:_MOST_NAMED]:
        more = f", and {len(files) - 1:,} more files" if len(files) > 1 else ""
        name = resource.replace("_", " ")
        echo(f"{_what(files[0])}: {name} of run {run_id}: {files[0]['file']}: {files[0]['what']}{more}")
    if len(snapshots) > _MOST_NAMED:
        worst = min((one for files in list(snapshots.values())[_MOST_NAMED:] for one in files), key=_is_denied)
        echo(f"{_what(worst)}: {len(snapshots) - _MOST_NAMED:,} more snapshots (propsync status --json names all)")
    for line in dict.fromkeys(unreadable):
        echo(f"Not readable: {line}")


def _what(one: dict[str, Any]) -> str:
    return "Not readable in landing" if _is_denied(one) else "Damaged in landing"


def _is_denied(one: dict[str, Any]) -> bool:
    return bool(one["is_denied"])
