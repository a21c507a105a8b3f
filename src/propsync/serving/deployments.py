"""Creates or updates the work pool, the deployments with their timetables, and the automations."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from propsync.serving.dead_runs import POOL
from propsync.serving.server import Server
from propsync.serving.timetable import settled
from propsync.shipped import shipped
from propsync.storage import LocalStorage, why_unread
from propsync.storage.seals import sealed, unsealed

Command = Callable[..., None]
_TYPE = "process"
_KEPT = "timetables.json"  # those that people may have changed, while `prefect deploy` replaces them
_logger = logging.getLogger("propsync.serving")
_SCHEDULER_SECONDS = 60  # on a busy machine its first look comes late


def make_pool(server: Server) -> None:
    """Makes the work pool, or restores its template: nobody can override the command or the environment of a run.

    `prefect work-pool create` would make the server call the internet.
    """
    template = json.loads((shipped("flows") / "job-template.json").read_text(encoding="utf-8"))
    if server.get(f"/work_pools/{POOL}") is None:
        server.post("/work_pools/", {"name": POOL, "type": _TYPE, "base_job_template": template})
    else:
        server.patch(f"/work_pools/{POOL}", {"base_job_template": template})


def deploy(server: Server, prefect: Command, time_zone: str, folder: Path) -> None:
    """Deploys everything in prefect.yaml; a timetable that people changed or paused remains as it is.

    In a time zone whose clocks skip or repeat the shipped time, the timetable uses the quiet hour. A file in `folder`
    keeps the timetables until they are back: a start that is killed meanwhile loses none.
    """
    notes = LocalStorage(folder)
    before = _before(server, notes)
    prefect("--no-prompt", "deploy", "--all", cwd=shipped("prefect.yaml").parent)
    for deployed in _deployments(server):
        shipped_one = _timetable(deployed)
        wanted = _in_zone(before.get(deployed["id"], shipped_one), shipped_one, time_zone)
        if wanted != shipped_one:
            server.patch(f"/deployments/{deployed['id']}", wanted)
    notes.delete(_KEPT)


def automate(server: Server, prefect: Command) -> None:
    """Makes the automations whose names are missing; existing ones remain as people changed them."""
    path = shipped("flows") / "automations.yaml"
    wanted = _automations(path) if path.exists() else []
    known = {one["name"] for one in server.all_of("/automations/filter", {})}
    if lacking := [one for one in wanted if one["name"] not in known]:
        prefect("automation", "create", "--from-json", json.dumps(lacking))


def next_run(server: Server, name: str) -> datetime | None:
    """The next run of the deployment `name`, once the scheduler has planned it; None if nothing is planned."""
    deployment = server.get(f"/deployments/name/{name}")
    is_planned = not deployment["paused"] and any(one["active"] for one in deployment["schedules"])
    deadline = time.monotonic() + _SCHEDULER_SECONDS
    soon = datetime.now(UTC).isoformat()
    body = {
        "deployments": {"id": {"any_": [deployment["id"]]}},
        # not a run that somebody asked for, or one that is late: the worker begins these at once
        "flow_runs": {"state": {"type": {"any_": ["SCHEDULED"]}}, "next_scheduled_start_time": {"after_": soon}},
        "sort": "NEXT_SCHEDULED_START_TIME_ASC",
        "limit": 1,
    }
    while is_planned and time.monotonic() < deadline:
        if runs := server.post("/flow_runs/filter", body):
            return datetime.fromisoformat(runs[0]["next_scheduled_start_time"])
        time.sleep(0.5)
    return None


def _deployments(server: Server) -> list[dict[str, Any]]:
    return server.all_of("/deployments/filter", {"work_pools": {"name": {"any_": [POOL]}}})


def _before(server: Server, notes: LocalStorage) -> dict[str, dict[str, Any]]:
    """Each timetable as people left it, by deployment; if a start was killed since, as that start found it.

    If nobody can read what that start found, those of the server count, with a warning.
    """
    try:
        kept: dict[str, dict[str, Any]] = json.loads(unsealed(notes.get(_KEPT)))
        return kept
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:  # SealBroken and JSON's errors are ValueErrors
        step = "An earlier start was interrupted, so compare each timetable in the pages with the one that you chose"
        _logger.warning("prefect/%s: %s. %s", _KEPT, why_unread(error), step)
    found = {one["id"]: _timetable(one) for one in _deployments(server)}
    notes.put(_KEPT, sealed(json.dumps(found).encode()))
    return found


def _timetable(deployment: dict[str, Any]) -> dict[str, Any]:
    """The parts of a timetable that people may change."""
    kept = ("schedule", "active", "parameters", "slug", "max_scheduled_runs")
    schedules = [{name: one[name] for name in kept if one.get(name) is not None} for one in deployment["schedules"]]
    return {"paused": deployment["paused"], "schedules": schedules}


def _in_zone(timetable: dict[str, Any], shipped_one: dict[str, Any], time_zone: str) -> dict[str, Any]:
    """The same in `time_zone`; times that people chose remain, with a warning if a night would have two runs or
    none.
    """
    ours = {one["schedule"].get("cron") for one in shipped_one["schedules"]}
    schedules = []
    for one in timetable["schedules"]:
        schedule = one["schedule"] | {"timezone": time_zone}
        if cron := schedule.get("cron"):
            safe = settled(cron, time_zone, datetime.now(UTC).date())
            if cron in ours:
                schedule["cron"] = safe
            elif safe != cron:
                _logger.warning("the clocks of %s skip or repeat the time of the timetable %s", time_zone, cron)
        schedules.append(one | {"schedule": schedule})
    return timetable | {"schedules": schedules}


def _automations(path: Path) -> list[dict[str, Any]]:
    """The file as `prefect automation create --from-file` takes it: one, a list, or a list under `automations`."""
    import yaml  # type: ignore[import-untyped]  # Prefect's own reader of these files, which comes with it

    written = yaml.safe_load(path.read_text(encoding="utf-8"))
    if isinstance(written, dict):
        written = written.get("automations", [written])
    return list(written)
