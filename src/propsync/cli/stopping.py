"""Ctrl-C and a service manager's SIGTERM while a command is at work: both raise KeyboardInterrupt."""

from __future__ import annotations

import signal
import sys
from typing import NoReturn

was_asked = False


def begin() -> None:
    """From now on work may be under way, which a stop must unwind. Before, `start` ends the program at once.

    A program that ignores Ctrl-C, as nohup makes it, goes on ignoring it.
    """
    global was_asked
    was_asked = False
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _stop)
    signal.signal(signal.SIGTERM, _stop)
    sys.unraisablehook = _unraisable


def _stop(_number: int, _frame: object) -> NoReturn:
    global was_asked
    was_asked = True
    raise KeyboardInterrupt


def _unraisable(unraisable: sys.UnraisableHookArgs) -> None:
    """A stop that came where Python can raise nothing, as in a destructor, comes once more."""
    if unraisable.exc_type is KeyboardInterrupt:
        signal.raise_signal(signal.SIGINT)
    else:
        sys.__unraisablehook__(unraisable)
