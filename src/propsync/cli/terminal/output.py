"""Standard output in any state: closed, full, without a reader, or of few characters."""

from __future__ import annotations

import codecs
import io
import os
import sys

is_closed = False
lost: OSError | None = None
"""Why the output was lost."""

_PLAIN = {"─": "-", "│": "|", "→": "->", "…": "...", "–": "-"} | dict.fromkeys("╭╮╰╯┬┴├┤┼┌┐└┘", "+")


def prepare() -> None:
    """Makes both streams usable in any state. Characters that they cannot encode become ASCII."""
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
    """Keeps why output was lost, and discards later output, so that the work under way completes."""
    global lost
    lost = lost or error
    sys.stdout = _nowhere()


def _nowhere() -> io.TextIOWrapper:
    return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - open until the program ends


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    unfit = error.object[error.start : error.end]
    return "".join(_PLAIN.get(one) or one.encode("ascii", "backslashreplace").decode() for one in unfit), error.end
