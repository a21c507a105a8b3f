"""The examples of docs/delta.md run as they are written, on a real home."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from clients.test_delta import CLIENTS, folder, home
from clients.test_old_clients import ROOT
from kit.clients import with_client
from kit.sandbox_home import SandboxHome

PAGE = (ROOT / "docs" / "delta.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(python|sql)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
PYTHON = [code for language, code in BLOCKS if language == "python" and "pyspark" not in code]

__all__ = ["folder", "home"]


def run(home: SandboxHome, code: str, client: str = "") -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=home.path,
        env=with_client(client),
        capture_output=True,
        text=True,
        check=False,
    )
    # deltalake's file system in Python aborts some programs at their end, after they read everything
    assert done.returncode == 0 or "terminate called without" in done.stderr, done.stderr
    return done.stdout


@pytest.mark.release
@pytest.mark.parametrize("code", PYTHON, ids=range(len(PYTHON)))
def test_an_example_in_python_finds_rows(home: SandboxHome, code: str) -> None:
    name = re.findall(r"^(\w+) = ", code, re.MULTILINE)[-1]
    client = CLIENTS["polars"] if "polars" in code else ""
    assert int(run(home, f"{code}\nprint(len({name}))", client)) > 0


@pytest.mark.release
def test_the_example_for_duckdb_counts_the_assets(home: SandboxHome) -> None:
    (sql,) = [code for language, code in BLOCKS if language == "sql"]
    loading = (
        "import duckdb, pathlib\n(file,) = pathlib.Path(duckdb.__file__).parents[1].rglob('delta.duckdb_extension')\n"
    )
    without_network = sql.replace("INSTALL delta;", "").replace("LOAD delta;", "LOAD '{file}';")
    told = run(home, f"{loading}print(duckdb.sql(f'''{without_network}''').fetchall())", CLIENTS["duckdb"])
    assert told.split() == [f"[({home.rows('select count(*) from assets')[0][0]},)]"]
