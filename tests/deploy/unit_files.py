"""The files of deploy/ as systemd and cron read them, as far as the tests of this folder need it."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
DEPLOY = CHECKOUT / "deploy"
BIN = Path(sys.executable).parent
INSTALLED = "/opt/propsync/.venv/bin"
"""Where units and crontab expect propsync."""


@dataclass(frozen=True)
class Machine:
    """A folder that stands for a machine: settings under etc/, what is kept under home/."""

    root: Path

    @property
    def etc(self) -> Path:
        return self.root / "etc"

    @property
    def home(self) -> Path:
        return self.root / "propsync"

    @property
    def token(self) -> Path:
        return self.etc / "token"

    def here(self, text: str) -> str:
        """The same text with paths of this machine in the place of those of the real one."""
        paths = {INSTALLED: BIN, "/etc/propsync": self.etc, "/var/lib/propsync": self.home}
        for real, ours in paths.items():
            text = text.replace(real, str(ours))
        return text

    def set_up(self, base_url: str, token: str) -> Machine:
        """What docs/operations.md has an operator put in place."""
        self.etc.mkdir(parents=True)
        self.token.write_text(token)
        example = (DEPLOY / "propsync.env.example").read_text(encoding="utf-8")
        written = re.sub(r"(?m)^PROPSYNC_BASE_URL=.*$", f"PROPSYNC_BASE_URL={base_url}", example)
        assert written != example
        (self.etc / "propsync.env").write_text(written)
        return self


def entries(unit: str) -> list[tuple[str, str]]:
    """The lines of a unit as (name, value), in order; a name may come more than once."""
    lines = (DEPLOY / unit).read_text(encoding="utf-8").splitlines()
    return [(name, value) for name, _, value in (line.partition("=") for line in lines if line[:1].isalpha())]


def values(unit: str, name: str) -> list[str]:
    return [value for one, value in entries(unit) if one == name]


def value(unit: str, name: str) -> str:
    """The one value of a name that must be there once."""
    (found,) = values(unit, name)
    return found


def variables(file: Path) -> dict[str, str]:
    """An environment file, read the plainest way there is: NAME=value, comments, nothing else."""
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)


def run_service(unit: str, machine: Machine, swap: tuple[str, str] = ("", "")) -> subprocess.CompletedProcess[str]:
    """Runs a service's ExecStart with the environment, umask and credentials that the unit asks for, and no others.

    `swap` puts one text of the line in another's place.
    """
    specifiers = {"%S": str(machine.home.parent), "%d": str(_credentials(unit, machine))}
    environ = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    for assignment in values(unit, "Environment"):
        name, _, given = assignment.partition("=")
        environ[name] = _filled(given, specifiers)
    for file in values(unit, "EnvironmentFile"):
        environ |= variables(Path(machine.here(file)))
    machine.home.mkdir(mode=int(value(unit, "StateDirectoryMode"), 8), exist_ok=True)
    line = _filled(machine.here(value(unit, "ExecStart").replace(*swap)), specifiers)
    return _run(shlex.split(line), environ, machine.root, umask=int(value(unit, "UMask"), 8))


def _credentials(unit: str, machine: Machine) -> Path:
    """A folder with what LoadCredential= names, as systemd would make it for this unit."""
    folder = machine.root / "credentials" / unit
    folder.mkdir(parents=True, exist_ok=True)
    for credential in values(unit, "LoadCredential"):
        name, _, source = credential.partition(":")
        (folder / name).write_bytes(Path(machine.here(source)).read_bytes())
    return folder


def _filled(text: str, specifiers: Mapping[str, str]) -> str:
    return re.sub(r"%[a-zA-Z]", lambda found: specifiers[found[0]], text)


@dataclass(frozen=True)
class CronLine:
    """A line of /etc/cron.d."""

    when: str
    user: str
    command: str


def cron_table() -> tuple[dict[str, str], list[CronLine]]:
    """The variables that the crontab sets, and its lines."""
    lines = (DEPLOY / "propsync.cron").read_text(encoding="utf-8").splitlines()
    meant = [line for line in lines if line and not line.startswith("#")]
    jobs = [line.split(None, 6) for line in meant if line[0].isdigit()]
    environ = dict(line.split("=", 1) for line in meant if not line[0].isdigit())
    return environ, [CronLine(" ".join(words[:5]), words[5], words[6]) for words in jobs]


def run_cron_line(line: CronLine, machine: Machine, swap: tuple[str, str] = ("", "")) -> str:
    """Runs a line with the little environment that cron gives; returns the mail that cron would send, "" for none."""
    assert "%" not in line.command, "cron takes it for the end of the line"
    table, _ = cron_table()
    environ = {"HOME": str(machine.root), "LOGNAME": line.user, "PATH": "/usr/bin:/bin"} | table
    environ = {name: machine.here(given) for name, given in environ.items()}
    done = _run([environ["SHELL"], "-c", machine.here(line.command.replace(*swap))], environ, machine.root)
    return done.stdout + done.stderr


def _run(
    command: list[str], environ: Mapping[str, str], cwd: Path, umask: int = -1
) -> subprocess.CompletedProcess[str]:
    certificates = {name: given for name, given in os.environ.items() if name.startswith("SSL_CERT_")}
    return subprocess.run(
        command,
        env=certificates | dict(environ),
        cwd=cwd,
        umask=umask,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
