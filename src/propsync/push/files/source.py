"""A file of corrections as rows: the names of its columns, and cells with their addresses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any

from propsync.merge.reference.spreadsheet import SheetError

Cell = str | bool | int | float | Decimal | date | time | timedelta | SheetError | list[Any] | dict[str, Any] | None
"""The value of a cell. CSV has texts alone; None and a text of blanks are empty."""


class UnsureDate(date):
    """A date of a spreadsheet before March 1900: Excel has a 29 February there, so other programs show the day after.

    No file says which program wrote it.
    """


BLANKS = " \t\r\n\v\f\u00a0\u200b\ufeff"
QUERY = "--sql"
"""The name of rows that come from a query, in place of a file's."""
_LETTERS = 26
_LONGEST = 80  # characters of a cell in a message


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the file below its header, by the number that a spreadsheet shows."""

    number: int
    cells: Sequence[Cell]

    def cell(self, place: int) -> Cell:
        """The cell at a place from 0; None beyond the last."""
        return self.cells[place] if place < len(self.cells) else None


@dataclass
class Source:
    """A file that propsync reads once, from the top.

    `is_lossy` marks a CSV that holds no character beyond Windows-1252: its writer put ? in place of any other.
    `is_guessed` says that nothing in the file tells its encoding, and another one may be right.
    `has_addresses` is False for rows that no spreadsheet shows. `hidden` are the numbers of rows that it hides.
    """

    name: str
    sha256: str
    header: list[str]
    rows: Iterator[Row]
    is_lossy: bool = False
    is_guessed: bool = False
    has_addresses: bool = True
    hidden: frozenset[int] = frozenset()
    notes: list[str] = field(default_factory=list)

    @property
    def is_query(self) -> bool:
        """Whether the rows come from a query, so that no spreadsheet has changed a character."""
        return not self.has_addresses and self.name == QUERY

    def column(self, place: int, row: int | None = None) -> str:
        """The column as people find it: its name, with the address of the cell or the letters of the column."""
        name = self.header[place] if place < len(self.header) else ""
        if not self.has_addresses:
            return name
        address = letters(place) if row is None else f"{letters(place)}{row}"
        return f"{name} ({address})" if name else address


def letters(place: int) -> str:
    """The letters of a column: A is 0."""
    before, last = divmod(place, _LETTERS)
    return (letters(before - 1) if before else "") + chr(ord("A") + last)


def is_empty(cell: Cell) -> bool:
    """Whether a cell changes nothing."""
    return cell is None or (isinstance(cell, str) and not cell)


def is_blank(cell: Cell) -> bool:
    """Whether a cell is empty, or has blanks alone."""
    return cell is None or (isinstance(cell, str) and not cell.strip(BLANKS))


def shortened(cell: Cell) -> str:
    """A cell for a message, as a spreadsheet shows it."""
    text = _as_shown(cell)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _as_shown(cell: Cell) -> str:
    if isinstance(cell, SheetError):
        return cell.text
    if isinstance(cell, bool):
        return str(cell).upper()
    return f"{cell:.15g}" if isinstance(cell, float) else str(cell)
