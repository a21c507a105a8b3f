"""The numbers of an .xlsx file that people see in another form: percentages, and zeros or words in front."""

from __future__ import annotations

import html
import io
import re
import zipfile
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from propsync.merge.reference.error_cells import VALUE, Place, cells_of, place_of, sheet_parts

_STYLES = "xl/styles.xml"
_TAG = rb"<(?:\w+:)?"
_FORMAT = re.compile(_TAG + rb"numFmt\b[^<>]*>")
_OF_CELLS = re.compile(_TAG + rb"cellXfs\b")
_END_OF_CELLS = re.compile(rb"</(?:\w+:)?cellXfs>")
_STYLE = re.compile(_TAG + rb"xf\b[^<>]*>")
_ATTRIBUTE = re.compile(rb"\b(numFmtId|formatCode)\s*=\s*[\"']([^\"']*)[\"']")
_USES = re.compile(rb"\bs\s*=\s*[\"'](\d+)[\"']")
_IS_TYPED = re.compile(rb"\bt\s*=\s*[\"'](?!n[\"'])")
_SECTION = re.compile(r'(?:"[^"]*"|\\.|\[[^\[\]]*\]|[^;])*')  # the first is of positive numbers
_PART = re.compile(r'"([^"]*)"|\\(.)|\[[^\[\]]*\]|[_*].|.', re.DOTALL)
_GENERAL = re.compile("general", re.IGNORECASE)
_OTHER = frozenset("/dehmsyDEHMSY")  # fractions, powers, dates and times
_LONGEST = 255  # characters of a format, the most that a spreadsheet takes
_CONDITION = re.compile(r"\[[<>=]")  # which of its parts shows a number depends on the number
_DIGITS = 15
_BUILT_IN = {"9": "0%", "10": "0.00%"}


class Reshown(NamedTuple):
    """A number, and what people see in its place. It `is_in_front` if that is the number after zeros or words."""

    number: str
    shown: str
    is_in_front: bool

    @property
    def words(self) -> str:
        return f"{self.number}, shown as {self.shown}"


def reshown_cells(content: bytes, sheet: int) -> dict[Place, Reshown]:
    """Such numbers of a sheet by their places, each with what people see."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = sheet_parts(archive)
        if _STYLES not in archive.namelist() or sheet >= len(parts) or parts[sheet] not in archive.namelist():
            return {}
        styles = _reshowing(archive.read(_STYLES))
        xml = archive.read(parts[sheet]) if styles else b""
    found = ((place_of(head), _reshown(styles, head, body)) for head, body in cells_of(xml))
    return {place: one for place, one in found if place and one}


@dataclass(frozen=True)
class _Form:
    """How cells show a number: words in front, the least digits before the point, or a percentage."""

    front: str
    digits: int
    is_percentage: bool = False
    is_conditional: bool = False

    def shows_another(self) -> bool:
        return self.is_percentage or self.digits > 1 or any(map(str.isalnum, self.front))


def _reshowing(styles: bytes) -> dict[bytes, _Form]:
    """The forms that show another number, by the number of their style."""
    codes = dict(_BUILT_IN)
    for one in _FORMAT.findall(styles):
        attributes = dict(_ATTRIBUTE.findall(one))
        codes[_text(attributes, b"numFmtId")] = html.unescape(_text(attributes, b"formatCode"))
    found = {}
    for number, one in enumerate(_STYLE.findall(_section_of_cells(styles))):
        form = _form(codes.get(_text(dict(_ATTRIBUTE.findall(one)), b"numFmtId"), ""))
        if form.shows_another():
            found[str(number).encode()] = form
    return found


def _form(code: str) -> _Form:
    if len(code) > _LONGEST:
        return _Form("", 0)
    found = _SECTION.match(code)
    parts = [*_PART.finditer(_GENERAL.sub("0", found[0]) if found else "")]
    words = [part[1] or part[2] or "" for part in parts]
    bare = ["" if one or len(part[0]) > 1 else part[0] for one, part in zip(words, parts, strict=True)]
    first = next((place for place, one in enumerate(bare) if one in tuple("0#?")), None)
    shape = "".join(bare)
    if first is None or _OTHER.intersection(shape):
        return _Form("", 0)
    digits = shape.partition(".")[0].count("0")
    return _Form("".join(words[:first]), digits, "%" in shape, _CONDITION.search(code) is not None)


def _section_of_cells(styles: bytes) -> bytes:
    begin = _OF_CELLS.search(styles)
    end = _END_OF_CELLS.search(styles, begin.end()) if begin else None
    return styles[begin.end() : end.start()] if begin and end else b""


def _text(attributes: dict[bytes, bytes], name: bytes) -> str:
    return attributes.get(name, b"").decode(errors="replace")


def _reshown(styles: dict[bytes, _Form], head: bytes, body: bytes) -> Reshown | None:
    """The number and what people see; None if they see the number."""
    style, written = _USES.search(head), VALUE.search(body)
    form = styles.get(style[1]) if style else None
    if form is None or written is None or _IS_TYPED.search(head):
        return None
    try:
        number = Decimal(written[1].decode(errors="replace"))
    except InvalidOperation:
        return None
    if abs(number.adjusted()) > _DIGITS:  # no spreadsheet has all of it
        return None
    if form.is_percentage:
        return Reshown(f"{float(number):.15g}", f"{float(number) * 100:.15g}%", is_in_front=False)
    is_whole = number == number.to_integral_value()
    shown = form.front + (f"{number:0{form.digits + (number < 0)}f}" if is_whole else f"{number:f}")
    return Reshown(f"{number:f}", shown, not form.is_conditional) if shown != f"{number:f}" else None
