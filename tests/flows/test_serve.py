"""`propsync serve` as an operator without Prefect gets it: from the wheel, outside the checkout, offline."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from kit.browser import Browser
from kit.needs import skip_without
from kit.programs import files_with
from kit.service import Service, assert_right

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def run(service: Service, serve: object) -> dict[str, Any]:
    return service.ended(service.start())


@pytest.fixture(scope="module")
def browser(service: Service, serve: object, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One that has logged in."""
    skip_without("chromium")
    with closing(Browser(tmp_path_factory.mktemp("browser"))) as running:
        assert running.log_in(f"http://127.0.0.1:{service.port}", service.login)
        yield running


def test_it_says_where_to_look_and_when_the_next_run_is(service, serve):
    said = service.out.read_text().splitlines()
    assert said[0] == f"Prefect: http://127.0.0.1:{service.port}"
    assert said[1].startswith("Next nightly run: ")
    assert said[1].endswith(" 02:30 Europe/London")
    assert said[2] == f"Logs: {service.prefect / 'logs'}"
    assert said[3] == f"Log in with the user name and password in {service.prefect / 'login'} (new at each start)"
    assert said[4] == f"For prefect commands: . {service.prefect / 'client.env'}"
    assert service.login not in service.out.read_text() + service.err.read_text()


def test_a_run_of_the_deployment_completes_and_publishes(service, run, world):
    assert (run["state_type"], run["state_name"]) == ("COMPLETED", "Completed"), run["state"]
    assert_right(service.home, world)


def test_its_folder_is_private_and_only_the_worker_has_the_settings(service, serve, world):
    assert service.prefect.stat().st_mode & 0o777 == 0o700
    server, worker = service.process("server start"), service.process("worker start")
    assert world.token not in server.environ().values()
    assert "PREFECT_SERVER_API_AUTH_STRING" not in worker.environ()
    assert worker.environ()["PROPSYNC_TOKEN"] == world.token
    assert server.environ()["DO_NOT_TRACK"] == "1"
    settings = service.get("/admin/settings")["server"]
    assert settings["analytics_enabled"] is False
    assert settings["concurrency"]["lease_storage"].endswith("filesystem"), "a lease outlives the server"


def test_nothing_is_written_where_the_wheel_is_installed(programs, run):
    shipped = next((programs.parent / "lib").glob("python*/site-packages/propsync/_shipped"))
    assert {path.name for path in shipped.iterdir()} == {"sql", "flows", "prefect.yaml"}


def test_the_pages_show_deployments_and_the_finished_run_with_its_artifacts(service, run, browser):
    url = f"http://127.0.0.1:{service.port}"
    artifacts = service.post("/artifacts/filter", {"flow_runs": {"id": {"any_": [run["id"]]}}})
    paths = ("deployments", f"runs/flow-run/{run['id']}", f"artifacts/artifact/{artifacts[0]['id']}")
    assert browser.shows(f"{url}/{paths[0]}", "nightly", "propsync-nightly", "Ready", "At 02:30 AM every day")
    assert browser.shows(f"{url}/runs", run["name"], "Completed", "propsync-nightly")
    assert browser.shows(f"{url}/{paths[1]}", run["name"], "Completed", "7 Task runs", "propsync-nightly")
    assert browser.shows(f"{url}/{paths[2]}", artifacts[0]["key"], run["name"])
    if folder := os.environ.get("PICTURES"):
        for path in paths:
            browser.look(f"{url}/{path}", Path(folder) / f"{path.split('/')[0]}.png")


def test_the_pages_ask_nobody_else(service, serve, browser):
    assert browser.shows(f"http://127.0.0.1:{service.port}", "Dashboard")
    browser.close()
    assert browser.hosts() == {"127.0.0.1"}


def test_a_second_one_for_the_same_home_ends_with_4(service, serve):
    done = ask(service.command(), service.environ())
    assert done.returncode == 4
    assert "is up for" in done.stderr.splitlines()[-1]


def test_a_port_in_use_is_told_with_what_to_do(service, serve, tmp_path):
    done = ask(service.command(), service.environ(PROPSYNC_HOME=str(tmp_path / "home")))
    assert done.returncode == 2
    assert f"port {service.port} cannot be used: Address already in use. Give another with --port" in done.stderr


def test_the_token_is_in_no_file(service, run, world):
    assert any(path.name.startswith("prefect.db") for path in files_with("GET /properties", service.home))
    assert files_with("GET /properties", service.home) >= {service.log("worker")}, "DEBUG lines are kept"
    assert files_with(world.token, service.home) == set()


def ask(command: list[str], environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, env=environ, cwd=os.sep, capture_output=True, text=True, timeout=60)
