"""Programs end with the program that started them, or propsync finds them by the environment that they inherited."""

import os
import subprocess
import sys
import time

import psutil
import pytest

from propsync.errors import StopRun
from propsync.serving import programs
from propsync.serving.place import MARK
from propsync.serving.programs import Program

SLEEP = "import time; time.sleep(60)"
STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)"
)


@pytest.fixture
def python(monkeypatch):
    """Programs of ours are Python ones here, not Prefect's."""
    monkeypatch.setattr(programs, "PREFECT", (sys.executable, "-c"))


def environ(mark):
    return {**os.environ, MARK: mark}


def test_what_a_killed_service_left_is_ended_by_force_if_need_be(tmp_path):
    found = [
        subprocess.Popen([sys.executable, "-c", code], env=environ("here"), stdout=subprocess.PIPE)
        for code in (SLEEP, STUBBORN)
    ]
    with subprocess.Popen([sys.executable, "-c", SLEEP], env=environ("elsewhere")) as other:
        assert found[1].stdout.readline() == b"deaf\n"
        assert programs.end_all("here", 0.5) == 2
        assert other.poll() is None
        other.kill()
    for one in found:
        one.stdout.close()
        one.wait(5)
    assert programs.end_all("here", 0.5) == 0


def test_a_program_ends_when_its_starter_is_killed(tmp_path):
    code = f"""
import os, sys, time
from pathlib import Path
from propsync.serving import programs
programs.PREFECT = (sys.executable, "-c")
one = programs.Program("sleeper", [{SLEEP!r}], Path({str(tmp_path / "log")!r}), os.environ, Path({str(tmp_path)!r}))
print(one.pid, flush=True)
time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as starter:
        sleeper = psutil.Process(int(starter.stdout.readline()))
        starter.kill()
    psutil.wait_procs([sleeper], timeout=10)
    assert not sleeper.is_running() or sleeper.status() == psutil.STATUS_ZOMBIE


def test_one_that_ended_by_itself_is_told_with_its_last_error(python, tmp_path):
    code = "print('so far so good'); raise SystemExit('fatal: no room')"
    program = Program("server", [code], tmp_path / "server.log", os.environ, tmp_path)
    with pytest.raises(StopRun, match=r"serve: the server stopped unexpectedly: fatal: no room\. Read .*server\.log"):
        until_ended(program)
    program.stop(1)


@pytest.mark.parametrize("words", ["file is not a database", "database disk image is malformed"])
def test_a_damaged_database_of_prefect_is_told_with_the_step_that_helps(python, tmp_path, words: str):
    said = f"sqlalchemy.exc.DatabaseError: (sqlite3.DatabaseError) {words}"
    code = f"print({said!r}); raise SystemExit('(Background on this error at: https://sqlalche.me/e/20/4xp6)')"
    (tmp_path / "logs").mkdir()
    program = Program("server", [code], tmp_path / "logs" / "server.log", os.environ, tmp_path)
    with pytest.raises(StopRun, match=rf"{words}\. Move {tmp_path}/prefect\.db away, .*`propsync serve` again"):
        until_ended(program)
    program.stop(1)


def test_one_that_does_not_stop_is_killed(python, tmp_path):
    program = Program("server", [STUBBORN], tmp_path / "server.log", os.environ, tmp_path)
    while b"deaf" not in (tmp_path / "server.log").read_bytes():
        time.sleep(0.05)
    program.check()
    program.stop(0.2)
    with pytest.raises(StopRun, match="the server stopped unexpectedly: SIGKILL"):
        program.check()


def test_a_command_that_fails_is_told_with_its_last_line(python, tmp_path):
    programs.run(["print('well')"], os.environ, tmp_path)
    with pytest.raises(StopRun, match=r"failed: no such pool"):
        programs.run(["raise SystemExit('no such pool')"], os.environ, tmp_path)


def until_ended(program):
    for _ in range(200):
        program.check()
        time.sleep(0.05)
