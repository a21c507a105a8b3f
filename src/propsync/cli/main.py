"""The program's run: one command, its output, and the meaning of its exit code."""

from __future__ import annotations

import errno
import logging
import os
import signal
import sys
from typing import NoReturn

import typer
from typer.exceptions import TyperException

from propsync import log
from propsync.cli import common_options as given
from propsync.cli import garbage, stopping
from propsync.cli.commands import app
from propsync.cli.start import INTERRUPTED, WORDS
from propsync.cli.terminal import output, usage
from propsync.cli.terminal.tables import say
from propsync.errors import PropsyncError, ResourceFailed

_NOT_WRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
_NO_ROOM = ("can't start new thread", "failed to map segment from shared object", "cannot allocate memory")
_PUBLISHING = ("sync", "backfill", "rebuild", "archive")  # their work is done, whether or not anybody reads the output


def program() -> NoReturn:
    """`propsync`: runs and exits. By now everything is closed, and Python's own shutdown would take 0.1 s."""
    code = 1
    try:
        run()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    except KeyboardInterrupt:
        code = INTERRUPTED
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        logging.shutdown()
        os._exit(code)


def run() -> None:
    """Runs a command and ends with its exit code; no traceback for faults that users can correct themselves."""
    garbage.look_seldom()
    sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]  # httpx's own program, and with it rich
    output.prepare()
    code: int | str | None = 0
    try:
        code = _command()
    except ResourceFailed as error:  # one that no run could assign to a resource
        say(str(error))
        code = 1
    except PropsyncError as error:
        say(str(error))
        code = error.exit_code
    except KeyboardInterrupt:
        code = INTERRUPTED
    except Exception as error:
        if stopping.was_asked:  # in the middle of an import, which turned it into another error
            code = INTERRUPTED
        else:
            logging.getLogger("propsync").debug("unexpected error", exc_info=True)
            say(_words(error))
            code = 1
    if code == INTERRUPTED:
        say(WORDS)
    without_output = _code_without_output()
    sys.exit(code or without_output)


def _command() -> int | str | None:
    """Runs a command and writes its output; returns its exit code."""
    code: int | str | None = 0
    try:
        code = app(prog_name="propsync", standalone_mode=False)
    except SystemExit as ended:
        code = ended.code
    except TyperException as error:
        said = error.format_message()
        if said.startswith("Usage:"):  # the help of a command that was given nothing to do
            typer.echo(said, err=True)
        else:
            say(str(usage.in_one_line(error)))
        code = error.exit_code
    try:
        sys.stdout.flush()
    except OSError as error:
        output.lose(error)
    return code


def _code_without_output() -> int:
    """Says why output was lost. A successful run then ends with 3: it published, but its report is incomplete."""
    if output.lost is None or isinstance(output.lost, BrokenPipeError):  # the reader has gone, as with `| head`
        return 0
    say(_words(output.lost))
    return 3 if given.command in _PUBLISHING else 1


def _words(error: Exception) -> str:
    """The message for an error that is not ours: of a file, of too little memory, or a fault."""
    if isinstance(error, OSError) and (words := _of_a_file(error)):
        return words
    if isinstance(error, MemoryError) or any(words in str(error).lower() for words in _NO_ROOM):
        step = "Raise its limits (`ulimit -v`, `ulimit -u`, or those of the service), then run the same command again"
        return f"this process could get no more memory or threads. {step}"
    if isinstance(error, ModuleNotFoundError) and error.name and not error.name.startswith("propsync"):
        return f"the package {error.name} is not in {sys.prefix}. Install propsync there again, as README.md shows"
    step = "This is a fault in propsync: run again with --log-level DEBUG and report what it says"
    return f"{type(error).__name__}: {log.redact(' '.join(str(error).split()))}. {step}"


def _of_a_file(error: OSError) -> str | None:
    """The message for an error of a right or of a disk; the output is a file without a name here."""
    from propsync.storage import in_the_way, step_against  # only a failure needs it

    if found := in_the_way(error):
        return str(found)
    if error.filename is None and error.errno in _NOT_WRITTEN:
        return f"standard output: it cannot be written ({error.strerror}). Make room there, or send it elsewhere"
    if step := step_against(error):
        return f"{error.filename or 'a file'}: it cannot be used ({error.strerror}). {step}"
    if error.errno not in _NOT_WRITTEN:
        return None
    step = "Make room on the disk, then run the same command again"
    return f"{error.filename}: it cannot be written ({error.strerror}). {step}"
