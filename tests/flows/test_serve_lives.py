"""Deaths and restarts of `propsync serve`: what died is marked, no process is left, and the next run is right."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from kit.programs import wait_until
from kit.service import Service, assert_right, kill

from propsync_sandbox import Sandbox

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
SLOW_SCHEDULES = {"match": {"path": "/assessments/schedules"}, "times": 1, "effect": {"kind": "delay", "seconds": 60}}


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(scale=120, seed=8) as running:
        yield running


@pytest.fixture
def service(programs: Path, sandbox: Sandbox, tmp_path: Path) -> Iterator[Service]:
    settings = {"PROPSYNC_BASE_URL": sandbox.base_url, "PROPSYNC_TOKEN": sandbox.token}
    with closing(Service(programs, tmp_path, settings)) as made:
        yield made


@pytest.mark.release
def test_what_died_is_marked_and_the_next_run_of_the_timetable_is_right(service, sandbox):
    """kill -9 of everything at once, while a run is at work; then the same command again."""
    sandbox.set_faults([SLOW_SCHEDULES])
    with service.up() as serve:
        dead = service.start()
        service.wait_for_task(dead, "schedules")
        assert service.deployment()["global_concurrency_limit"]["active_slots"] == 1
        kill([psutil.Process(serve.pid), *service.processes()])
    night(sandbox)
    with service.up() as serve:
        marked = service.get(f"/flow_runs/{dead}")
        assert marked["state_type"] == "CRASHED"
        assert "stopped while the run was at work" in marked["state"]["message"]
        assert service.deployment()["global_concurrency_limit"]["active_slots"] == 0
        assert "marked 1 runs as crashed" in service.err.read_text()
        run = timetable_run(service)
        assert (run["state_type"], run["auto_scheduled"]) == ("COMPLETED", True), run["state"]
        assert_right(service.home, sandbox)
        # a kill of the command alone ends the others too
        serve.kill()
        wait_until(lambda: service.processes() == [], 30, service.log("server"))


@pytest.mark.release
def test_a_stop_marks_the_run_at_work_and_a_changed_timetable_stays_until_the_worker_dies(service, sandbox):
    """Two starts: the first is stopped, with SIGTERM; the second loses its worker, and a run with it."""
    with service.up() as serve:
        assert service.ended(service.start())["state_type"] == "COMPLETED"
        sandbox.set_faults([SLOW_SCHEDULES])
        stopped = service.start()
        service.wait_for_task(stopped, "schedules")
        path = f"/deployments/{service.deployment()['id']}"
        schedule = {"schedule": {"cron": "15 3 * * *", "timezone": "Europe/London"}, "active": True}
        service.patch(path, {"schedules": [schedule], "paused": True})
        assert service.stop(serve) == 0
        assert service.processes() == []
    assert_right(service.home, sandbox)
    sandbox.set_faults([SLOW_SCHEDULES])
    with service.up(PROPSYNC_TIME_ZONE="Europe/Berlin") as serve:
        assert service.get(f"/flow_runs/{stopped}")["state_type"] == "CRASHED"
        assert_kept_in_berlin(service)
        service.patch(path, {"paused": False})
        service.wait_for_task(service.start(), "schedules")
        kill([service.process("worker start")])
        assert serve.wait(30) == 1
        last = service.err.read_text().splitlines()[-1]
        assert last == f"propsync: serve: the worker stopped unexpectedly: SIGKILL. Read {service.log('worker')}"
        assert service.processes() == []


def assert_kept_in_berlin(service: Service) -> None:
    deployment = service.deployment()
    (kept,) = deployment["schedules"]
    assert kept["schedule"] == {"cron": "15 3 * * *", "timezone": "Europe/Berlin", "day_or": True}
    assert deployment["paused"] is True
    assert "Next nightly run: none; the timetable is paused or empty" in service.out.read_text()


def timetable_run(service: Service) -> dict[str, Any]:
    """The first run that the scheduler made, ended, with a timetable of three times a minute."""
    deployment = service.deployment()
    kept = [{name: one[name] for name in ("schedule", "active")} for one in deployment["schedules"]]
    every = {"schedule": {"interval": 20}, "active": True}
    service.patch(f"/deployments/{deployment['id']}", {"schedules": [every]})
    body = {
        "deployments": {"id": {"any_": [deployment["id"]]}},
        "flow_runs": {"state": {"type": {"any_": ["COMPLETED", "FAILED"]}}},
    }
    wait_until(lambda: bool(service.post("/flow_runs/filter", body)), 120, service.log("worker"))
    service.patch(f"/deployments/{deployment['id']}", {"schedules": kept})
    return service.post("/flow_runs/filter", body)[0]


def night(sandbox: Sandbox) -> None:
    httpx.post(f"{sandbox.base_url}/_sandbox/night", timeout=30, trust_env=False).raise_for_status()
