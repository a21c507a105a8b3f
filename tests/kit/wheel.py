"""The wheel, built once for all tests that need it, and an environment in which only the wheel is propsync."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

from .programs import environment

CHECKOUT = Path(__file__).parents[2]


def build(folder: Path) -> None:
    """Builds the wheel of this checkout into `folder`."""
    _run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(CHECKOUT))


def install(wheel: Path, folder: Path) -> None:
    """Makes a virtual environment in `folder` with the wheel; it borrows the libraries of this environment."""
    venv.create(folder, symlinks=True)
    _run(sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), *_PIP, str(wheel))
    # Python reads no .pth file in a path that a .pth file adds: the editable install of this environment stays out
    (site,) = (folder / "lib").glob("python*/site-packages")
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib"))


_PIP = ("install", "--quiet", "--no-deps", "--no-index", "--no-compile")


def _run(*command: str) -> None:
    done = subprocess.run(command, cwd=os.sep, env=environment(), capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stdout + done.stderr
