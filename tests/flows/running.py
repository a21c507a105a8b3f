"""A real Prefect server and a real process worker, in a folder and on a port of their own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx

from propsync.shipped import shipped

BIN = Path(sys.executable).parent
ENDED = ("COMPLETED", "FAILED", "CRASHED", "CANCELLED")


def environment(**settings: str) -> dict[str, str]:
    """This environment without any settings of Prefect or propsync, and with these."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "PROPSYNC_"))}
    return inherited | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"} | settings


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def program(
    command: Sequence[str], log: Path, environ: Mapping[str, str], cwd: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """A program in a session of its own: it is interrupted at the end, and what it started goes with it."""
    with log.open("wb") as lines:
        process = subprocess.Popen(
            command, env=environ, cwd=cwd, stdout=lines, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class Prefect:
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
        self._api = self._stack.enter_context(
            httpx.Client(base_url=self.environ["PREFECT_API_URL"], timeout=30, trust_env=False)
        )

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
        """What prefect.yaml tells an operator to do, worker included."""
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
        """A run of a deployment, asked for and not waited for."""
        return self.post(f"/deployments/{self.deployment(name)['id']}/create_flow_run", {"parameters": parameters})

    def trigger(
        self, name: str = "nightly", watch: Callable[[], None] = lambda: None, **parameters: object
    ) -> dict[str, Any]:
        """Runs the deployment to its end; `watch` is called again and again meanwhile."""
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
        """propsync's own events of that name, of a run, once the server has heard of one."""
        found: list[dict[str, Any]] = []

        def is_heard() -> bool:
            answer = self.post("/events/filter", {"filter": {"event": {"name": [name]}}, "limit": 50})
            found[:] = [one for one in answer["events"] if _is_of(one, run)]
            return bool(found)

        wait_until(is_heard, 30, self.log("server"))
        return found

    def task_runs(self, run: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The task runs of a flow run in the order in which they started, once the server has heard of them all."""
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

    def get(self, path: str) -> Any:
        return self._ask("GET", path)

    def post(self, path: str, body: object) -> Any:
        return self._ask("POST", path, json=body)

    def delete(self, path: str) -> None:
        self._ask("DELETE", path)

    def _ask(self, method: str, path: str, **content: Any) -> Any:
        """Asks again on a 503, as Prefect's own client does: its server says so when SQLite is locked."""
        for _ in range(10):
            answer = self._api.request(method, path, **content)
            if answer.status_code != 503:
                break
            time.sleep(1)
        return answer.raise_for_status().json() if answer.content else answer.raise_for_status()

    def log(self, name: str) -> Path:
        return self.root / "logs" / f"{name}.log"

    def _start(self, name: str, *words: str, settings: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        command, environ = [str(BIN / "prefect"), *words], self.environ | dict(settings or {})
        return self._stack.enter_context(program(command, self.log(name), environ, self.root / "elsewhere"))

    def _is_up(self, server: subprocess.Popen[bytes]) -> bool:
        assert server.poll() is None, self.log("server").read_text()
        try:
            return self._api.get("/health").is_success
        except httpx.TransportError:
            return False


def _is_of(event: Mapping[str, Any], run: Mapping[str, Any]) -> bool:
    return any(one["prefect.resource.id"] == f"prefect.flow-run.{run['id']}" for one in event["related"])


def wait_until(is_so: Callable[[], bool], seconds: float, log: Path) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, log.read_text()[-5000:]
        time.sleep(0.2)


def files_with(words: str, folder: Path) -> set[Path]:
    found = set()
    for path in folder.rglob("*"):
        try:
            if path.is_file() and words.encode() in path.read_bytes():
                found.add(path)
        except FileNotFoundError:  # a temporary file that has gone since it was listed
            continue
    return found
