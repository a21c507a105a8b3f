"""Rows as text on standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

_WIDEST = 60


def echo(line: str = "") -> None:
    """One line on standard output."""
    sys.stdout.write(f"{line}\n")


def print_table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Aligned columns under their names; numbers to the right."""
    cells = [[_shown(value) for value in row] for row in rows]
    numeric = [all(_is_number(row[place]) for row in cells) and bool(cells) for place in range(len(columns))]
    widths = [max([len(name), *(len(row[place]) for row in cells)]) for place, name in enumerate(columns)]
    echo(_line(columns, widths, numeric))
    echo("  ".join("─" * width for width in widths))
    for row in cells:
        echo(_line(row, widths, numeric))


def _line(cells: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    aligned = (
        cell.rjust(width) if right else cell.ljust(width)
        for cell, width, right in zip(cells, widths, numeric, strict=True)
    )
    return "  ".join(aligned).rstrip()


def _shown(value: Any) -> str:
    if value is None:
        return ""
    text = json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, list | dict) else str(value)
    text = " ".join(text.split())
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).replace("-", "", 1).isdigit() or not text
