"""The cells of an .xlsx file that hold an error such as #REF!, or a formula without a result, which look blank."""

from __future__ import annotations

import html
import io
import re
import zipfile
from collections.abc import Iterator

from propsync.merge.reference.text_file import ListUnreadable

Place = tuple[int, int]
"""The row and the column of a cell, both from 1."""

WITHOUT_RESULT = "a formula without a result"
_ERROR = re.compile(
    r"#(REF!|N/A|VALUE!|NAME\?|DIV/0!|NULL!|NUM!|SPILL!|CALC!|FIELD!|BLOCKED!|CONNECT!|UNKNOWN!|GETTING_DATA|BUSY!)"
    r"|Err:\d{3}|#{3,}",
    re.IGNORECASE,
)
_TAG = rb"<(?:\w+:)?"
_SHEET = re.compile(_TAG + rb"sheet\b[^<>]*?\b\w+:id\s*=\s*[\"']([^\"']+)[\"']")
_TARGET = re.compile(_TAG + rb"Relationship\b[^<>]*>")
_ATTRIBUTE = re.compile(rb"\b(Id|Target)\s*=\s*[\"']([^\"']*)[\"']")
_CELL = re.compile(_TAG + rb"c\b([^<>]*[^/<>])>|</(?:\w+:)?c>")
_ADDRESS = re.compile(rb"\br\s*=\s*[\"']([A-Z]+)(\d+)[\"']")
_IS_ERROR = re.compile(rb"\bt\s*=\s*[\"']e[\"']")
_IS_TEXT = re.compile(rb"\bt\s*=\s*[\"']str[\"']")  # a formula may have an empty text as its result
_MAY_HAVE = re.compile(rb"\bt\s*=\s*[\"']e[\"']|" + _TAG + rb"f\b")
VALUE = re.compile(_TAG + rb"v\b[^<>]*>([^<]+)<")


def is_error(text: str) -> bool:
    """Whether a cell shows an error of the spreadsheet, such as #N/A, Err:502, or ### for want of room."""
    return text.startswith(("#", "E", "e")) and _ERROR.fullmatch(text) is not None


def error_cells(content: bytes, sheet: int) -> dict[Place, str]:
    """The words in the error cells of a sheet, by their places. Raises ListUnreadable for one without address."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = sheet_parts(archive)
        if sheet >= len(parts) or parts[sheet] not in archive.namelist():
            return {}
        xml = archive.read(parts[sheet])
    if not _MAY_HAVE.search(xml):
        return {}
    return dict(filter(None, (_error(head, body) for head, body in cells_of(xml))))


def cells_of(xml: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The tag and the content of each cell that has any, in one walk: a cell may lack its end."""
    begun: re.Match[bytes] | None = None
    for tag in _CELL.finditer(xml):
        if tag[1] is not None:
            begun = begun or tag
        elif begun is not None:
            yield begun[1], xml[begun.end() : tag.start()]
            begun = None


def sheet_parts(archive: zipfile.ZipFile) -> list[str]:
    """The file of each sheet, in the order of the workbook."""
    names = set(archive.namelist())
    if not {"xl/workbook.xml", "xl/_rels/workbook.xml.rels"} <= names:
        return []
    targets = {}
    for found in _TARGET.findall(archive.read("xl/_rels/workbook.xml.rels")):
        attributes = dict(_ATTRIBUTE.findall(found))
        targets[attributes.get(b"Id")] = html.unescape(attributes.get(b"Target", b"").decode(errors="replace"))
    sheets = _SHEET.findall(archive.read("xl/workbook.xml"))
    return [_path(targets.get(sheet, "")) for sheet in sheets]


def _path(target: str) -> str:
    return target.removeprefix("/") if target.startswith("/") else f"xl/{target}"


def _error(head: bytes, body: bytes) -> tuple[Place, str] | None:
    value = VALUE.search(body)
    is_error = _IS_ERROR.search(head) is not None
    if not is_error and (value or _IS_TEXT.search(head) or not re.search(_TAG + rb"f\b", body)):
        return None
    place = place_of(head)
    if place is None:
        raise ListUnreadable("a cell with an error has no address; save the file again")
    return place, html.unescape(value[1].decode(errors="replace")) if value and is_error else WITHOUT_RESULT


def place_of(head: bytes) -> Place | None:
    """The place that the tag of a cell names."""
    address = _ADDRESS.search(head)
    return (int(address[2]), column_number(address[1])) if address else None


def column_number(letters: bytes) -> int:
    """The number of a column from its letters: A is 1."""
    number = 0
    for letter in letters[:6]:
        number = number * 26 + letter - 64
    return number
