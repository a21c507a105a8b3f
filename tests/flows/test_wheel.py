"""The built wheel works outside the checkout: it carries sql/, flows/ and prefect.yaml besides the modules."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from kit.programs import environment
from kit.wheel import CHECKOUT

from propsync_sandbox import Sandbox


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed") / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-compile"]
    run([*pip, "--target", str(folder), str(wheel)], folder.parent)
    return folder


def test_the_wheel_carries_every_shipped_file_and_no_test(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"propsync/_shipped/prefect.yaml", "propsync/_shipped/flows/nightly.py"} <= names
    files = [path for path in (CHECKOUT / "sql").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert {f"propsync/_shipped/{path.relative_to(CHECKOUT).as_posix()}" for path in files} <= names
    assert not [name for name in names if name.startswith(("tests/", "benchmarks/")) or name.endswith(".pyc")]


def test_the_wheel_asks_for_prefect_only_where_it_is_wanted(wheel):
    with zipfile.ZipFile(wheel) as files:
        (name,) = (name for name in files.namelist() if name.endswith(".dist-info/METADATA"))
        lines = files.read(name).decode().splitlines()
    asked = [line.removeprefix("Requires-Dist: ") for line in lines if line.startswith("Requires-Dist: ")]
    extra = {
        one.partition(";")[2].strip() for one in asked if one.startswith(("prefect", "pyyaml", "fastapi", "sqlalch"))
    }
    assert extra == {"extra == 'prefect'"}
    assert "httpx" in {one.partition("<")[0] for one in asked}


@pytest.mark.slow
def test_the_installed_wheel_syncs_outside_the_checkout(installed, tmp_path):
    with Sandbox(scale=60) as sandbox:
        settings = {"PROPSYNC_BASE_URL": sandbox.base_url, "PROPSYNC_TOKEN": sandbox.token}
        settings["PROPSYNC_HOME"] = str(tmp_path / "home")
        run(python(str(installed / "bin" / "propsync"), "sync"), tmp_path, installed, **settings)
    query = python(str(installed / "bin" / "propsync"), "query", "select count(*) as n from assets", "--format", "csv")
    assert run(query, tmp_path, installed, PROPSYNC_HOME=str(tmp_path / "home")).splitlines() == ["n", "60"]


@pytest.mark.slow
def test_prefect_finds_the_flow_of_the_installed_wheel(installed, tmp_path):
    """Reads prefect.yaml's entrypoints as `prefect deploy` does, in the folder that its pull step gives a worker."""
    code = """
import os, inspect, propsync, yaml
from prefect.flows import load_flow_from_entrypoint
from prefect.utilities.importtools import import_object
from propsync.shipped import shipped
print(propsync.__file__)
deployments = yaml.safe_load(shipped("prefect.yaml").read_text())
(step,) = deployments["pull"]
((name, inputs),) = step.items()
os.chdir(import_object(name)(**inputs)["directory"])
for deployment in deployments["deployments"]:
    flow = load_flow_from_entrypoint(deployment["entrypoint"])
    print(flow.name, inspect.getsourcefile(flow.fn))
"""
    lines = run(python("-c", code), tmp_path, installed, PREFECT_HOME=str(tmp_path / "prefect")).splitlines()
    assert lines == [
        str(installed / "propsync" / "__init__.py"),
        *(
            f"propsync-{name} {installed / 'propsync' / '_shipped' / 'flows' / file}.py"
            for name, file in [
                ("nightly", "nightly"),
                ("backfill", "backfill"),
                ("archive", "archive"),
                ("verify", "archive"),
                ("push", "push"),
                ("hints", "hints"),
            ]
        ),
    ]


def python(*words: str) -> list[str]:
    """Without site: no .pth file is read, and that of the editable install would put the checkout on the path."""
    return [sys.executable, "-S", *words]


def run(command: list[str], cwd: Path, installed: Path | None = None, **settings: str) -> str:
    if installed is not None:
        settings["PYTHONPATH"] = f"{installed}:{sysconfig.get_path('purelib')}"
    done = subprocess.run(command, cwd=cwd, env=environment(**settings), capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
