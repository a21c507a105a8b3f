"""A run that dies is marked by Prefect itself and takes nothing with it; its token came from a Secret block."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
import yaml
from kit.prefect_server import Prefect
from kit.programs import files_with, wait_until

import propsync
from propsync.shipped import shipped
from propsync_sandbox import Sandbox

pytestmark = [pytest.mark.release, pytest.mark.timeout(600)]  # tests of serve show the same every day
WITHIN = 50  # seconds, in place of the ten minutes; Prefect sends a sign of life every 30 seconds at most


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(scale=60, seed=9) as running:
        yield running


@pytest.fixture
def prefect(sandbox: Sandbox, tmp_path: Path) -> Iterator[Prefect]:
    """A worker that knows no token, and the automation, though with less patience."""
    home = str(tmp_path / "home")
    settings = {"PROPSYNC_BASE_URL": sandbox.base_url, "PROPSYNC_HOME": home, "PREFECT_FLOWS_HEARTBEAT_FREQUENCY": "30"}
    (tmp_path / "prefect").mkdir()
    with Prefect(tmp_path / "prefect", settings) as running:
        running.deploy()
        told = yaml.safe_load(shipped("flows").joinpath("automations.yaml").read_text())
        told["automations"][0]["trigger"]["within"] = WITHIN
        (tmp_path / "automations.yaml").write_text(yaml.safe_dump(told))
        running.run("automation", "create", "--from-file", str(tmp_path / "automations.yaml"))
        yield running


def test_a_run_whose_worker_and_process_are_killed_is_marked_and_the_next_one_runs(prefect, sandbox, tmp_path):
    without = prefect.trigger()
    assert without["state_type"] == "FAILED"
    assert "no token is set" in without["state"]["message"]
    command = [sys.executable, "deploy/scripts/keep_token.py"]  # as in docs/prefect.md
    subprocess.run(
        command,
        env=prefect.environ,
        input=sandbox.token,
        text=True,
        check=True,
        timeout=60,
        cwd=shipped("prefect.yaml").parent,
    )
    slow = {"match": {"path": "/assessments/schedules"}, "effect": {"kind": "stall", "seconds": 300}}
    sandbox.set_faults([slow])
    run = prefect.start()
    wait_until(lambda: "schedules" in {one["name"] for one in asked(prefect, run)}, 120, prefect.log("worker"))
    kill_worker(prefect)
    assert prefect.get(f"/flow_runs/{run['id']}")["state_type"] == "RUNNING", "nobody could say otherwise"
    wait_until(
        lambda: prefect.get(f"/flow_runs/{run['id']}")["state_type"] == "CRASHED", WITHIN + 60, prefect.log("server")
    )
    assert "no sign of life" in prefect.get(f"/flow_runs/{run['id']}")["state"]["message"]
    sandbox.set_faults([])
    prefect.start_worker()
    after = prefect.trigger()
    assert (after["state_type"], after["state_name"]) == ("COMPLETED", "Completed"), after["state"]
    with propsync.open(tmp_path / "home" / "published" / "warehouse.duckdb") as data:
        assert data.rows("select count(*), count(distinct asset_id) from assets")[1] == [(60, 60)]
        statuses = data.rows("select status from ops.runs where flow = 'nightly' order by run_id")[1]
    assert statuses == [("killed",), ("ok",)]
    assert files_with(sandbox.token, tmp_path) == set(), "the block is encrypted, and nothing else has it"


def asked(prefect: Prefect, run: dict[str, str]) -> list[dict[str, str]]:
    return prefect.post("/task_runs/filter", {"flow_runs": {"id": {"any_": [run["id"]]}}})


def kill_worker(prefect: Prefect) -> None:
    """SIGKILL to the worker and to the process of its flow run, as the kernel does when memory is out."""
    worker = psutil.Process(prefect.worker.pid)
    for process in [*worker.children(recursive=True), worker]:
        process.send_signal(signal.SIGKILL)
