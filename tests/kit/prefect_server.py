"""A real Prefect server and a real process worker, in a folder and on a port of their own."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from propsync.shipped import shipped

from .prefect_api import PrefectApi
from .programs import BIN, environment, free_port, running, wait_until

SCHEDULES = {"path": "/assessments/schedules"}
ENDED = ("COMPLETED", "FAILED", "CRASHED", "CANCELLED")


class Prefect(PrefectApi):
    """Server, worker and deployments under `root`; everything logs at DEBUG to files there."""

    def __init__(self, root: Path, settings: Mapping[str, str]) -> None:
        self.root, self._stack, self._settings = root, ExitStack(), settings
        self.port = free_port()
        for name in ("prefect", "logs", "tmp", "elsewhere"):
            (root / name).mkdir()
        self.environ = environment(
            HOME=str(root),
            TMPDIR=str(root / "tmp"),
            PREFECT_HOME=str(root / "prefect"),
            PREFECT_API_URL=f"http://127.0.0.1:{self.port}/api",
            PREFECT_LOGGING_LEVEL="DEBUG",
            PREFECT_SERVER_LOGGING_LEVEL="DEBUG",
            PREFECT_SERVER_ANALYTICS_ENABLED="false",
            PREFECT_WORKER_QUERY_SECONDS="1",
            DO_NOT_TRACK="1",
        )
        super().__init__(self.environ["PREFECT_API_URL"])
        self._stack.enter_context(self.client)

    def __enter__(self) -> Prefect:
        server = self._start("server", "server", "start", "--host", "127.0.0.1", "--port", str(self.port))
        try:
            wait_until(lambda: self._is_up(server), 120, self.log("server"))
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def deploy(self) -> None:
        """Does what prefect.yaml asks of an operator, and starts the worker."""
        folder = shipped("prefect.yaml").parent
        self.run(
            *("work-pool", "create", "propsync", "--type", "process", "--base-job-template", "flows/job-template.json"),
            cwd=folder,
        )
        self.run("--no-prompt", "deploy", "--all", cwd=folder)
        self.run("automation", "create", "--from-file", "flows/automations.yaml", cwd=folder)
        self.start_worker()

    def start_worker(self) -> None:
        self.worker = self._start("worker", "worker", "start", "--pool", "propsync", settings=self._settings)

    def run(self, *words: str, cwd: Path | None = None) -> None:
        """A `prefect` command; it has none of propsync's settings."""
        command = [str(BIN / "prefect"), *words]
        done = subprocess.run(
            command, env=self.environ, cwd=cwd or self.root / "elsewhere", capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def deployment(self, name: str = "nightly") -> dict[str, Any]:
        return self.get(f"/deployments/name/propsync-{name}/{name}")

    def start(self, name: str = "nightly", **parameters: object) -> dict[str, Any]:
        """Asks for a run of a deployment, and waits for nothing."""
        return self.post(f"/deployments/{self.deployment(name)['id']}/create_flow_run", {"parameters": parameters})

    def trigger(
        self, name: str = "nightly", watch: Callable[[], None] = lambda: None, **parameters: object
    ) -> dict[str, Any]:
        """Runs the deployment to its end, and calls `watch` again and again meanwhile."""
        return self.ended(self.start(name, **parameters), watch)

    def ended(self, run: Mapping[str, Any], watch: Callable[[], None] = lambda: None) -> dict[str, Any]:
        """The run at its end."""

        def is_ended() -> bool:
            watch()
            return self.get(f"/flow_runs/{run['id']}")["state_type"] in ENDED

        wait_until(is_ended, 120, self.log("worker"))
        return self.get(f"/flow_runs/{run['id']}")

    def artifacts(self, run: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """The artifacts of a run by their keys."""
        found = self.post("/artifacts/filter", {"artifacts": {"flow_run_id": {"any_": [run["id"]]}}})
        return {one["key"]: one for one in found}

    def events(self, name: str, run: Mapping[str, Any]) -> list[dict[str, Any]]:
        """propsync's own events of that name, of a run, once the server has one."""
        found: list[dict[str, Any]] = []

        def is_heard() -> bool:
            answer = self.post("/events/filter", {"filter": {"event": {"name": [name]}}, "limit": 50})
            found[:] = [one for one in answer["events"] if _is_of(one, run)]
            return bool(found)

        wait_until(is_heard, 30, self.log("server"))
        return found

    def task_runs(self, run: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The task runs of a flow run in the order of their start, once the server knows the end of each."""
        body = {"flow_runs": {"id": {"any_": [run["id"]]}}, "sort": "EXPECTED_START_TIME_ASC"}
        found: list[dict[str, Any]] = []

        def is_settled() -> bool:
            found[:] = self.post("/task_runs/filter", body)
            return bool(found) and all(one["state_type"] in ENDED for one in found)

        wait_until(is_settled, 30, self.log("server"))
        return found

    def lines(self, run: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The log lines of a run as its page in Prefect shows them."""
        return self.post("/logs/filter", {"logs": {"flow_run_id": {"any_": [run["id"]]}}, "sort": "TIMESTAMP_ASC"})

    def log(self, name: str) -> Path:
        return self.root / "logs" / f"{name}.log"

    def _start(self, name: str, *words: str, settings: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        command, environ = [str(BIN / "prefect"), *words], self.environ | dict(settings or {})
        return self._stack.enter_context(running(command, self.log(name), environ, self.root / "elsewhere"))

    def _is_up(self, server: subprocess.Popen[bytes]) -> bool:
        assert server.poll() is None, self.log("server").read_text()
        try:
            return self.client.get("/health").is_success
        except httpx.TransportError:
            return False


class FirstNight(NamedTuple):
    """The first run of the nightly deployment, with the files that had the token while it ran, and its database."""

    run: dict[str, Any]
    with_token: set[Path]
    published: Path
    by_command: Path
    """The database of `propsync sync` on the same world."""


def _is_of(event: Mapping[str, Any], run: Mapping[str, Any]) -> bool:
    return any(one["prefect.resource.id"] == f"prefect.flow-run.{run['id']}" for one in event["related"])
