"""A list that people keep as a spreadsheet: the cells of its sheets, as text or as they are typed."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, NamedTuple

from propsync.merge.reference.error_cells import column_number, error_cells
from propsync.merge.reference.hidden_rows import hidden_rows
from propsync.merge.reference.reshown_cells import reshown_cells
from propsync.merge.reference.text_file import ListUnreadable

if TYPE_CHECKING:
    from python_calamine import CalamineSheet

Typed = str | int | float | bool | date | datetime | time | timedelta
"""The value of a cell; a blank one is an empty text."""

_XLSX = b"PK\x03\x04"
_OLD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # .xls, and an .xlsx with a password
_MOST_UNPACKED = 300_000_000  # bytes
_MOST_CELLS = 5_000_000
EXACT = 10**15  # a spreadsheet keeps 15 digits of a number
SHORTENED = re.compile(r"[+-]?\d([.,]\d+)?E\+\d{2,}", re.IGNORECASE)
"""A number as a spreadsheet writes a long one: 1.2E+12. An id of hexadecimal digits may be 12345e67."""
_ADDRESS = re.compile(rb'<(?:\w+:)?(?:c|row)\b[^<>]*?\br\s*=\s*["\']([A-Z]*)(\d+)["\']')


def is_sheet(content: bytes) -> bool:
    """Whether a file is a spreadsheet, whatever its name."""
    return content.startswith((_XLSX, _OLD))


@dataclass(frozen=True, slots=True)
class SheetError:
    """A cell that holds an error such as #REF!."""

    text: str


_PART = SheetError("a part of a merged cell")
_Row = tuple[int, list[Typed | SheetError]]
_Area = tuple[tuple[int, int], tuple[int, int]]
"""The first and the last of merged cells, each by its row and column from 0."""


def sheets_of(content: bytes) -> Iterator[list[tuple[int, list[str]]]]:
    """The rows of each sheet that people see, with their numbers, from the first sheet on; formulas as their results.

    A merged cell has its value in each of its rows, as people see it. A number has the zeros or words that they see in
    front, as in a CSV, and 90% is 0.9. An error has its words, such as #N/A, and a formula without a result says so.
    Raises ListUnreadable.
    """
    for place, _, is_visible, rows, merged in _sheets(content):
        if not is_visible:
            continue
        cells = {number: [_text(cell) for cell in row] for number, row in rows}
        shown = {at: one.shown for at, one in reshown_cells(content, place).items() if one.is_in_front}
        _replace(cells, shown | error_cells(content, place))
        _repeat_merged(cells, merged)
        yield list(cells.items())


def _replace(cells: dict[int, list[str]], texts: dict[tuple[int, int], str]) -> None:
    for (number, column), words in texts.items():
        if number in cells:
            cells[number] += [""] * (column - len(cells[number]))
            cells[number][column - 1] = words


def _repeat_merged(cells: dict[int, list[str]], merged: Iterable[_Area]) -> None:
    # a blank row below is a part of a tall one, or a gap
    written = {number for number, row in cells.items() if any(map(str.strip, row))}
    heading = min(written, default=None)
    for (top, left), (bottom, _) in merged:
        if top + 1 == heading:
            continue  # a header over two lines is no row
        value = next(iter(cells.get(top + 1, [])[left : left + 1]), "")
        for number in written.intersection(range(top + 2, min(bottom + 1, len(cells)) + 1)):
            cells[number] += [""] * (left + 1 - len(cells[number]))
            cells[number][left] = value


class TypedSheet(NamedTuple):
    """A sheet: its rows with their numbers, and the numbers of those that it hides."""

    name: str
    is_visible: bool
    rows: Iterator[_Row]
    hidden: frozenset[int]


def typed_sheets_of(content: bytes) -> Iterator[TypedSheet]:
    """Each sheet, hidden ones too. Raises ListUnreadable.

    Read one sheet before the next.

    An error is a SheetError: people must not take it for a blank. So is a merged cell below or beside the first, which
    seems to show its value. So is a number that people see in another form, such as 0012 or 90%.
    """
    for place, name, is_visible, rows, merged in _sheets(content):
        reshown = {at: one.words for at, one in reshown_cells(content, place).items()}
        cells = _with_merged(_with_errors(rows, reshown | error_cells(content, place)), merged)
        yield TypedSheet(name, is_visible, cells, hidden_rows(content, place))


def _with_errors(rows: Iterator[tuple[int, list[Typed]]], errors: dict[tuple[int, int], str]) -> Iterator[_Row]:
    of_row: dict[int, dict[int, str]] = {}
    for (number, column), text in errors.items():
        of_row.setdefault(number, {})[column] = text
    for number, row in rows:
        cells: list[Typed | SheetError] = [*row]
        for column, text in of_row.get(number, {}).items():
            cells += [""] * (column - len(cells))
            cells[column - 1] = SheetError(text)
        yield number, cells


def _with_merged(rows: Iterator[_Row], merged: Iterable[_Area]) -> Iterator[_Row]:
    areas: dict[int, list[_Area]] = {}
    for area in merged:
        areas.setdefault(area[0][0] + 1, []).append(area)
    reaching: list[_Area] = []
    for number, cells in rows:
        reaching = [area for area in reaching if number <= area[1][0] + 1]
        reaching += [area for area in areas.get(number, ()) if cells[area[0][1] : area[0][1] + 1] not in ([], [""])]
        for (top, left), (_, right) in reaching:
            for place in range(left + (number == top + 1), min(right + 1, len(cells))):
                cells[place] = _PART
        yield number, cells


def _sheets(content: bytes) -> Iterator[tuple[int, str, bool, Iterator[tuple[int, list[Typed]]], list[_Area]]]:
    # imports here, since most runs read no sheet
    from python_calamine import CalamineError, CalamineWorkbook, SheetVisibleEnum

    _refuse_bounds(content)
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(content))
        for place, one in enumerate(book.sheets_metadata):
            sheet = book.get_sheet_by_name(one.name)
            is_visible = one.visible == SheetVisibleEnum.Visible
            yield place, one.name, is_visible, _rows(sheet), sheet.merged_cell_ranges or []
    except CalamineError as error:
        raise ListUnreadable(f"it is not a readable spreadsheet ({error}); save it as .xlsx or CSV") from error


def _rows(sheet: CalamineSheet) -> Iterator[tuple[int, list[Typed]]]:
    before: list[Typed] = [""] * (sheet.start or (0, 0))[1]  # the reader leaves blank columns out, but no blank rows
    for number, row in enumerate(sheet.iter_rows(), 1):
        yield number, [*before, *row]


def _refuse_bounds(content: bytes) -> None:
    """Refuses a sheet that would take all memory: the reader makes a cell for each place between the outermost two."""
    if content.startswith(_OLD):
        raise ListUnreadable("it is an .xls file, or protected by a password; save it as .xlsx without one")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if sum(member.file_size for member in archive.infolist()) > _MOST_UNPACKED:
                raise ListUnreadable(f"it is larger than {_MOST_UNPACKED:,} bytes when unpacked")
            sheets = [name for name in archive.namelist() if "worksheets/" in name and name.endswith(".xml")]
            for name in sheets:
                _refuse_far_cells(archive.read(name))
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError) as error:
        raise ListUnreadable(f"it is a damaged spreadsheet ({error}); save it again") from error


def _refuse_far_cells(sheet: bytes) -> None:
    rows, columns, corner = 1, 1, ""
    for letters, digits in _ADDRESS.findall(sheet):
        row, column = int(digits[:9]), column_number(letters)
        if row > rows or column > columns:
            corner = f"{letters.decode()}{digits.decode()}"
        rows, columns = max(rows, row), max(columns, column)
    if rows * columns > _MOST_CELLS:
        raise ListUnreadable(f"its cells reach as far as {corner[:20]}; delete the cells far from the list")


def _text(cell: Typed) -> str:
    """A cell as its CSV would have it, with all the digits in the file."""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < EXACT else repr(cell)
    return cell.isoformat() if isinstance(cell, date | time) else str(cell)
