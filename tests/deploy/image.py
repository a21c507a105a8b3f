"""The Dockerfile without an engine: its instructions, and its build stage carried out in a folder with a fresh venv."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from deploy.unit_files import CHECKOUT
from kit.programs import environment

DOCKERFILE = CHECKOUT / "Dockerfile"
_MOUNT = re.compile(r"--mount=\S+\s+")


@dataclass(frozen=True)
class Instruction:
    """One instruction of a Dockerfile; `rest` is what follows its name, on one line."""

    name: str
    rest: str


def stages() -> list[list[Instruction]]:
    """The instructions of each stage, its FROM first."""
    lines = [line for line in DOCKERFILE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    found: list[list[Instruction]] = []
    for line in filter(None, joined.splitlines()):
        name, _, rest = line.partition(" ")
        if name == "FROM":
            found.append([])
        found[-1].append(Instruction(name, rest.strip()))
    return found


def of(stage: list[Instruction], name: str) -> list[str]:
    return [one.rest for one in stage if one.name == name]


def copied_from_checkout() -> list[str]:
    """What COPY takes into the build, in order."""
    return [source for rest in of(stages()[0], "COPY") for source in rest.split()[:-1]]


class Build:
    """The build stage in `root`: what COPY takes is copied, each RUN is run, with paths of `root` for those of it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.venv = root / "opt" / "propsync"
        self._cwd = root / "build"
        self._path = f"{root / 'python' / 'bin'}{os.pathsep}{os.environ['PATH']}"

    def carry_out(self) -> None:
        subprocess.run([sys.executable, "-m", "venv", str(self.root / "python")], check=True, timeout=120)
        self._cwd.mkdir()
        for instruction in stages()[0]:
            if instruction.name == "COPY":
                self._copy(*instruction.rest.split())
            elif instruction.name == "RUN":
                self._run(instruction.rest)

    def _copy(self, *words: str) -> None:
        *sources, target = words
        for source in sources:
            if (CHECKOUT / source).is_dir():
                shutil.copytree(CHECKOUT / source, self._cwd / target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(CHECKOUT / source, self._cwd / target)

    def _run(self, command: str) -> None:
        shell = re.sub(r"(?<![\w.])/(wheels|opt/propsync)\b", rf"{self.root}/\1", _MOUNT.sub("", command))
        environ = environment() | {"PATH": self._path}
        done = subprocess.run(
            shell, shell=True, cwd=self._cwd, env=environ, capture_output=True, text=True, timeout=600, check=False
        )
        assert done.returncode == 0, f"{shell}\n{done.stdout}{done.stderr}"

    def environment(self, home: Path, **settings: str) -> dict[str, str]:
        """The settings of the image, with `home` for the volume, and these."""
        environ = {"PATH": f"{self.venv / 'bin'}:/usr/bin:/bin", "HOME": "/nonexistent", "PROPSYNC_HOME": str(home)}
        certificates = {name: given for name, given in os.environ.items() if name.startswith("SSL_CERT_")}
        return certificates | environ | settings
