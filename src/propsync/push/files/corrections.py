"""Reads a file of corrections: CSV, .xlsx, Parquet or JSON lines."""

from __future__ import annotations

import codecs
import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import msgspec

from propsync.errors import UsageError
from propsync.merge.reference.spreadsheet import SheetError, is_sheet, typed_sheets_of
from propsync.merge.reference.text_file import WINDOWS, ListUnreadable, decoded_by, lines_of
from propsync.push.files.parquet_file import parquet_rows
from propsync.push.files.source import BLANKS, QUERY, Cell, Row, Source, UnsureDate, is_blank
from propsync.push.plan import is_plan
from propsync.storage import NO_MATTER_WHERE, step_against, why_unread

_MOST_BYTES = 200_000_000
_PARQUET = b"PAR1"
_JSON = (".jsonl", ".ndjson", ".json")
_OTHER_SEPARATORS = "|^~:"
_ABOVE = 10  # rows of a title that people put above the header
_SURE_FROM = date(1900, 3, 1)
_DECODER = msgspec.json.Decoder(dict[str, Any], float_hook=Decimal)
_ARRAY = msgspec.json.Decoder(list[dict[str, Any]], float_hook=Decimal)


@dataclass(frozen=True)
class _Sheet:
    """The names of a sheet's columns, its rows, and the numbers of those that it hides."""

    name: str
    is_visible: bool
    header: list[str]
    rows: Iterator[Row]
    hidden: frozenset[int]


class _Empty(ListUnreadable):
    """A file or a sheet without any row."""


def read_file(path: Path, key: str) -> Source:
    """The file's rows. Of a workbook with several sheets it takes the one with the column `key`. Raises UsageError."""
    if is_plan(path):
        step = "Read it with `propsync push show`, or send it with `propsync push apply`"
        raise UsageError(str(path), "it is a plan that somebody has saved, not a file of corrections", step)
    content = _content(path)
    try:
        source = _source(path, content, key)
        source.rows = _readable(str(path), source.rows)
        return source
    except ListUnreadable as error:
        raise _unusable(str(path), error) from error


def read_answer(sql: str, content: bytes) -> Source:
    """The rows of a query, which DuckDB wrote as Parquet."""
    header, rows = parquet_rows(content)
    named = (QUERY, hashlib.sha256(sql.encode()).hexdigest())
    return Source(*named, header, _readable(QUERY, rows), has_addresses=False)


def _source(path: Path, content: bytes, key: str) -> Source:
    named = (path.name, hashlib.sha256(content).hexdigest())
    if is_sheet(content):
        one, notes = _workbook(content, key)
        return Source(*named, one.header, one.rows, hidden=one.hidden, notes=notes)
    if content.startswith(_PARQUET):
        return Source(*named, *parquet_rows(content), has_addresses=False)
    if path.suffix.lower() in _JSON:
        return Source(*named, *_json_lines(content), has_addresses=False)
    text, encoding = decoded_by(content)
    lines = (Row(number, cells) for number, (_, cells) in enumerate(lines_of(text, keeps_blanks=True), 1))
    is_guessed = encoding == WINDOWS
    is_lossy = is_guessed or content.isascii()
    return Source(*named, *_below_header(_whole(lines, text), key), is_lossy=is_lossy, is_guessed=is_guessed)


def _whole(rows: Iterable[Row], text: str) -> Iterator[Row]:
    """The rows of a CSV. Raises ListUnreadable if it ends within the last one, as after a copy that broke off.

    A value cut in two looks like an edit, and --prune would delete what the lost rows name.
    """
    width, last = 0, Row(0, [])
    for last in rows:
        width = width or (0 if all(map(is_blank, last.cells)) else len(last.cells))
        yield last
    if 0 < len(last.cells) < width and not text.endswith(("\n", "\r")):
        what = f"it ends within row {last.number}, at cell {len(last.cells)} of {width}"
        raise ListUnreadable(f"{what}; copy it again, or end it with a new line if it is whole")


def _content(path: Path) -> bytes:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UsageError(str(path), f"it is larger than {_MOST_BYTES:,} bytes", "Split it")
        return path.read_bytes()
    except FileNotFoundError:
        raise UsageError(str(path), "there is no such file", "Check its path") from None
    except (OSError, ValueError) as error:
        step = step_against(error)
        step = step if step in NO_MATTER_WHERE else "Check its path and permissions"
        raise UsageError(str(path), why_unread(error), step) from None


def _unusable(name: str, error: ListUnreadable) -> UsageError:
    where = name if error.line is None else f"{name} line {error.line}"
    what = "query" if name == QUERY else "file"
    return UsageError(where, error.reason, f"Correct the {what}, then run `propsync push plan` again")


def _readable(name: str, rows: Iterator[Row]) -> Iterator[Row]:
    """The rows, whose errors name the file or the query."""
    try:
        yield from rows
    except ListUnreadable as error:
        raise _unusable(name, error) from error


def _below_header(rows: Iterable[Row], key: str) -> tuple[list[str], Iterator[Row]]:
    """The names in the first row that is not blank, and the rows below that are not."""
    filled = (row for row in rows if not all(map(is_blank, row.cells)))
    first = list(islice(filled, _ABOVE))
    if not first:
        raise _Empty("it is empty")
    header = next((row for row in first if _has(row.cells, key)), first[0])
    if header is not first[0]:
        raise ListUnreadable(f"its header is row {header.number}; delete the rows above it")
    _refuse_other_separators(header, key)
    return [_name(cell, header.number) for cell in header.cells], chain(first[1:], filled)


def _refuse_other_separators(header: Row, key: str) -> None:
    name = str(header.cells[0])
    for mark in _OTHER_SEPARATORS if len(header.cells) == 1 else "":
        if mark in name and _has(name.split(mark), key):
            what = f"its columns are separated by {mark}; use a comma, a semicolon or a tab, or begin the file"
            raise ListUnreadable(f"{what} with a line sep={mark}")


def _has(cells: Iterable[Cell], key: str) -> bool:
    return any(isinstance(cell, str) and cell.strip(BLANKS).lower().replace(" ", "_") == key for cell in cells)


def _name(cell: Cell, row: int) -> str:
    if isinstance(cell, SheetError):
        raise ListUnreadable(f"the name of a column is {cell.text}", row)
    return "" if cell is None else str(cell).strip(BLANKS)


def _workbook(content: bytes, key: str) -> tuple[_Sheet, list[str]]:
    """The only sheet with the column, else the first that has any row; and a line about other sheets that people see.

    A hidden sheet may be what the visible one began as, so that its cells lack the edits.
    """
    _refuse_other_books(content)
    unreadable: list[ListUnreadable] = []
    sheets: list[_Sheet] = []
    others: list[str] = []
    for name, is_visible, cells, hidden in typed_sheets_of(content):
        try:
            header, rows = _below_header((Row(number, [*map(_plain, row)]) for number, row in cells), key)
        except ListUnreadable as error:
            unreadable.append(error)
            others += [name] if is_visible and not isinstance(error, _Empty) else []
            continue
        sheets.append(_Sheet(name, is_visible, header, rows, hidden))
    chosen = [one for one in sheets if _has(one.header, key)]
    if len(chosen) > 1:
        names = " and ".join(one.name for one in chosen)
        raise ListUnreadable(f"its sheets {names} each have a column {key}; keep one of them in the file")
    if not chosen and (said := [one for one in unreadable if not isinstance(one, _Empty)]):
        raise said[0]
    if not sheets:
        raise _Empty("it is empty")
    used = (chosen or sheets)[0]
    if chosen and not used.is_visible:
        raise ListUnreadable(f"its sheet {used.name} has the column {key} and is hidden; show that sheet, or delete it")
    others += [one.name for one in sheets if one.is_visible and one is not used]
    return used, [
        f"Sheets: the plan is of the sheet {used.name} alone, and ignores {', '.join(others)}"
    ] if others else []


def _refuse_other_books(content: bytes) -> None:
    with suppress(zipfile.BadZipFile), zipfile.ZipFile(io.BytesIO(content)) as archive:
        if "xl/workbook.xml" not in archive.namelist():
            raise ListUnreadable("it is not an .xlsx file; save it as .xlsx or CSV UTF-8")


def _plain(cell: Cell) -> Cell:
    """Makes a sheet's whole numbers floats, because it keeps 15 of their digits, and early dates unsure ones."""
    if isinstance(cell, date) and (day := date(cell.year, cell.month, cell.day)) < _SURE_FROM:
        return UnsureDate(day.year, day.month, day.day)
    return float(cell) if isinstance(cell, int) and not isinstance(cell, bool) else cell


def _json_lines(content: bytes) -> tuple[list[str], Iterator[Row]]:
    """Names in the order in which they appear; a first pass finds them."""
    content = content.removeprefix(codecs.BOM_UTF8)  # PowerShell writes it
    if content.lstrip().startswith(b"["):
        records = _decoded(_ARRAY, content, None)
        return _of_records(lambda: enumerate(records, 1))
    lines = content.splitlines()
    return _of_records(
        lambda: ((number, _decoded(_DECODER, line, number)) for number, line in enumerate(lines, 1) if line.strip())
    )


def _of_records(records: Any) -> tuple[list[str], Iterator[Row]]:
    names = list(dict.fromkeys(name for _, record in records() for name in record))
    if not names:
        raise ListUnreadable("it is empty")
    return names, (Row(number, [record.get(name) for name in names]) for number, record in records())


def _decoded(decoder: Any, body: bytes, line: int | None) -> Any:
    try:
        records = decoder.decode(body)
        json.loads(body, object_pairs_hook=partial(_refuse_doubles, line), parse_int=str)
    except UnicodeDecodeError as error:
        raise ListUnreadable("a character is not UTF-8; save it as UTF-8", line) from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise ListUnreadable(f"it is not an object of JSON ({error})", line) from error
    return records


def _refuse_doubles(line: int | None, members: list[tuple[str, Any]]) -> None:
    """Raises ListUnreadable for a name that an object has twice: a decoder keeps the last value."""
    names = set[str]()
    for name, _ in members:
        if name in names:
            raise ListUnreadable(f"an object has {name!r} twice, and propsync cannot tell which counts", line)
        names.add(name)
