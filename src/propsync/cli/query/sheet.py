"""The rows of a query as an Excel workbook of one sheet, in bounded memory for any number of rows."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from xlsxwriter import Workbook
from xlsxwriter.exceptions import XlsxWriterException

from propsync.errors import QueryWrong
from propsync.warehouse.query_folder import query_folder
from propsync.warehouse.query_result import Cell, QueryResult

_MOST_ROWS = 1_048_575  # below the line of names
_MOST_COLUMNS = 16_384
_MOST_CHARACTERS = 32_767  # of UTF-16, in a cell
_PIECE = 1 << 16
_NARROWEST, _WIDEST = 8, 60  # characters
# [$-809] is British: some programs show a time in their own way, with AM
_FORMATS = {"date": "yyyy-mm-dd", "time": "[$-809]hh:mm:ss", "moment": "yyyy-mm-dd hh:mm:ss"}
_WIDTHS = {"date": 11, "time": 9, "moment": 19}
_WITH_FORMAT = 255  # characters: Excel shows a longer text in a cell of the format "text" as ####
_FILTER = 3  # characters that the arrow of a filter covers
_ANSWER = "--format xlsx"


def workbook(answer: QueryResult) -> Generator[bytes]:
    """The file, in pieces, once it is whole. Raises QueryWrong for rows that no sheet holds."""
    with query_folder() as folder:
        path = Path(folder) / "rows.xlsx"
        try:
            _write(answer, path)
        except (OSError, XlsxWriterException) as error:
            step = "Free some space for temporary files, set TMPDIR, or give --format csv"
            raise QueryWrong(_ANSWER, f"the file cannot be made: {error}", step) from error
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                yield piece


def _write(answer: QueryResult, path: Path) -> None:
    if len(answer.columns) > _MOST_COLUMNS:
        raise _too_much(f"{len(answer.columns):,} columns, and a sheet holds {_MOST_COLUMNS:,}")
    kinds = answer.kinds()
    book = Workbook(path, {"constant_memory": True, "tmpdir": str(path.parent)})
    sheet = _Sheet(book, answer.columns, kinds)
    try:
        with closing(answer.cells(kinds)) as lots:
            for lot in lots:
                sheet.add(lot)
    except BaseException:
        sheet.abandon()
        raise
    sheet.end()
    book.close()


class _Sheet:
    """The only sheet of a book. Each text is a text, whatever it looks like."""

    def __init__(self, book: Workbook, columns: Sequence[str], kinds: Sequence[str]) -> None:
        self._sheet: Any = book.add_worksheet("rows")
        self._columns, self._kinds, self._row = columns, kinds, 0
        self._text = book.add_format({"num_format": "@"})  # a text that somebody edits stays one
        self._formats = [
            book.add_format({"num_format": _FORMATS[kind]}) if kind in _FORMATS else None for kind in kinds
        ]
        head = book.add_format({"bold": True, "bottom": 1})
        for at, name in enumerate(columns):
            self._sheet.write_string(0, at, name, head)
        self._sheet.freeze_panes(1, 0)

    def add(self, lot: Sequence[tuple[Cell, ...]]) -> None:
        """Writes rows below the others."""
        if self._row == 0:
            self._set_widths(lot)
        if self._row + len(lot) > _MOST_ROWS:
            raise _too_much(f"more than {_MOST_ROWS:,} rows, and a sheet holds no more")
        for row in lot:
            self._row += 1
            for at, value in enumerate(row):
                self._write(at, value)

    def end(self) -> None:
        """Sets what needs the number of rows."""
        last = max(len(self._columns) - 1, 0)
        if self._row == 0:
            self._set_widths([])
        self._sheet.autofilter(0, 0, self._row, last)
        self._sheet.ignore_errors({"number_stored_as_text": f"A1:XFD{_MOST_ROWS + 1}"})

    def abandon(self) -> None:
        """Closes the temporary file of rows, which a book closes only once it is whole."""
        self._sheet.row_data_fh.close()

    def _write(self, at: int, value: Cell) -> None:
        if value is None:
            return
        if isinstance(value, str):
            self._write_text(at, value)
        elif isinstance(value, bool):
            self._sheet.write_boolean(self._row, at, value)
        else:
            self._sheet.write_number(self._row, at, _Double(value), self._formats[at])

    def _write_text(self, at: int, value: str) -> None:
        if len(value) > _MOST_CHARACTERS // 2 and len(value.encode("utf-16-le")) // 2 > _MOST_CHARACTERS:
            raise _too_much(
                f"a text of {len(value):,} characters in {self._columns[at]}, and a cell holds {_MOST_CHARACTERS:,}"
            )
        self._sheet.write_string(self._row, at, value, self._text if len(value) <= _WITH_FORMAT else None)

    def _set_widths(self, lot: Sequence[tuple[Cell, ...]]) -> None:
        """Room for the names and for the first rows."""
        for at, (name, kind) in enumerate(zip(self._columns, self._kinds, strict=True)):
            needed = _WIDTHS.get(kind) or _widest(row[at] for row in lot)
            self._sheet.set_column(at, at, min(max(needed + 1, len(name) + _FILTER, _NARROWEST), _WIDEST))


class _Double(float):
    """A number that stays the same double in the file: the library asks for 16 digits, and some need 17."""

    def __format__(self, asked: str) -> str:
        written = super().__format__(asked)
        return written if float(written) == self else repr(float(self))


def _widest(values: Iterable[Cell]) -> int:
    return max((len(str(value)) for value in values if value is not None), default=0)


def _too_much(what: str) -> QueryWrong:
    return QueryWrong(_ANSWER, f"the answer has {what}", "Ask for less, or give --format csv or parquet")
