"""Rows as text on standard output, and lines there and on standard error."""

from __future__ import annotations

import json
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, zip_longest
from typing import Any

from propsync import log
from propsync.cli.terminal import output

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")  # and those that turn the direction
_GAP = "  "
_NARROWEST = 24  # characters, the narrowest wrapped column: numbers and ids stay in one piece


def echo(line: str = "") -> None:
    """Writes one line to standard output, if it can: the exit code reports the work even without a reader."""
    try:
        sys.stdout.write(f"{_harmless(line)}\n")
    except OSError as error:
        output.lose(error)


def say(line: str) -> None:
    """Writes the one line on standard error that says what went wrong and what to do."""
    with suppress(OSError):
        sys.stderr.write(f"propsync: {_harmless(log.redact(line))}\n")


def _harmless(line: str) -> str:
    """The line with control characters as JSON escapes them: a name or a value could command the terminal."""
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", line)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Prints aligned columns under their names; numbers to the right. It wraps a terminal's long texts and cuts
    nothing. If a terminal is too narrow for the columns, it gives each value a line.
    """
    cells = [[_shown(value) for value in row] for row in rows]
    numeric = [all(_is_number(row[place]) for row in cells) and bool(cells) for place in range(len(columns))]
    print_lots(columns, [cells], numeric)


def print_lots(columns: Sequence[str], lots: Iterable[Sequence[Sequence[Any]]], numeric: Sequence[bool]) -> int:
    """The same for rows that come in batches, each with the widths that it needs; returns their number."""
    count, widths, is_stacked = 0, [len(name) for name in columns], False
    for number, lot in enumerate(chain(lots, [()])):
        cells = [[_shown(value) for value in row] for row in lot]
        widths = _widths(widths, cells)
        fitted = _on_terminal(widths, columns)
        is_stacked = is_stacked or (number == 0 and bool(cells) and _is_too_narrow(fitted))
        if number == 0 and not is_stacked:
            echo(_line(columns, fitted, numeric))
            echo(_GAP.join("─" * width for width in fitted))
        for row in cells:
            for line in _stacked(columns, row) if is_stacked else _aligned(row, fitted, numeric):
                echo(line)
        count += len(cells)
    return count


def fits(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> bool:
    """Whether standard output has room for such a table, with long texts wrapped."""
    widths = _widths([len(name) for name in columns], [[_shown(value) for value in row] for row in rows])
    return not _is_too_narrow(_on_terminal(widths, columns))


def _widths(widths: Sequence[int], cells: Sequence[Sequence[str]]) -> list[int]:
    return [max([width, *(len(row[place]) for row in cells)]) for place, width in enumerate(widths)]


def _on_terminal(widths: list[int], columns: Sequence[str]) -> list[int]:
    if not sys.stdout.isatty():
        return widths
    return _fitted(widths, columns, shutil.get_terminal_size().columns - len(_GAP) * (len(columns) - 1))


def _is_too_narrow(widths: Sequence[int]) -> bool:
    whole = sum(widths) + len(_GAP) * (len(widths) - 1)
    return sys.stdout.isatty() and whole > shutil.get_terminal_size().columns


def _fitted(widths: Sequence[int], columns: Sequence[str], room: int) -> list[int]:
    """The widest columns made narrower until all fit into `room`, if they can."""
    least = [min(width, max(len(name), _NARROWEST)) for name, width in zip(columns, widths, strict=True)]
    fitted = least
    for most in range(room, 0, -1):
        fitted = [max(low, min(width, most)) for width, low in zip(widths, least, strict=True)]
        if sum(fitted) <= room:
            break
    return fitted


def _aligned(cells: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> Iterator[str]:
    return (_line(line, widths, numeric) for line in _wrapped(cells, widths))


def _stacked(columns: Sequence[str], cells: Sequence[str]) -> Iterator[str]:
    """A row as a line for each value beside its column's name, and a blank line."""
    room = shutil.get_terminal_size().columns
    width = min(max(map(len, columns)), room // 2)
    for name, cell in zip(columns, cells, strict=True):
        yield from hanging(f"{name.ljust(width)}{_GAP}", cell, width + len(_GAP), room)
    yield ""


def hanging(first: str, text: str, indent: int, room: int) -> list[str]:
    """A text as lines of a terminal: `first` begins the first one, and the others are indented."""
    width = max(room, indent + _NARROWEST)
    rest = " " * indent
    lines = textwrap.wrap(text, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)
    return lines or [first.rstrip()]


def _wrapped(cells: Sequence[str], widths: Sequence[int]) -> Iterator[tuple[str, ...]]:
    """A row as lines that fit its columns."""
    if all(len(cell) <= width for cell, width in zip(cells, widths, strict=True)):
        return iter([tuple(cells)])
    pieces = (textwrap.wrap(cell, width, break_on_hyphens=False) for cell, width in zip(cells, widths, strict=True))
    return zip_longest(*pieces, fillvalue="")


def _line(cells: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    aligned = (
        cell.rjust(width) if right else cell.ljust(width)
        for cell, width, right in zip(cells, widths, numeric, strict=True)
    )
    return _GAP.join(aligned).rstrip()


def _shown(value: Any) -> str:
    if value is None:
        return ""
    text = json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, list | dict) else str(value)
    return " ".join(text.split())


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).replace("-", "", 1).isdigit() or not text
