"""Standard output as it was found: closed, full, with nobody reading, or of few characters."""

from __future__ import annotations

import codecs
import io
import os
import sys

is_closed = False
lost: OSError | None = None
"""Why what was printed did not get there."""

_PLAIN = {"─": "-", "│": "|", "→": "->", "…": "...", "–": "-"} | dict.fromkeys("╭╮╰╯┬┴├┤┼┌┐└┘", "+")


def prepare() -> None:
    """Makes both streams usable whatever they are. Characters that they cannot take are written in ASCII."""
    global is_closed, lost
    is_closed, lost = sys.stdout is None, None
    codecs.register_error("propsync", _in_ascii)
    if sys.stdout is None:
        sys.stdout = _nowhere()
    if sys.stderr is None:
        sys.stderr = _nowhere()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="propsync")


def lose(error: OSError) -> None:
    """Keeps why output was lost; what follows goes nowhere, so that work under way comes to its end."""
    global lost
    lost = lost or error
    sys.stdout = _nowhere()


def _nowhere() -> io.TextIOWrapper:
    return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - as long as the program


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    unfit = error.object[error.start : error.end]
    return "".join(_PLAIN.get(one) or one.encode("ascii", "backslashreplace").decode() for one in unfit), error.end
