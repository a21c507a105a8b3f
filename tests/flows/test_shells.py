"""Terminal and Prefect are two shells over one runbook."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from kit.programs import Program, environment

from propsync_sandbox import Sandbox

# Both sync two resources, named in the wrong order, and one of them fails. Prefect's shell has a process of its own:
# an import of Prefect changes logging for good.
ASKED = "schedules,assets"
FAULT = {"match": {"path": "/assessments/schedules"}, "effect": {"kind": "status", "status": 403}}
IN_PREFECT = """
import sys
from prefect.flows import load_flow_from_entrypoint
from prefect.settings import PREFECT_LOGGING_TO_API_ENABLED, temporary_settings
from propsync.shipped import shipped
flow = load_flow_from_entrypoint(f"{shipped('flows') / 'nightly.py'}:nightly")
def named_step(name, step):
    print("step", name, file=sys.stderr)
    step()
import shell
class NoServer(shell.Artifacts):  # tests/flows/test_deployments.py has one
    def report(self, *_):
        self._try(lambda: 1 / 0)
    def error(self, *_): pass
shell.Artifacts = NoServer
shell.Steps.__call__ = lambda self, name, step: named_step(name, step)
with temporary_settings({PREFECT_LOGGING_TO_API_ENABLED: False}):
    state = flow.fn(sys.argv[1].split(","))
sys.exit({"Completed": 0, "Attention": 3}.get(state.name, 1))
"""


# otherwise Prefect starts a server of its own
NO_SERVER = {"PREFECT_SERVER_ALLOW_EPHEMERAL_MODE": "false"}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(scale=60, faults=[FAULT]) as running:
        yield running


@pytest.fixture
def settings(sandbox: Sandbox, tmp_path: Path) -> dict[str, str]:
    home = str(tmp_path / "home")
    return {"PROPSYNC_BASE_URL": sandbox.base_url, "PROPSYNC_TOKEN": sandbox.token, "PROPSYNC_HOME": home}


STEPS = ["assets", "schedules", "marts", "dashboard", "publish"]


def steps_of(code: int, lines: str) -> tuple[int, list[str]]:
    return code, [line.split("step ")[1] for line in lines.splitlines() if "step " in line]


@pytest.mark.slow
def test_both_take_the_same_steps_and_come_to_the_same_end(settings: dict[str, str], tmp_path: Path):
    ours = Program(tmp_path, settings)("--log-level", "DEBUG", "sync", "--only", ASKED)
    environ = environment(**settings, PREFECT_HOME=str(tmp_path / "prefect"), **NO_SERVER)
    command = [sys.executable, "-c", IN_PREFECT, ASKED]
    theirs = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert steps_of(ours.returncode, ours.stderr) == (3, STEPS)
    assert steps_of(theirs.returncode, theirs.stderr) == (3, STEPS)
    assert "could not report the run to Prefect: ZeroDivisionError: division by zero. The run" in theirs.stderr
    assert "Traceback" not in theirs.stderr


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
