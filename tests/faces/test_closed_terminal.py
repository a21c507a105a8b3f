"""A terminal that closes under a run, as when a connection by ssh breaks."""

from __future__ import annotations

import os
import pty
import subprocess

import pytest
from kit.programs import Program

pytestmark = pytest.mark.slow
SLOW = [{"match": {"path": "/properties/assets"}, "times": 4, "effect": {"kind": "delay", "seconds": 1}}]


def code_without_terminal(program: Program, line: str) -> int:
    """The exit code of a line of bash whose terminal closes while it shows a bar."""
    mine, its = pty.openpty()
    command = ["bash", "-c", f"{line} <{os.ttyname(its)} >{os.ttyname(its)} 2>&1"]
    environ = program.environ | {"TERM": "xterm"}
    with subprocess.Popen(command, env=environ, cwd=program.folder, start_new_session=True) as process:
        shown = b""
        while b"Reading assets" not in shown:
            shown += os.read(mine, 65_536)
        os.close(its)
        os.close(mine)
        return process.wait(60)


def test_a_run_that_ignores_it_publishes(program, sandbox):
    """As after `disown`. It has nowhere to print its report."""
    sandbox.set_faults(SLOW)
    assert code_without_terminal(program, "trap '' HUP; exec propsync sync --no-archive") == 3
    assert program("status", "--max-age", "1h").returncode == 0


def test_any_other_run_says_that_it_was_interrupted(program, synced, sandbox):
    sandbox.set_faults(SLOW)
    assert code_without_terminal(program, "exec propsync sync --no-archive") == 130
    assert "was interrupted" in program("status").stdout
