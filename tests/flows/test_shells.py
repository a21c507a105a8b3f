"""Terminal and Prefect are two shells over one runbook."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flows.running import environment

from propsync_sandbox import Sandbox

# Both ask for two resources in the wrong order, of which one fails. Each in a process of its own: importing Prefect
# sets up logging for good.
ASKED = "schedules,assets"
FAULT = {"match": {"path": "/assessments/schedules"}, "effect": {"kind": "status", "status": 403}}
IN_TERMINAL = """
import sys
from propsync.cli import main
sys.argv = ["propsync", "--log-level", "DEBUG", "sync", "--only", sys.argv[1]]
main.run()
"""
IN_PREFECT = """
import sys
from prefect.flows import load_flow_from_entrypoint
from prefect.settings import PREFECT_LOGGING_TO_API_ENABLED, temporary_settings
from propsync.shipped import shipped
flow = load_flow_from_entrypoint(f"{shipped('flows') / 'nightly.py'}:nightly")
def step_told(name, step):
    print("step", name, file=sys.stderr)
    step()
import shell
shell.Steps.__call__ = lambda self, name, step: step_told(name, step)
with temporary_settings({PREFECT_LOGGING_TO_API_ENABLED: False}):
    state = flow.fn(sys.argv[1].split(","))
sys.exit({"Completed": 0, "Attention": 3}.get(state.name, 1))
"""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(scale=60, faults=[FAULT]) as running:
        yield running


@pytest.fixture
def steps_of(sandbox: Sandbox, tmp_path: Path) -> Callable[[str], tuple[int, list[str]]]:
    def run(code: str) -> tuple[int, list[str]]:
        settings = {"PROPSYNC_BASE_URL": sandbox.base_url, "PROPSYNC_TOKEN": sandbox.token}
        environ = environment(**settings, PROPSYNC_HOME=str(tmp_path / "home"), PREFECT_HOME=str(tmp_path / "prefect"))
        command = [sys.executable, "-c", code, ASKED]
        done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120, cwd=tmp_path)
        return done.returncode, [line.split("step ")[1] for line in done.stderr.splitlines() if "step " in line]

    return run


def test_both_take_the_same_steps_and_come_to_the_same_end(steps_of):
    assert steps_of(IN_TERMINAL) == steps_of(IN_PREFECT) == (3, ["assets", "schedules", "publish"])


@pytest.mark.parametrize("words", [["--help"], ["sync", "--help"]])
def test_help_starts_without_prefect_and_pandas(words: list[str]):
    code = """
import sys
from propsync.cli import main
try:
    main.run()
except SystemExit as end:
    print(end.code, sorted({"prefect", "pandas", "duckdb", "pyarrow", "httpx"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "0 []", done.stdout + done.stderr
