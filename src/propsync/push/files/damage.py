"""Recognises the damage that spreadsheets do: shortened ids, dates as numbers, error values, lost zeros."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import date, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from propsync.merge.reference.error_cells import is_error
from propsync.merge.reference.spreadsheet import EXACT, SHORTENED, SheetError
from propsync.push.files.readings import (
    has_point_between_thousands,
    is_date,
    is_same_number,
    is_same_time,
    is_without_point,
    may_be_date,
)
from propsync.push.files.source import BLANKS, Cell

AS_TEXT = "format its column as text, then write the value again"
_DIGITS = 15
_ROUNDED = 9  # a CSV shows a number with about ten digits
_WHOLE = re.compile(r"\d+")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(E[+-]?\d{1,3})?", re.IGNORECASE)


class CellRefused(ValueError):
    """Why a cell cannot be planned, in the words of someone who edits a spreadsheet."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def check_error(cell: Cell) -> None:
    """Raises CellRefused for an error value."""
    if isinstance(cell, SheetError):
        raise CellRefused(f"the cell holds {cell.text}; write the value itself")
    if isinstance(cell, str) and is_error(cell.strip(BLANKS)):
        raise CellRefused("it is an error of the spreadsheet; write the value itself")


def check_shortened(text: str) -> None:
    """Raises CellRefused for digits that a spreadsheet has shortened."""
    if SHORTENED.fullmatch(text.strip(BLANKS)):
        raise CellRefused(f"a spreadsheet has shortened it to {text}: {AS_TEXT}")


def plain(cell: Cell) -> str:
    """A cell as text, for kinds that a text or a number may name. Raises CellRefused for a damaged one."""
    check_error(cell)
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, float):
        return _digits(cell)
    if isinstance(cell, date | time | timedelta):
        raise CellRefused(f"it is a date or a time: {AS_TEXT}")
    if isinstance(cell, list | dict):
        raise CellRefused("it is a list or an object; write one text")
    return "" if cell is None else str(cell)


def _digits(number: float) -> str:
    check_float(number)
    return str(int(number)) if number.is_integer() else f"{number:.{_DIGITS}g}"


def check_float(number: float) -> None:
    """Raises CellRefused for a number whose last digits the spreadsheet has lost, and for none."""
    if not math.isfinite(number):
        raise CellRefused("it is not a number; write digits, or leave the cell empty")
    if abs(number) >= EXACT:
        raise CellRefused(f"a spreadsheet keeps {_DIGITS} digits of a number, and this one has more: {AS_TEXT}")


def check_text(cell: Cell, text: str, old: Any) -> None:
    """Raises CellRefused for a text that a spreadsheet has changed; `old` is the value before."""
    if isinstance(cell, bool):
        raise CellRefused(f"it is a truth value: {AS_TEXT}")
    check_shortened(text)
    if isinstance(old, str) and old != text:
        _check_truth(text, old)
        _check_number(cell, text, old)
        if is_date(text) and may_be_date(old) and not _is_form_of(text, old):
            raise CellRefused(f"a spreadsheet has made {old} a date: {AS_TEXT}")
        if is_same_time(text, old):
            raise CellRefused(f"a spreadsheet has written the time {old} in its own way: {AS_TEXT}")


def check_label(cell: Cell, before: str | None, labels: Iterable[str]) -> None:
    """Raises CellRefused for a number that may be another label as a spreadsheet writes it, such as 1.1 for 1.10.

    `before` is the label of the present value, None unless there is one; `labels` are those of all choices. A number in
    place of a text may be any of them.
    """
    if isinstance(cell, list):
        return
    text = plain(cell).strip(BLANKS)
    number = _value(text)
    others = [before or ""] if isinstance(cell, str) else [before or "", *labels]
    if number is not None and (label := next((one for one in others if one != text and _value(one) == number), None)):
        raise CellRefused(
            f"a spreadsheet may have made {label} the number {text}: write the id of the one that you mean"
        )


def _check_truth(text: str, old: str) -> None:
    if text in ("TRUE", "FALSE") and old.upper() == text:
        raise CellRefused(f"a spreadsheet has made {old} a truth value: {AS_TEXT}")


def _check_number(cell: Cell, text: str, old: str) -> None:
    """A number in place of a text of digits: of the same value, or without the zeros that the text began with."""
    is_number = not isinstance(cell, str)
    if is_same_number(text, old):
        raise CellRefused(f"a spreadsheet has made {old} the number {text}: {AS_TEXT}")
    if not _NUMBER.fullmatch(text):
        return
    if (_value(old) is not None and _value(old) == _value(text)) or _has_lost_digits(text, old):
        raise CellRefused(f"a spreadsheet has made {old} the number {text}: {AS_TEXT}")
    if (
        old.startswith("0")
        and _WHOLE.fullmatch(old)
        and not text.startswith("0")
        and (is_number or len(text) < len(old))
    ):
        raise CellRefused(f"the text before, {old}, began with a zero, and a number has none: {AS_TEXT}")


def _has_lost_digits(text: str, old: str) -> bool:
    """Whether a long row of digits is the same up to where a spreadsheet stops counting."""
    digits, before = text.lstrip("+-"), old.strip(BLANKS).lstrip("+-").lstrip("0")
    is_long = len(digits) > _DIGITS and _WHOLE.fullmatch(digits) and _WHOLE.fullmatch(before)
    return bool(is_long) and len(digits) == len(before) and digits[: _DIGITS - 1] == before[: _DIGITS - 1]


def _is_form_of(text: str, old: str) -> bool:
    """Whether both are written in the same way, as a person who corrects a date writes it."""
    return re.sub(r"\d", "0", text) == re.sub(r"\d", "0", old)


def _value(text: str) -> Decimal | None:
    if not _NUMBER.fullmatch(text.strip(BLANKS)):
        return None
    try:
        return Decimal(text.strip(BLANKS))
    except InvalidOperation:
        return None


def check_rounded(new: Decimal | int, old: Any) -> None:
    """Raises CellRefused for a number that is the old one with fewer digits, as a CSV shows it."""
    if isinstance(old, str | bool) or not isinstance(old, int | Decimal):
        return
    short, long = (Decimal(one).normalize() for one in (new, old))
    if short == long:
        return
    digits = len(short.as_tuple().digits)
    is_shorter = _ROUNDED <= digits < len(long.as_tuple().digits)
    is_near = abs(short - long) < Decimal(1).scaleb(long.adjusted() - digits + 1)
    if float(short) == float(long) or (is_shorter and is_near):  # a table by type has 64 bits of each number
        raise CellRefused(f"a spreadsheet has rounded {old}: {AS_TEXT}")


def check_point(cell: Cell, new: Decimal | int, old: Any) -> None:
    """Raises CellRefused for a number that has lost its point, or got one, as a sign between thousands."""
    if is_without_point(cell, new, old):
        what = f"a spreadsheet of another country may have read {old} as {new}"
        raise CellRefused(f"{what}: {AS_TEXT}. If it is {new}, write {new}.0 there")
    if has_point_between_thousands(cell, old):
        what = f"a spreadsheet of another country may have written {old} as {new}"
        raise CellRefused(f"{what}: {AS_TEXT}. If it is {new}, write {new}0 there")
