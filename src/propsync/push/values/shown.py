"""How a template shows values, and when a cell still shows the same, whichever spreadsheet saved the file."""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import groupby
from typing import Any

import msgspec

from propsync.push.files.source import BLANKS
from propsync.push.values.fields import CHOSEN, Field
from propsync.push.values.sameness import is_double, is_written_double
from propsync.records import encode

CLEAR = "[clear]"
SEPARATOR = "; "
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
_SURE_OF_ROOM = 16_000  # characters
_PLAIN_DIGITS = 20  # longer numbers have an exponent
_NO_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufeff\ufffe\uffff]")
_LINE = re.compile(r"\r\n?|\x85|\u2028|\u2029")
_PAGES = ("cp850", "cp437", "mac_roman")
"""The code pages of Excel's CSV for MS-DOS and for Macintosh."""
_UNDEFINED = re.compile(r"[\x81\x8d\x8f\x90\x9d\ufffd]")  # what programs show for bytes that Windows-1252 lacks
_TAKEN_FOR_UTF8 = ("windows-1252", "latin-1", "mac_roman")
_DECODER = msgspec.json.Decoder(float_hook=Decimal)


def shown(field: Field, value: Any) -> str:
    """A value as a template shows it: texts and numbers as they are, chosen options by label."""
    if value is None:
        return ""
    if isinstance(value, list) and field.kind in CHOSEN:
        return SEPARATOR.join(shown_choice(field, str(one)) for one in value)
    return value if isinstance(value, str) else _written(value)


def _written(value: Any) -> str:
    if isinstance(value, list | dict):
        return encode(value).decode()
    is_short = isinstance(value, Decimal) and abs(value.adjusted()) < _PLAIN_DIGITS
    return f"{value:f}" if is_short else str(value)


def shown_choice(field: Field, choice: str) -> str:
    """An option by its label, or by its id where the label does not lead back to it, or else by both."""
    label = field.choices.get(choice)
    if label and _leads_back(field, choice, label):
        return label
    return field.whole_name(choice) if field.like(choice) - {choice} else choice


def _leads_back(field: Field, choice: str, label: str) -> bool:
    is_plain = not {";", "\t"}.intersection(label) and label == label.strip(BLANKS) and plain_text(label) == label
    return is_plain and label.casefold() != CLEAR and field.named(label) == field.like(label) == {choice}


def has_cell(field: Field, value: Any) -> bool:
    """Whether a template shows something for the value that no spreadsheet loses; a very long text may have no room."""
    text = plain_text(shown(field, value))
    return bool(text.strip(BLANKS)) and len(text) <= _SURE_OF_ROOM


def is_unedited(cell: str | float | Decimal, field: Field, value: Any) -> bool:
    """Whether a text or a number is what a template, or a table of the type, shows for the value."""
    if isinstance(cell, float):
        return is_double(cell, value)
    if is_written_double(cell, value):
        return True
    if isinstance(cell, Decimal):
        return False
    if is_same_text(cell, shown(field, value)):
        return True
    if isinstance(value, list) and field.kind in CHOSEN:
        labels = SEPARATOR.join(field.label_of(one) or one for one in value)
        return is_same_text(cell, labels)
    return isinstance(value, list | dict) and _is_same_json(cell, value)


def _is_same_json(cell: str, value: Any) -> bool:
    try:
        return bool(_DECODER.decode(cell) == value)
    except (msgspec.DecodeError, RecursionError):
        return False


def is_same_text(cell: str, text: str) -> bool:
    """Whether two texts differ in nothing but characters that spreadsheets, or files of theirs, cannot keep."""
    if cell == text:
        return True
    one, other = plain_text(cell), plain_text(text)
    if one == other or plain_text(without_quote(cell)) == other:
        return True
    return may_be_lossy(one, other) or may_be_lossy(plain_text(without_quote(cell)), other)


def has_lost_tabs(cell: str, text: str) -> bool:
    """Whether a cell is the text without its tabs: LibreOffice loses them when it opens its own .ods again."""
    return "\t" in text and "\t" not in cell and is_same_text(cell, text.replace("\t", ""))


def plain_text(text: str) -> str:
    """A text with one sign for the end of a line, and no control characters: no cell holds them."""
    return _NO_TEXT.sub("", _LINE.sub("\n", text))


def may_be_lossy(cell: str, text: str) -> bool:
    """Whether a cell may be the text after Windows-1252, which has ? for each character that it lacks."""
    return "?" in cell and not is_windows(text) and re.fullmatch(_lossy(text), cell, re.DOTALL) is not None


def _lossy(text: str) -> str:
    """A pattern for it. All neighbours that become ? share one repeat: one for each could match in endless ways."""
    runs = [(is_mark, [*run]) for is_mark, run in groupby(text, lambda one: one == "?" or not is_windows(one))]
    return "".join(_marks(run) if is_mark else re.escape("".join(run)) for is_mark, run in runs)


def _marks(run: list[str]) -> str:
    return rf"\?{{{len(run)},{2 * len(run) - run.count('?')}}}"


def has_lost(cell: str, text: str) -> bool:
    """Whether an edited cell has ? between the same neighbours as a character of the text before."""
    if "?" not in cell or is_windows(text):
        return False
    written = text.encode("windows-1252", errors="replace").decode("windows-1252")
    places = [place for place, one in enumerate(text) if not is_windows(one)]
    return any(_is_lost_at(place, cell, written, text) for place in places)


def _is_lost_at(place: int, cell: str, written: str, text: str) -> bool:
    piece = written[max(place - 1, 0) : place + 2]
    if not any(map(str.isalnum, piece)) or piece in text:
        return False
    if place == 0:
        return cell.startswith(piece)
    return cell.endswith(piece) if place == len(text) - 1 else piece in cell


def is_of_other_page(cell: str, text: str) -> bool:
    """Whether a cell that was read as Windows-1252 has the letters of the text before in an older code page."""
    return any(_has_images(cell, text, page) for page in _PAGES)


def _has_images(cell: str, text: str, page: str) -> bool:
    written = {one: one.encode(page, errors="ignore") for one in text if not one.isascii()}
    images = {one: code.decode("windows-1252", errors="replace") for one, code in written.items() if code}
    return bool(images) and all(image in cell and one not in cell for one, image in images.items())


def is_misread(cell: str, text: str) -> bool:
    """Whether a cell has the letters of the text before as a program shows UTF-8 without a mark: ê as Ãª."""
    letters = {one for one in text if not one.isascii()}
    seen = (cell, _UNDEFINED.sub("", cell))
    found = ({one.encode().decode(page, errors="ignore") for one in letters} for page in _TAKEN_FOR_UTF8)
    return bool(letters) and any(
        all(one not in text and any(one in shown for shown in seen) for one in images) for images in found
    )


def is_windows(text: str) -> bool:
    """Whether Windows-1252 has all characters of a text."""
    try:
        text.encode("windows-1252")
    except UnicodeEncodeError:
        return False
    return True


def is_formula(text: str) -> bool:
    """Whether a spreadsheet that opens a CSV may take the text for a formula."""
    return text.startswith(_FORMULA)


def quoted_formula(text: str) -> str:
    """The text for a CSV: an apostrophe keeps a spreadsheet from running a formula, as `query --excel` does."""
    return f"'{text}" if is_formula(text) else text


def without_quote(cell: str) -> str:
    """A cell without the apostrophe that keeps a text from becoming a formula."""
    return cell[1:] if cell.startswith("'") and is_formula(cell[1:]) else cell
