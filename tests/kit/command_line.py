"""`propsync …` in the process of the tests: the code of the program, without the cost of a start."""

from __future__ import annotations

import gc
import io
import logging
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from propsync import progress
from propsync.cli import common_options, main
from propsync_sandbox import Sandbox

LOGGERS = ("propsync", "httpx", "httpcore")


@dataclass(frozen=True)
class Done:
    """The exit code of a command, and its output."""

    returncode: int
    stdout: str
    stderr: str


class CommandLine:
    """Runs commands in `folder`, each with these settings and no others of propsync."""

    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        self._folder, self._settings = folder, settings

    def __call__(self, *words: str, given: bytes = b"", **settings: str | None) -> Done:
        """Runs `propsync words…`. `given` is its standard input; a keyword is a setting, and None unsets one."""
        named = {f"PROPSYNC_{name.upper()}": value for name, value in settings.items()}
        with _process_left_alone(), _in(self._folder, {**self._settings, **named}):
            return _done(words, given)


def settings_of(sandbox: Sandbox, home: Path) -> dict[str, str]:
    """The settings of a home that is synced with the sandbox."""
    return {"PROPSYNC_BASE_URL": sandbox.base_url, "PROPSYNC_TOKEN": sandbox.token, "PROPSYNC_HOME": str(home)}


def _done(words: tuple[str, ...], given: bytes) -> Done:
    with TemporaryFile() as out, TemporaryFile() as err:
        with _standard_files(io.BytesIO(given), out, err):
            code = _exit_code(words)
        return Done(code, _text(out), _text(err))


def _exit_code(words: tuple[str, ...]) -> int:
    sys.argv = ["propsync", *words]
    try:
        main.run()
    except SystemExit as ended:
        return int(ended.code or 0)
    raise AssertionError("a command ends with an exit code")


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


@contextmanager
def _in(folder: Path, settings: Mapping[str, str | None]) -> Iterator[None]:
    """The block in `folder`, and with these settings in the environment."""
    environ, before = dict(os.environ), Path.cwd()
    for name in [name for name in environ if name.startswith("PROPSYNC_")]:
        del os.environ[name]
    os.environ.update({name: value for name, value in settings.items() if value is not None})
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
        os.environ.clear()
        os.environ.update(environ)


@contextmanager
def _standard_files(given: io.BytesIO, out: IO[bytes], err: IO[bytes]) -> Iterator[None]:
    """Sends what this process and its children write to `out` and `err`, and reads `given` in place of its input."""
    streams = sys.stdin, sys.stdout, sys.stderr
    with ExitStack() as stack:
        for number, file in ((1, out), (2, err)):
            stack.callback(os.close, kept := os.dup(number))
            stack.callback(os.dup2, kept, number)
            os.dup2(file.fileno(), number)
        sys.stdin = io.TextIOWrapper(given, encoding="utf-8")
        sys.stdout = opened = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - a number, no path
        sys.stderr = errors = open(2, "w", encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115
        try:
            yield
        finally:
            opened.flush()
            errors.flush()
            sys.stdin, sys.stdout, sys.stderr = streams


@contextmanager
def _process_left_alone() -> Iterator[None]:
    """Undoes afterwards what a command sets for the process that it usually has to itself."""
    handlers, thresholds, hook = list(logging.getLogger().handlers), gc.get_threshold(), sys.unraisablehook
    levels = {name: logging.getLogger(name).level for name in LOGGERS}
    signals = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    argv = sys.argv
    try:
        yield
    finally:
        sys.argv, sys.unraisablehook = argv, hook
        for number, handler in signals.items():
            signal.signal(number, handler)
        gc.set_threshold(*thresholds)
        _set_logging(handlers, levels)
        common_options.config = common_options.command = None


def _set_logging(handlers: list[logging.Handler], levels: Mapping[str, int]) -> None:
    progress.show_bars(None)
    logging.getLogger().handlers[:] = handlers
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)
