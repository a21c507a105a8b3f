"""A list saved as text: its encoding, its separator, its lines."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator

from propsync.file_kinds import kind_of

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),  # Excel's "Unicode text"
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
WINDOWS = "windows-1252"
_SEPARATORS = (",", ";", "\t")
_SAID = re.compile(r"sep=(.)\s*\Z", re.IGNORECASE)  # Excel's own first line
# a character of several bytes, as UTF-8 has it; Windows-1252 hardly ever has these in a row
_OF_UTF8 = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")


class ListUnreadable(ValueError):
    """Why propsync cannot read a list; `line` is the place, None if the reason concerns no single line."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason, self.line = reason, line


def decoded(content: bytes) -> str:
    """UTF-8 or UTF-16 by its mark, else UTF-8, else Windows-1252 as Excel saves it. Raises ListUnreadable."""
    return decoded_by(content)[0]


def decoded_by(content: bytes) -> tuple[str, str]:
    """The same with the name of the encoding. Raises ListUnreadable."""
    if kind := kind_of(content):
        raise ListUnreadable(f"it is {kind}; save the spreadsheet as .xlsx or CSV UTF-8")
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _plain(_strictly(content[len(mark) :], encoding)), encoding
    try:
        return _plain(content.decode("utf-8")), "utf-8"
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
    if _OF_UTF8.search(content):  # as Windows-1252, every correct letter of it would become two wrong ones
        raise ListUnreadable("a character is not UTF-8, though others are", line)
    return _plain(_strictly(content, WINDOWS)), WINDOWS


def _strictly(content: bytes, encoding: str) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise ListUnreadable(f"a character is not {encoding}; save it as CSV UTF-8", line) from error


def _plain(text: str) -> str:
    if (place := text.find("\0")) >= 0:
        raise ListUnreadable("it has a NUL byte; save it as CSV UTF-8", text.count("\n", 0, place) + 1)
    return text.removesuffix("\x1a")  # Ctrl-Z, with which programs from the time of DOS end a file


def lines_of(text: str, *, keeps_blanks: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Each record of a CSV text with the line on which it begins. Raises ListUnreadable if quotes do not close.

    `keeps_blanks` leaves the blanks before a cell, as spreadsheets do.
    """
    said = _SAID.match(text.partition("\n")[0].rstrip("\r"))
    skipped = 1 if said else 0
    body = text.partition("\n")[2] if said else text
    delimiter = said[1] if said else _separator(body)
    lines, skips = io.StringIO(body, newline=""), not keeps_blanks
    reader = csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=skips)
    began = 1
    try:
        for record in reader:
            yield began + skipped, record
            began = reader.line_num + 1
    except csv.Error as error:
        raise ListUnreadable(f"the quotes or separators do not match ({error})", began + skipped) from error


def _separator(text: str) -> str:
    """The most frequent separator between the names of the first line that has any."""
    heading = next((line for line in text.splitlines() if line.strip(' ,;\t"')), "")
    outside = re.sub(r'"[^"]*"', "", heading)
    return max(_SEPARATORS, key=outside.count)
