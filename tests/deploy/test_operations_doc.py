"""docs/operations.md is true: its commands run, or are ones that their program takes, on files that are there."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from deploy.image import of, stages
from deploy.unit_files import CHECKOUT, DEPLOY, Machine, value
from kit.needs import needs

from propsync.serving.place import Place
from propsync.settings import settings_table

DOC = (CHECKOUT / "docs" / "operations.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```console\n(.*?)^```", DOC, re.MULTILINE | re.DOTALL)
LINES = [line for block in BLOCKS for line in block.replace(" \\\n    ", " ").splitlines()]
COMMANDS = [line[2:] for line in LINES if line.startswith("$ ")]


def of_program(name: str) -> list[str]:
    return [command for command in COMMANDS if command.split()[0] == name]


def test_no_command_is_of_a_kind_that_nobody_checks():
    kinds = {"cd", "useradd", "install", "systemctl", "journalctl", "runuser", "docker", "cat", ".venv/bin/python"}
    assert {command.split()[0] for command in COMMANDS} == kinds


def test_what_is_installed_is_there_and_lands_where_it_is_looked_for(tmp_path: Path):
    """For real, in a folder; the owner is left out, as it needs root and the user."""
    for folder in ("etc/systemd/system", "etc/cron.d", "var/lib"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "propsync.token").write_text("token")
    (tmp_path / "deploy").symlink_to(DEPLOY)
    for command in of_program("install"):
        words = re.sub(r"(?<=\s)(?=/(etc|var)/)", str(tmp_path), re.sub(r" -o \S+", "", command))
        subprocess.run(words, shell=True, cwd=tmp_path, check=True)
    installed = {path.name for path in (tmp_path / "etc/systemd/system").iterdir()}
    assert installed == {path.name for path in DEPLOY.iterdir() if path.suffix in (".service", ".timer")}
    for file in (value("propsync.service", "EnvironmentFile"), "/etc/propsync/token", "/etc/cron.d/propsync"):
        assert tmp_path.joinpath(file[1:]).is_file(), file
    assert tmp_path.joinpath("var/lib/propsync").stat().st_mode & 0o777 == 0o711


def test_compiled_files_land_where_the_users_program_looks_for_them(tmp_path: Path):
    (command,) = of_program(".venv/bin/python")
    words = shlex.split(command)
    *_, libraries, sources = words
    assert (CHECKOUT / sources / "propsync").is_dir()
    for folder in (libraries, sources):
        (tmp_path / folder / "one").mkdir(parents=True)
        (tmp_path / folder / "one/module.py").write_text("text = 1\n")
    subprocess.run([sys.executable, *words[1:]], cwd=tmp_path, check=True)
    assert len(list(tmp_path.rglob("one/__pycache__/module.*.pyc"))) == 2


def test_the_user_is_the_units():
    (command,) = of_program("useradd")
    user = command.split()[-1]
    assert user == value("propsync.service", "User")
    homes = re.search(r"--home-dir (\S+)", command)
    assert homes is not None
    assert homes[1] == f"/var/lib/{value('propsync.service', 'StateDirectory')}"


def test_the_login_that_is_shown_is_in_the_services_home():
    (command,) = of_program("cat")
    home = Path("/var/lib", value("propsync-serve.service", "StateDirectory"))
    assert command == f"cat {Place(home, '127.0.0.1', 4200).login}"


def test_units_that_are_named_are_there():
    named = re.findall(r"propsync[\w-]*@?\.(?:service|timer)", " ".join(of_program("systemctl")) + DOC)
    assert len(set(named)) >= 4
    assert all((DEPLOY / name).is_file() for name in named)


@pytest.mark.slow
def test_the_commands_by_hand_run(morning: Machine):
    printed = []
    for command in of_program("runuser"):
        line = morning.here(command.partition(" -- ")[2])
        environ = {"PATH": "/usr/bin:/bin"}
        done = subprocess.run(["/bin/sh", "-c", line], env=environ, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        printed.append(done.stdout)
    status, doctor = printed
    assert "Published: as of" in status
    assert "ok   GET /assessments: " in doctor


def test_containers_are_given_what_the_image_reads():
    runtime = stages()[1]
    (user,), (volume,) = of(runtime, "USER"), of(runtime, "VOLUME")
    assert f"-o {user.split(':')[0]} propsync.token" in DOC
    lines = "\n".join(of_program("docker"))
    told = {command: options for options, command in re.findall(r"(?m)^(docker run .*) propsync (\w+.*)$", lines)}
    watchdog = value("propsync-watchdog.service", "ExecStart").rpartition("/propsync ")[2]
    assert set(told) == {"sync", watchdog, "serve --host 0.0.0.0"}
    assert all(f"--volume propsync:{volume}" in options for options in told.values())
    for options in (told["sync"], told["serve --host 0.0.0.0"]):
        (given,) = re.findall(r"--env (\w+)=(\S+)", options)
        assert given[0] in {name for name, _, _ in settings_table()}
        assert f":{given[1]}:ro" in options


@needs("docker")
@pytest.mark.parametrize("command", of_program("docker"))
def test_docker_takes_every_option(command: str, tmp_path: Path):
    """It reads the whole line before it looks for an engine, and there is none where it is sent to."""
    line = command.replace("/etc/propsync/propsync.env", str(DEPLOY / "propsync.env.example"))
    nowhere = os.environ | {"DOCKER_HOST": f"unix://{tmp_path}/no.sock", "DOCKER_BUILDKIT": "0"}
    done = subprocess.run(shlex.split(line), env=nowhere, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert re.search("connect to the docker daemon|failed to connect|error during connect", done.stderr, re.IGNORECASE)
