"""From a cell to the value that the API accepts, one function for each kind of field (API §2.3)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from propsync.push.files.damage import (
    CellRefused,
    check_error,
    check_float,
    check_label,
    check_point,
    check_rounded,
    check_shortened,
    check_text,
    plain,
)
from propsync.push.files.source import BLANKS, Cell, UnsureDate, is_blank, is_empty
from propsync.push.values.chosen import chosen
from propsync.push.values.fields import USERS, Field
from propsync.push.values.sameness import is_same, is_stored
from propsync.push.values.shown import (
    CLEAR,
    has_lost,
    is_misread,
    is_of_other_page,
    is_unedited,
    is_windows,
    without_quote,
)
from propsync.records import calendar_day

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(E[+-]?\d+)?", re.IGNORECASE)
_GROUPED = re.compile(r"[+-]?[\d ,.'\u00a0\u202f]+")
_NO_NUMBER = "it is not a number; write digits, such as 12.5"
_GUARDED = re.compile(r"'\d[\d.,/: -]*")  # `'0003`; a label such as `'90s` is none
_SHORT = 11  # digits, beyond which Excel shortens a number
_LARGEST = 308  # powers of ten: a server keeps a number in 64 bits
_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})([T ]00:00(:00(\.0+)?)?(Z|[+-]00(:?00)?)?)?")
_AS_NUMBER = re.compile(r"\d{5}([.,]\d+)?|\d{2},\d{3}(\.\d+)?")
_TIME = re.compile(r"(\d{1,2}):(\d{2})(:00(\.0+)?)?(\s*[AP]M)?", re.IGNORECASE)
_UNREAD = "\ufffd"
_FRACTION = re.compile(r"0?[.,]\d+")


@dataclass(frozen=True)
class Kept:
    """The cell changes nothing."""


KEPT = Kept()


def planned(cell: Cell, field: Field, old: Any, *, is_lossy: bool = False, is_exact: bool = False) -> Any:
    """The value to write, None to clear it, KEPT if the cell changes nothing. Raises CellRefused.

    A cell that shows the old value is unedited, before any other rule. `is_exact` says that no spreadsheet has touched
    it. A text without its control characters is an edit then, and an apostrophe in front is a part of the text.
    """
    if is_exact and isinstance(old, str):
        return KEPT if cell == old else _wanted(cell, field, old, is_lossy=False, seen=None)
    if isinstance(cell, str | float | Decimal) and is_unedited(cell, field, old):
        return KEPT
    if isinstance(cell, str) and not is_exact:
        _check_guard(cell)
        cell = without_quote(cell)
    value = _wanted(cell, field, old, is_lossy=is_lossy, seen=old)
    if isinstance(value, int | Decimal) and not is_exact:
        check_point(cell, value, old)
    if isinstance(value, list) and not is_exact:
        _check_labels(cell, field, old)
    if isinstance(value, str) and _UNREAD in value and _UNREAD not in str(old) and not is_exact:
        raise CellRefused(f"it has {_UNREAD} in place of a letter that a program could not read: write the letter")
    return value


def _check_guard(cell: str) -> None:
    """Raises CellRefused for digits behind an apostrophe: as a text, the apostrophe would be a part of the value."""
    if _GUARDED.fullmatch(cell):
        raise CellRefused(f"an apostrophe before digits is a sign for a spreadsheet: write {cell[1:]}")


def _check_labels(cell: Cell, field: Field, old: Any) -> None:
    """Raises CellRefused for a label that a spreadsheet may have made of another one."""
    before = field.label_of(old[0]) if isinstance(old, list) and len(old) == 1 else None
    check_label(cell, before, (label for label in field.choices.values() if label))


def _wanted(cell: Cell, field: Field, old: Any, *, is_lossy: bool, seen: Any) -> Any:
    """The value of a cell that shows another one; `seen` is the text that a spreadsheet may have damaged, if any."""
    if is_empty(cell):
        return KEPT
    if is_blank(cell):
        return _blank(old)
    check_error(cell)
    if isinstance(cell, str) and cell.strip(BLANKS).casefold() == CLEAR:
        return _cleared(field, old)
    return _changed(cell, field, old, is_lossy=is_lossy, seen=seen)


def _blank(old: Any) -> Kept:
    if is_same(old, None) or old == "":
        return KEPT
    raise CellRefused("it has only spaces: empty it to change nothing, or write [clear] to remove the value")


def _cleared(field: Field, old: Any) -> Any:
    if is_same(old, None):
        return KEPT
    _check_writable(field)
    return None


def _check_writable(field: Field) -> None:
    if field.why_not:
        raise CellRefused(f"{field.why_not}: leave the cell as it was, or empty")


def _changed(cell: Cell, field: Field, old: Any, *, is_lossy: bool, seen: Any) -> Any:
    if isinstance(cell, list | dict) and is_same(cell, old):
        return KEPT
    _check_writable(field)
    if cell == []:
        raise CellRefused("it is an empty list: leave it out to change nothing, or write [clear] to remove the value")
    value = _OF_KIND[field.kind](cell, field, seen)
    if is_stored(value, old, field.kind):
        return KEPT
    if isinstance(value, str) and isinstance(seen, str):
        _check_characters(value, seen, is_lossy=is_lossy)
    return value


def _check_characters(value: str, old: str, *, is_lossy: bool) -> None:
    if is_misread(value, old):
        raise CellRefused("a program has misread the CSV: open it as UTF-8, or make a new template as .xlsx")
    is_damaged = is_lossy and (("?" in value and not is_windows(old)) or is_of_other_page(value, old))
    if is_damaged or has_lost(value, old):
        raise CellRefused("the file lacks characters that the text before has: save it as CSV UTF-8 or .xlsx")


def _text(cell: Cell, _field: Field, old: Any) -> str:
    check_error(cell)
    text = cell if isinstance(cell, str) else _typed(cell)
    check_text(cell, text, old)
    return text


def _typed(cell: Cell) -> str:
    return str(cell).lower() if isinstance(cell, bool) else plain(cell)


def _number(cell: Cell, _field: Field, old: Any) -> int | Decimal:
    if isinstance(cell, float):
        check_float(cell)
    if isinstance(cell, bool) or not isinstance(cell, str | int | float | Decimal):
        raise CellRefused(_NO_NUMBER)
    value = cell if isinstance(cell, int | Decimal) else _exact(cell)
    if value and abs(Decimal(value).adjusted()) > _LARGEST:
        raise CellRefused("it is too large or too small for a number")
    check_rounded(value, old)
    return value


def _exact(cell: str | float) -> int | Decimal:
    text = plain(cell).strip(BLANKS)
    if not _NUMBER.fullmatch(text):
        is_grouped = _GROUPED.fullmatch(text)
        raise CellRefused("write digits alone, decimals after a point: 1234.5" if is_grouped else _NO_NUMBER)
    if isinstance(cell, str) and Decimal(text).adjusted() >= _SHORT:
        check_shortened(text)
    return int(text) if re.fullmatch(r"[+-]?\d+", text) else Decimal(text)


def _date(cell: Cell, _field: Field, old: Any) -> str:
    if isinstance(cell, UnsureDate) and cell.isoformat() != calendar_day(str(old)):
        raise CellRefused(
            "programs show days before March 1900 differently: format its column as text, write 1900-01-31"
        )
    if isinstance(cell, datetime):
        if cell.time() != time():
            raise CellRefused("it has a time of day, and the field has a date alone; write 2026-01-31")
        return cell.date().isoformat()
    if isinstance(cell, date):
        return cell.isoformat()
    if isinstance(cell, time | timedelta | bool | list | dict):
        raise CellRefused("it is not a date; write it as 2026-01-31")
    text = plain(cell).strip(BLANKS)
    if _AS_NUMBER.fullmatch(text):
        raise CellRefused(
            f"a spreadsheet has made the date the number {text}: format its column as text, write 2026-01-31"
        )
    return _real_date(text)


def _real_date(text: str) -> str:
    found = _DATE.fullmatch(text)
    if found is None:
        raise CellRefused("write a date as 2026-01-31; a file .xlsx keeps it so, and a CSV may not")
    try:
        return date.fromisoformat(found[1]).isoformat()
    except ValueError:
        raise CellRefused("no calendar has this date; write a real one, such as 2026-01-31") from None


def _time(cell: Cell, _field: Field, _old: Any) -> str:
    if isinstance(cell, time):
        cell = timedelta(hours=cell.hour, minutes=cell.minute, seconds=cell.second, microseconds=cell.microsecond)
    if isinstance(cell, timedelta):
        cell = _of_day(cell)
    if isinstance(cell, time):
        if cell.second:
            raise CellRefused("it has seconds, and the API takes hours and minutes alone; write 09:30")
        return cell.strftime("%H:%M")
    if isinstance(cell, date | bool | list | dict):
        raise CellRefused("it is not a time of day; write 09:30")
    text = plain(cell).strip(BLANKS)
    if _FRACTION.fullmatch(text):
        raise CellRefused(f"a spreadsheet has made the time the number {text}: format its column as text, write 09:30")
    return _real_time(text)


def _of_day(length: timedelta) -> time | str:
    """A time from a part of a day, as spreadsheets keep it: to the nearest second."""
    seconds = round(length.total_seconds())
    is_plain = 0 <= seconds < timedelta(days=1).total_seconds()
    return time(seconds // 3600, seconds // 60 % 60, seconds % 60) if is_plain else str(length)


def _real_time(text: str) -> str:
    found = _TIME.fullmatch(text)
    hour, minute = (int(found[1]), int(found[2])) if found else (-1, -1)
    if found and found[5]:  # British and American spreadsheets may show 14:30 as 02:30 PM
        hour = hour % 12 + (12 if found[5].strip().upper() == "PM" else 0) if 1 <= hour <= 12 else -1
    if not (0 <= hour <= 23 and 0 <= minute <= 59):
        raise CellRefused("write a time of the 24-hour day as hours and minutes: 09:30")
    return f"{hour:02d}:{minute:02d}"


def _choice(cell: Cell, field: Field, _old: Any) -> list[str]:
    if isinstance(cell, list):
        return list(dict.fromkeys(one for part in cell for one in chosen(plain(part), field)))
    return chosen(plain(cell), field)


_OF_KIND: dict[str, Callable[[Cell, Field, Any], Any]] = {
    "text": _text,
    "qr": _text,
    "number": _number,
    "date": _date,
    "time": _time,
    "option": _choice,
    USERS: _choice,
}
