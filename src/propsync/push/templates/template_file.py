"""Writes a template as .xlsx or CSV; every cell is a text, so that no spreadsheet takes an id for a number."""

from __future__ import annotations

import csv
import tempfile
from pathlib import Path
from typing import Any

from xlsxwriter import Workbook

from propsync.errors import UsageError
from propsync.push.templates.template import Template
from propsync.push.values.shown import quoted_formula
from propsync.storage import PARTIAL, disk_errors, or_elsewhere, remove, replace

SUFFIXES = (".xlsx", ".csv")
_MOST_ROWS = 1_048_575  # below the header of a sheet
_ELSEWHERE = "Give the template a place where you may write"
_WIDTH, _WIDEST = 14, 40  # characters
_WITH_FORMAT = 255  # characters: Excel shows a longer text in a cell of the format "text" as ####
_SPARE = 1_000  # rows below the last that keep texts as texts
_OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}


def write_template(template: Template, path: Path) -> int:
    """Writes the file whole and returns the number of its rows. Raises UsageError for other kinds.

    It raises UsageError too if the file exists, or its folder does not.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise UsageError(str(path), "a template is a file .xlsx or .csv", "Give it one of these names")
    if path.exists():
        raise UsageError(str(path), "it exists already, and may have your edits", "Give a new name, or remove it")
    if not path.absolute().parent.is_dir():
        raise UsageError(str(path), f"there is no folder {path.parent}", "Give a folder that exists")
    partial = _partial(path)
    try:
        with disk_errors(path):
            count = (_write_sheet if suffix == ".xlsx" else _write_csv)(template, partial)
        replace(partial, path)
    finally:
        remove(partial)
    return count


def _partial(path: Path) -> Path:
    """A new file beside it. Raises UsageError where nothing can be written, and DiskFull."""
    try:
        with (
            or_elsewhere(_ELSEWHERE),
            disk_errors(path),
            tempfile.NamedTemporaryFile(dir=path.absolute().parent, suffix=PARTIAL, delete=False) as file,
        ):
            return Path(file.name)
    except FileNotFoundError as error:  # as in /proc, which holds no files of ours
        raise UsageError(str(path), f"cannot be written: {error.strerror}", _ELSEWHERE) from error


def _write_csv(template: Template, path: Path) -> int:
    count = 0
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(map(quoted_formula, template.header))
        for row in template.rows:
            pairs = zip(row, template.may_quote, strict=True)
            writer.writerow([quoted_formula(text) if may_quote else text for text, may_quote in pairs])
            count += 1
    return count


def _write_sheet(template: Template, path: Path) -> int:
    book = Workbook(path, _OPTIONS | {"tmpdir": str(path.parent)})
    sheet = book.add_worksheet("rows")
    text, head = book.add_format({"num_format": "@"}), book.add_format({"num_format": "@", "bold": True, "bottom": 1})
    for at, name in enumerate(template.header):
        sheet.set_column(at, at, min(max(len(name) + 2, _WIDTH), _WIDEST), text)
        sheet.write_string(0, at, name, head)
    sheet.freeze_panes(1, 0)
    try:
        count = _write_rows(sheet, template, text, path)
    except BaseException:
        sheet.row_data_fh.close()  # a book closes it only once it is whole
        raise
    sheet.ignore_errors({"number_stored_as_text": f"A1:XFD{count + _SPARE}"})
    book.close()
    return count


def _write_rows(sheet: Any, template: Template, text: Any, path: Path) -> int:
    count = 0
    for count, row in enumerate(template.rows, 1):
        if count > _MOST_ROWS:
            raise UsageError(str(path), f"a sheet holds {_MOST_ROWS:,} rows", "Name fewer properties, or give .csv")
        for at, value in enumerate(row):
            if value:
                sheet.write_string(count, at, value, text if len(value) <= _WITH_FORMAT else None)
    return count
