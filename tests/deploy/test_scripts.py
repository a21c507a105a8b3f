"""The scripts for Prefect refuse to work without its server, for which Prefect would start another one in silence."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from kit.programs import environment

SCRIPTS = Path(__file__).parents[2] / "deploy" / "scripts"


@pytest.mark.costly
@pytest.mark.parametrize("words", [["keep_token.py"], ["tell_held_deletes.py", "https://hooks.example.org/propsync"]])
def test_without_a_server_nothing_is_kept_where_nobody_looks(words: list[str], tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPTS / words[0]), *words[1:]]
    environ = environment(PREFECT_HOME=str(tmp_path / "prefect"))
    done = subprocess.run(command, input="a-token", env=environ, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert done.stderr.startswith("no Prefect server is known: set PREFECT_API_URL")
    assert not (tmp_path / "prefect" / "prefect.db").exists()


@pytest.mark.release
@pytest.mark.parametrize("words", [["keep_token.py"], ["tell_held_deletes.py", "https://hooks.example.org/propsync"]])
def test_a_server_that_is_away_is_one_line(words: list[str], tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPTS / words[0]), *words[1:]]
    environ = environment(PREFECT_HOME=str(tmp_path / "prefect"), PREFECT_API_URL="http://127.0.0.1:9/api")
    done = subprocess.run(command, input="a-token", env=environ, capture_output=True, text=True, timeout=120)
    (line,) = done.stderr.splitlines()
    assert (done.returncode, line[:35]) == (1, "Prefect's server did not take it: [")
    assert line.endswith("Check PREFECT_API_URL and PREFECT_API_AUTH_STRING")
