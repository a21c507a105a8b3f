"""Ctrl-C, a closed terminal and a service manager's SIGTERM during a command: each raises KeyboardInterrupt."""

from __future__ import annotations

import signal
import sys
from typing import NoReturn

was_asked = False


def begin() -> None:
    """From now on a stop must unwind the work under way. Before, `start` ends the program at once.

    A program that ignores Ctrl-C or a closed terminal, as under nohup, continues to ignore it.
    """
    global was_asked
    was_asked = False
    for number in (signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)
    signal.signal(signal.SIGTERM, _stop)
    sys.unraisablehook = _unraisable


def _stop(_number: int, _frame: object) -> NoReturn:
    global was_asked
    was_asked = True
    raise KeyboardInterrupt


def _unraisable(unraisable: sys.UnraisableHookArgs) -> None:
    """Repeats a stop that came where Python can raise nothing, as in a destructor."""
    if unraisable.exc_type is KeyboardInterrupt:
        signal.raise_signal(signal.SIGINT)
    else:
        sys.__unraisablehook__(unraisable)
