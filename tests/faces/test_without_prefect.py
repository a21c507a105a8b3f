"""Prefect is an extra: all but `serve` works without it, and `serve` says what to install."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from propsync_sandbox import Sandbox

ABSENT = ("prefect", "yaml", "fastapi", "starlette", "uvicorn", "sqlalchemy", "pydantic_settings", "tenacity")
"""What the extra brings, or brings with it. A module that is None in `sys.modules` cannot be imported."""
WITHOUT = f"import sys; sys.modules.update(dict.fromkeys({ABSENT!r})); "
PROGRAM = WITHOUT + "from propsync.cli.start import program; program()"


def propsync(*words: str, **settings: str) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PROPSYNC_")} | settings
    command = [sys.executable, "-c", PROGRAM, *words]
    return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=200, check=False)


def test_every_module_is_imported_without_it() -> None:
    code = """
import importlib, pkgutil, propsync
for one in pkgutil.walk_packages(propsync.__path__, "propsync."):
    if one.name not in ("propsync.documents.cluster.dask", "propsync.webhook.server"):  # of extras that bring the same
        importlib.import_module(one.name)
print("all")
"""
    done = subprocess.run([sys.executable, "-c", WITHOUT + code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("all\n", 0), done.stderr


@pytest.mark.release
def test_a_night_is_synced_checked_and_read_without_it(tmp_path: Path) -> None:
    with Sandbox(scale=40) as sandbox:
        settings = {
            "PROPSYNC_HOME": str(tmp_path / "home"),
            "PROPSYNC_BASE_URL": sandbox.base_url,
            "PROPSYNC_TOKEN": sandbox.token,
        }
        for words in (["doctor"], ["sync"], ["backfill", "--property", "p1"], ["status"], ["archive", "verify"]):
            done = propsync(*words, **settings)
            assert done.returncode == 0, (words, done.stderr)
    done = propsync("query", "select count(*) as n from assets", "--format", "csv", **settings)
    assert done.stdout.split() == ["n", "40"]


def test_serve_says_what_to_install(tmp_path: Path) -> None:
    settings = {
        "PROPSYNC_HOME": str(tmp_path),
        "PROPSYNC_BASE_URL": "https://api.invalid/v1",
        "PROPSYNC_TOKEN": "x" * 9,
    }
    done = propsync("serve", **settings)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "propsync: serve: Prefect is not installed. Run: pip install 'propsync[prefect]'\n"
    assert list(tmp_path.iterdir()) == []
