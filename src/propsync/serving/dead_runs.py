"""Runs that the end of the service interrupted: propsync marks them, and frees their deployment's slot."""

from __future__ import annotations

from typing import Any

from propsync.serving.server import Server

POOL = "propsync"
_AT_WORK = ["RUNNING", "PENDING", "CANCELLING"]


def mark_dead(server: Server, why: str) -> int:
    """Marks unfinished runs as crashed, as nothing of the service runs at this moment; returns their number."""
    body = {"work_pools": {"name": {"any_": [POOL]}}, "flow_runs": _at_work()}
    runs = server.all_of("/flow_runs/filter", body)
    for run in runs:
        _mark(server, "flow_runs", run, why)
        for task in server.all_of("/task_runs/filter", {"flow_runs": {"id": {"any_": [run["id"]]}}} | _tasks()):
            _mark(server, "task_runs", task, why)
    _free_slots(server)
    return len(runs)


def _at_work() -> dict[str, object]:
    return {"state": {"type": {"any_": _AT_WORK}}}


def _tasks() -> dict[str, object]:
    return {"task_runs": _at_work()}


def _mark(server: Server, kind: str, run: dict[str, Any], why: str) -> None:
    """Forces the mark: the server must not keep a run that nobody can finish."""
    ended = "CANCELLED" if run["state_type"] == "CANCELLING" else "CRASHED"
    state = {"type": ended, "name": ended.capitalize(), "message": why}
    server.post(f"/{kind}/{run['id']}/set_state", {"state": state, "force": True})


def _free_slots(server: Server) -> None:
    """Frees slots without a run: somebody killed the server before it noted the owners."""
    for deployment in server.all_of("/deployments/filter", {"work_pools": {"name": {"any_": [POOL]}}}):
        limit = deployment.get("global_concurrency_limit") or {}
        if limit.get("active_slots"):
            server.patch(f"/v2/concurrency_limits/{limit['id']}", {"active_slots": 0})
