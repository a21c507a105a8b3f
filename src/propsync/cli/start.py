"""The program `propsync`: it reacts to Ctrl-C from its first instant on, even during its imports."""

from __future__ import annotations

import os
import signal

TYPE_CHECKING = False  # see propsync/__init__.py
if TYPE_CHECKING:
    from typing import NoReturn

INTERRUPTED = 130  # typer's reaction to Ctrl-C
WORDS = "interrupted: the published tables are whole. Run the same command again"


def program() -> NoReturn:
    """Keeps the three standard files open, then runs the command."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # otherwise nohup, for example, ignores it
        signal.signal(signal.SIGINT, _leave)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:  # a closed terminal, which nohup ignores too
        signal.signal(signal.SIGHUP, _leave)
    signal.signal(signal.SIGTERM, _leave)
    _open_what_is_closed()
    from propsync.cli import main

    main.program()


def _leave(_number: int, _frame: object) -> NoReturn:
    try:
        os.write(2, f"propsync: {WORDS}\n".encode())
    finally:
        os._exit(INTERRUPTED)


def _open_what_is_closed() -> None:
    """Opens closed standard files: a database with the number of one would receive whatever the program prints
    there.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number: this one
