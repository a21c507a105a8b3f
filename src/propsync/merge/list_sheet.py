"""A list that people keep as a spreadsheet: the cells of its sheet, as text."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from datetime import date, time
from typing import Any

from python_calamine import CalamineError, CalamineWorkbook, PasswordError

from propsync.merge.list_text import ListUnreadable

_BEGINS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")  # .xlsx and .ods, .xls
_MOST_UNPACKED = 1_000_000_000  # bytes
_EXACT = 10**15  # a spreadsheet keeps 15 digits of a number


def is_sheet(content: bytes) -> bool:
    """Whether a file is a spreadsheet, whatever its name says."""
    return content.startswith(_BEGINS)


def sheets_of(content: bytes) -> Iterator[list[tuple[int, list[str]]]]:
    """The rows of each sheet with their numbers, from the first sheet on; formulas as what they came to.

    Raises ListUnreadable.
    """
    _refuse_bomb(content)
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(content))
        for name in book.sheet_names:
            yield _rows(book.get_sheet_by_name(name).to_python(skip_empty_area=False))
    except PasswordError as error:
        raise ListUnreadable("it is protected by a password; save it without") from error
    except CalamineError as error:
        raise ListUnreadable(f"it is no spreadsheet that can be read ({error}); save it as .xlsx or CSV") from error


def _refuse_bomb(content: bytes) -> None:
    if not content.startswith(b"PK"):
        return
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            size = sum(member.file_size for member in archive.infolist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise ListUnreadable(f"it is a damaged spreadsheet ({error}); save it again") from error
    if size > _MOST_UNPACKED:
        raise ListUnreadable(f"it is larger than {_MOST_UNPACKED:,} bytes when unpacked")


def _rows(cells: list[list[Any]]) -> list[tuple[int, list[str]]]:
    return [(number, [_text(cell) for cell in row]) for number, row in enumerate(cells, 1)]


def _text(cell: Any) -> str:
    """A cell as its CSV would have it, with all the digits that the file keeps."""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < _EXACT else repr(cell)
    return cell.isoformat() if isinstance(cell, date | time) else str(cell)
