"""The work pool, the deployments with their timetables, and the automations, made or brought up to date."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]  # Prefect's own reader of these files

from propsync.serving.dead_runs import POOL
from propsync.serving.server import Server
from propsync.shipped import shipped

Command = Callable[..., None]
_TYPE = "process"
_SCHEDULER_SECONDS = 20  # it looks for new deployments every five


def make_pool(server: Server, prefect: Command, folder: Path) -> None:
    """Makes the work pool, unless it is there. `prefect work-pool create` would have the server ask the internet."""
    if server.get(f"/work_pools/{POOL}") is not None:
        return
    path = folder / "base-job-template.json"
    prefect("work-pool", "get-default-base-job-template", "--type", _TYPE, "--file", str(path))
    template = json.loads(path.read_text(encoding="utf-8"))
    server.post("/work_pools/", {"name": POOL, "type": _TYPE, "base_job_template": template})


def deploy(server: Server, prefect: Command, time_zone: str) -> None:
    """Deploys what prefect.yaml names; a timetable that people changed or paused stays as they left it."""
    before = {one["id"]: one for one in _deployments(server)}
    prefect("--no-prompt", "deploy", "--all", cwd=shipped("prefect.yaml").parent)
    for deployed in _deployments(server):
        wanted = _timetable(before.get(deployed["id"], deployed), time_zone)
        if wanted != _timetable(deployed):
            server.patch(f"/deployments/{deployed['id']}", wanted)


def automate(server: Server, prefect: Command) -> None:
    """Makes the automations whose names are not there; those that are stay as people changed them."""
    path = shipped("flows") / "automations.yaml"
    wanted = _automations(path) if path.exists() else []
    known = {one["name"] for one in server.all_of("/automations/filter", {})}
    if lacking := [one for one in wanted if one["name"] not in known]:
        prefect("automation", "create", "--from-json", json.dumps(lacking))


def next_run(server: Server, name: str) -> datetime | None:
    """When the deployment `name` runs next, once the scheduler has planned it; None if nothing is planned."""
    deployment = server.get(f"/deployments/name/{name}")
    is_planned = not deployment["paused"] and any(one["active"] for one in deployment["schedules"])
    deadline = time.monotonic() + _SCHEDULER_SECONDS
    body = {
        "deployments": {"id": {"any_": [deployment["id"]]}},
        "flow_runs": {"state": {"type": {"any_": ["SCHEDULED"]}}},
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


def _timetable(deployment: dict[str, Any], time_zone: str | None = None) -> dict[str, Any]:
    """What of a deployment is people's to change, in `time_zone`."""
    kept = ("schedule", "active", "parameters", "slug", "max_scheduled_runs")
    schedules = [{name: one[name] for name in kept if one.get(name) is not None} for one in deployment["schedules"]]
    if time_zone is not None:
        schedules = [one | {"schedule": one["schedule"] | {"timezone": time_zone}} for one in schedules]
    return {"paused": deployment["paused"], "schedules": schedules}


def _automations(path: Path) -> list[dict[str, Any]]:
    """The file as `prefect automation create --from-file` takes it: one, a list, or a list under `automations`."""
    written = yaml.safe_load(path.read_text(encoding="utf-8"))
    if isinstance(written, dict):
        written = written.get("automations", [written])
    return list(written)
