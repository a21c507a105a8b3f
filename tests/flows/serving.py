"""`propsync serve` from the built wheel: in an environment of its own, outside the checkout, its processes in view."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
import sysconfig
import time
import venv
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import httpx
import psutil
from flows.running import ENDED, environment, free_port, wait_until

from propsync_sandbox import Sandbox

CHECKOUT = Path(__file__).parents[2]
READY = "Stop with Ctrl-C"


def fresh_environment(folder: Path) -> Path:
    """A virtual environment with the wheel, which borrows the libraries of this one; its `bin`. Made once."""
    if folder.exists():
        return folder / "venv" / "bin"
    _run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(CHECKOUT))
    venv.create(folder / "venv", symlinks=True)
    python = folder / "venv" / "bin" / "python"
    (wheel,) = folder.glob("propsync-*.whl")
    _run(sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", str(wheel))
    # a path that is added to another's site is not searched for .pth files: this one's editable install stays out
    (site,) = (folder / "venv" / "lib").glob("python*/site-packages")
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib"))
    return python.parent


class Service:
    """Lives of a service in one home, on one port. It logs at DEBUG, and its worker looks every second."""

    def __init__(self, programs: Path, root: Path, settings: dict[str, str]) -> None:
        self.home, self.port, self._programs, self._root = root / "home", free_port(), programs, root
        self.settings = settings | {"PROPSYNC_HOME": str(self.home)}
        self.prefect = self.home / "prefect"
        self.prefect.mkdir(parents=True)
        (self.prefect / "prefect.toml").write_text("[worker]\nquery_seconds = 1\n")
        self.out, self.err = root / "out.txt", root / "err.txt"
        self._api = httpx.Client(base_url=f"http://127.0.0.1:{self.port}/api", timeout=30, trust_env=False)

    def close(self) -> None:
        self._api.close()

    def command(self, *more: str) -> list[str]:
        return [str(self._programs / "propsync"), "--log-level", "DEBUG", "serve", "--port", str(self.port), *more]

    def environ(self, **settings: str) -> dict[str, str]:
        return environment(
            **self.settings | {"HOME": str(self._root), "PREFECT_API_URL": "http://elsewhere"} | settings
        )

    @contextmanager
    def up(self, **settings: str) -> Iterator[subprocess.Popen[bytes]]:
        """A life of it, from when it says that it is up; whatever is left in the end is killed."""
        with self.out.open("wb") as out, self.err.open("wb") as err:
            serve = subprocess.Popen(
                self.command(), env=self.environ(**settings), cwd=self._root, stdout=out, stderr=err
            )
        try:
            wait_until(lambda: READY in self.out.read_text() or serve.poll() is not None, 180, self.err)
            assert serve.poll() is None, self.err.read_text()
            self._api.headers["Authorization"] = f"Basic {base64.b64encode(self.login.encode()).decode()}"
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
        """What people type into the pages of this life."""
        return (self.prefect / "login").read_text().strip()

    def stop(self, serve: subprocess.Popen[bytes]) -> int:
        serve.send_signal(signal.SIGTERM)
        return serve.wait(30)

    def processes(self) -> list[psutil.Process]:
        """All that belongs to the service but the command itself: what tells them is what they inherited."""
        return [one for one in psutil.process_iter() if _environ_of(one).get("PREFECT_HOME") == str(self.prefect)]

    def process(self, words: str) -> psutil.Process:
        (found,) = (one for one in self.processes() if words in " ".join(one.cmdline()))
        return found

    def get(self, path: str) -> Any:
        return self._ask("GET", path)

    def post(self, path: str, body: object) -> Any:
        return self._ask("POST", path, json=body)

    def patch(self, path: str, body: object) -> None:
        self._ask("PATCH", path, json=body)

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

    def _ask(self, method: str, path: str, **content: Any) -> Any:
        """Asks again on a 503, as Prefect's own client does: its server says so when SQLite is locked."""
        for _ in range(10):
            answer = self._api.request(method, path, **content)
            if answer.status_code != 503:
                break
            time.sleep(1)
        answer.raise_for_status()
        return answer.json() if answer.content else None


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
    """What is published is what the sandbox has, record for record."""
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


def _run(*command: str) -> None:
    done = subprocess.run(command, cwd=os.sep, env=environment(), capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stdout + done.stderr
