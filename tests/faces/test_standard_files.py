"""Standard output that is closed, full, or of few characters, and stops at any instant: the right code, one line."""

from __future__ import annotations

import itertools
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from kit.command_line import settings_of
from kit.programs import Program
from variants import some

INTERRUPTED = "propsync: interrupted: the published tables are whole. Run the same command again\n"
FULL = "propsync: standard output: it cannot be written (No space left on device)"


@pytest.fixture(scope="module")
def program(running_sandbox, synced_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The program in a home where something is published."""
    home = tmp_path_factory.mktemp("files") / "home"
    shutil.copytree(synced_once, home)
    started = Program(home.parent, settings_of(running_sandbox, home))
    for name in [name for name in started.environ if name.startswith("PYTHON")]:
        del started.environ[name]
    return started


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "code", "printed"),
    some(
        [
            ("--log-level WARNING sync --only schedules >&-", 0, ""),
            ("--log-level WARNING sync --only schedules >/dev/full", 3, FULL),
            ("--log-level WARNING sync --only schedules --json >/dev/full", 3, FULL),
            ("status >&-", 0, ""),
            ("status >/dev/full", 1, FULL),
            ("status --max-age 0m >/dev/full", 3, FULL),
            ("status --max-age 0m >&- 2>&-", 3, ""),
            ("doctor >&-", 0, ""),
            ("doctor >/dev/full", 1, FULL),
            ("query 'select 1' >&-", 2, "propsync: standard output: it is closed"),
            ("query 'from range(300000)' >/dev/full", 1, FULL),
            ("query --tables 2>&-", 0, ""),
            ("query 'selec 1' 2>/dev/full", 2, ""),
            ("status --max-age 99999999999999h", 2, "propsync: --max-age: it is too long"),
            (f"status --max-age {'9' * 5000}d", 2, "propsync: --max-age: it is too long"),
        ],
        8,
    ),
)
def test_output_that_nobody_gets_costs_neither_the_code_nor_the_line(program, words: str, code: int, printed: str):
    done = program.shell(f"propsync {words}")
    assert (done.returncode, done.stderr.partition(". ")[0].partition(", and")[0].strip()) == (code, printed)
    assert len(done.stderr.splitlines()) == bool(printed)


def test_no_file_of_ours_gets_the_number_of_a_standard_file_that_is_closed():
    listed = """
import os
from propsync.cli import main, start
def tell():
    with open('/dev/zero') as opened:
        os.write(9, f'{opened.fileno()} {os.readlink("/proc/self/fd/1")}'.encode())
    os._exit(0)
main.program = tell
start.program()
"""
    words = ["bash", "-c", 'exec 9>&1; "$0" -c "$1" <&- >&- 2>&-', sys.executable, listed]
    done = subprocess.run(words, capture_output=True, text=True)
    number, standard_output = done.stdout.split()
    assert int(number) > 2
    assert standard_output == "/dev/null"


@pytest.mark.release
@pytest.mark.parametrize("encoding", some(["ascii", "latin-1", "cp1252"], 1))
def test_a_terminal_of_few_characters_is_no_fault(program, encoding: str):
    narrow = {"PYTHONIOENCODING": encoding, "TERM": "dumb", "LC_ALL": "C"}
    for words in ("--help", "status", "doctor", "query --tables", "query \"select 'é→漢' as x\""):
        done = program.shell(f"propsync {words}", **narrow)
        assert (done.returncode, done.stderr) == (0, ""), words
    assert "-----" in program("query", "--tables", **narrow).stdout
    assert "\\u6f22" in program("query", "select '漢' as x", **narrow).stdout
    assert program("query", "select '漢' as x", "--format", "csv", **narrow).stdout == "x\n漢\n"
    done = program("--log-level", "WARNING", "sync", **narrow)
    assert (done.returncode, done.stderr) == (0, "")


_STOPPED = """
import os, signal, sys, threading, time
from propsync.cli import start
def stop():
    time.sleep({seconds})
    os.kill(os.getpid(), signal.{by})
opens = start._open_what_is_closed
def hears():  # from here on: what comes while Python itself starts is Python's
    threading.Thread(target=stop, daemon=True).start()
    opens()
start._open_what_is_closed = hears
start.program()
"""


_STOPS = itertools.product([("--help",), ("status",), ("query", "select 1")], ["SIGINT", "SIGTERM", "SIGHUP"])


@pytest.mark.slow
@pytest.mark.parametrize(("words", "by"), some(_STOPS, 2))
def test_a_stop_at_any_instant_is_one_line(program, words: tuple[str, ...], by: str):
    codes = set()
    for milliseconds in range(0, 600, 40):
        words_given = [sys.executable, "-c", _STOPPED.format(seconds=milliseconds / 1000, by=by), *words]
        done = subprocess.run(
            words_given, env=program.environ, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        codes.add(done.returncode)
        assert (done.returncode, done.stderr) in ((130, INTERRUPTED), (0, "")), milliseconds
    assert 130 in codes


def test_what_ignores_ctrl_c_goes_on(program):
    words = [sys.executable, "-c", _STOPPED.format(seconds=0.1, by="SIGINT"), "status"]

    def ignore() -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    done = subprocess.run(words, env=program.environ, preexec_fn=ignore, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
