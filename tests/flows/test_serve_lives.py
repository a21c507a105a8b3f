"""Deaths and restarts of `propsync serve`: what died is marked, nothing is left, and the next run is right."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from flows.running import wait_until
from flows.serving import Service, assert_right, fresh_environment, kill

from propsync_sandbox import Sandbox

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
SLOW_SCHEDULES = {"match": {"path": "/assessments/schedules"}, "times": 1, "effect": {"kind": "delay", "seconds": 60}}


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fresh_environment(tmp_path_factory.getbasetemp() / "serve-wheel")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(scale=120, seed=8) as running:
        yield running


@pytest.fixture(scope="module")
def service(programs: Path, sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    settings = {"PROPSYNC_BASE_URL": sandbox.base_url, "PROPSYNC_TOKEN": sandbox.token}
    with closing(Service(programs, tmp_path_factory.mktemp("service"), settings)) as lives:
        yield lives


@pytest.fixture(autouse=True)
def quiet(sandbox: Sandbox) -> Iterator[None]:
    yield
    sandbox.set_faults([])


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
        assert "stopped while it ran" in marked["state"]["message"]
        assert service.deployment()["global_concurrency_limit"]["active_slots"] == 0
        assert "now marked as crashed: 1" in service.err.read_text()
        run = timetable_run(service)
        assert (run["state_type"], run["auto_scheduled"]) == ("COMPLETED", True), run["state"]
        assert_right(service.home, sandbox)
        assert service.stop(serve) == 0
    assert service.processes() == []


def test_a_timetable_that_was_changed_and_paused_stays_so_in_the_time_zone_of_the_settings(service):
    with service.up() as serve:
        path = f"/deployments/{service.deployment()['id']}"
        schedule = {"schedule": {"cron": "15 3 * * *", "timezone": "Europe/London"}, "active": True}
        service.patch(path, {"schedules": [schedule], "paused": True})
        service.stop(serve)
    with service.up(PROPSYNC_TIME_ZONE="Europe/Berlin") as serve:
        deployment = service.deployment()
        (kept,) = deployment["schedules"]
        assert kept["schedule"] == {"cron": "15 3 * * *", "timezone": "Europe/Berlin", "day_or": True}
        assert deployment["paused"] is True
        assert "Next nightly run: none is planned" in service.out.read_text()
        service.patch(path, {"paused": False})
        service.stop(serve)


def test_stopped_while_a_run_is_at_work_it_is_interrupted_and_marked(service, sandbox):
    sandbox.set_faults([SLOW_SCHEDULES])
    with service.up() as serve:
        run = service.start()
        service.wait_for_task(run, "schedules")
        assert service.stop(serve) == 0
        assert service.processes() == []
    assert_right(service.home, sandbox)
    with service.up() as serve:
        assert service.get(f"/flow_runs/{run}")["state_type"] == "CRASHED"
        # while it is here: nobody is left alone when the command itself is killed
        serve.kill()
        wait_until(lambda: service.processes() == [], 30, service.log("server"))


def test_a_worker_that_dies_ends_everything_with_it_its_run_too_and_is_told(service, sandbox):
    sandbox.set_faults([SLOW_SCHEDULES])
    with service.up() as serve:
        service.wait_for_task(service.start(), "schedules")
        kill([service.process("worker start")])
        assert serve.wait(30) == 1
        last = service.err.read_text().splitlines()[-1]
        assert last == f"propsync: serve: the worker ended by itself: SIGKILL. Read {service.log('worker')}"
        assert service.processes() == []


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
