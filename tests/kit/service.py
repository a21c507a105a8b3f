"""`propsync serve` from the built wheel, outside the checkout, with its processes in view."""

from __future__ import annotations

import base64
import json
import signal
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import httpx
import psutil

from propsync_sandbox import Sandbox

from .prefect_api import PrefectApi
from .prefect_server import ENDED
from .programs import environment, free_port, wait_until

READY = "Stop with Ctrl-C"


class Service(PrefectApi):
    """A service in one home and on one port, started once or more. It logs at DEBUG; its worker looks every second."""

    def __init__(self, programs: Path, root: Path, settings: dict[str, str]) -> None:
        self.home, self.port, self._programs, self._root = root / "home", free_port(), programs, root
        self.settings = settings | {"PROPSYNC_HOME": str(self.home)}
        self.prefect = self.home / "prefect"
        self.prefect.mkdir(parents=True)
        (self.prefect / "prefect.toml").write_text("[worker]\nquery_seconds = 1\n")
        self.out, self.err = root / "out.txt", root / "err.txt"
        super().__init__(f"{self.url}/api")

    def close(self) -> None:
        self.client.close()

    def command(self, *more: str) -> list[str]:
        return [str(self._programs / "propsync"), "--log-level", "DEBUG", "serve", "--port", str(self.port), *more]

    def environ(self, **settings: str) -> dict[str, str]:
        return environment(
            **self.settings | {"HOME": str(self._root), "PREFECT_API_URL": "http://elsewhere"} | settings
        )

    @contextmanager
    def up(self, **settings: str) -> Iterator[subprocess.Popen[bytes]]:
        """Runs it during the block, which begins once it says that it is up; kills what the block leaves."""
        with self.out.open("wb") as out, self.err.open("wb") as err:
            serve = subprocess.Popen(
                self.command(), env=self.environ(**settings), cwd=self._root, stdout=out, stderr=err
            )
        try:
            wait_until(lambda: READY in self.out.read_text() or serve.poll() is not None, 180, self.err)
            assert serve.poll() is None, self.err.read_text()
            self.client.headers["Authorization"] = f"Basic {base64.b64encode(self.login.encode()).decode()}"
            yield serve
        finally:
            serve.kill()
            serve.wait()
            kill(self.processes())

    @property
    def url(self) -> str:
        """Where its pages are."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def login(self) -> str:
        """The words that people type into its pages. Each start makes new ones."""
        return (self.prefect / "login").read_text().strip()

    def stop(self, serve: subprocess.Popen[bytes]) -> int:
        serve.send_signal(signal.SIGTERM)
        return serve.wait(30)

    def processes(self) -> list[psutil.Process]:
        """All processes of the service but the command itself: they have inherited its PREFECT_HOME."""
        return [one for one in psutil.process_iter() if _environ_of(one).get("PREFECT_HOME") == str(self.prefect)]

    def process(self, words: str) -> psutil.Process:
        (found,) = (one for one in self.processes() if words in " ".join(one.cmdline()))
        return found

    def deployment(self) -> dict[str, Any]:
        return self.get("/deployments/name/propsync-nightly/nightly")

    def start(self) -> str:
        """Starts the nightly deployment by hand; the run's id."""
        return self.post(f"/deployments/{self.deployment()['id']}/create_flow_run", {})["id"]

    def ended(self, run: str) -> dict[str, Any]:
        wait_until(lambda: self.get(f"/flow_runs/{run}")["state_type"] in ENDED, 120, self.log("worker"))
        return self.get(f"/flow_runs/{run}")

    def wait_for_task(self, run: str, name: str) -> None:
        """Waits until the task `name` of a run is at work."""
        body = {"flow_runs": {"id": {"any_": [run]}}, "task_runs": {"state": {"type": {"any_": ["RUNNING"]}}}}
        wait_until(
            lambda: name in [one["name"] for one in self.post("/task_runs/filter", body)], 60, self.log("worker")
        )

    def log(self, name: str) -> Path:
        return self.prefect / "logs" / f"{name}.log"


def kill(processes: Iterable[psutil.Process]) -> None:
    """kill -9 of all of them together."""
    gone = list(processes)
    for one in gone:
        try:
            one.kill()
        except psutil.NoSuchProcess:
            continue
    psutil.wait_procs(gone, timeout=10)


def assert_right(home: Path, sandbox: Sandbox) -> None:
    """Compares the published records with those of the sandbox."""
    with duckdb.connect(str(home / "published" / "warehouse.duckdb"), read_only=True) as connection:
        for resource in ("assets", "schedules"):
            answer = httpx.get(f"{sandbox.base_url}/_sandbox/world/{resource}", timeout=30, trust_env=False)
            truth = sorted(_text(json.loads(line)["record"]) for line in answer.text.splitlines())
            rows = connection.execute(f"select payload from {resource}").fetchall()
            assert sorted(_text(json.loads(payload)) for (payload,) in rows) == truth, resource


def _text(record: dict[str, Any]) -> str:
    return json.dumps(record, sort_keys=True)


def _environ_of(process: psutil.Process) -> dict[str, str]:
    try:
        return process.environ()
    except (psutil.Error, OSError):
        return {}
