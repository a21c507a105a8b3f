"""How a spreadsheet of any country may read a text: as a number, a date or a time of day."""

from __future__ import annotations

import re
from decimal import Decimal

from propsync.push.files.source import BLANKS

_MONTH = (
    r"((jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[^\W\d_]*"
    "|(ion|chw|maw|ebr|mai|meh|gor|aws|med|hyd|tac|rha"  # Welsh
    "|mär|mrz|okt|dez|fév|fev|avr|jui|aoû|déc"  # German, French
    "|ene|abr|ago|dic|gen|mag|giu|lug|set|ott|out"  # Spanish, Italian, Portuguese
    "|maa|mrt|mei|maj|sty|lut|kwi|cze|lip|sie|wrz|paź|lis|gru)"  # Dutch, Scandinavian, Polish
    r"[^\W\d_]{0,2})\.?"
)
_DATE = re.compile(
    rf"\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}|\d{{1,2}}[/.-]\d{{1,2}}[/.-]\d{{2,4}}"
    rf"|\d{{1,2}}[-. ]{{1,2}}{_MONTH}([- ]\d{{2,4}})?|{_MONTH}[- ]\d{{2,4}}",
    re.IGNORECASE,
)
_WORD = r"[^\W\d_]{3,9}"
_LIKE_A_DATE = re.compile(
    r"\d{1,4}[-/.]\d{1,2}([-/.]\d{1,4})?\.?"
    rf"|(\d{{1,2}}[-. ]{{0,2}})?{_WORD}[-. ]{{0,2}}\d{{1,4}}|\d{{1,2}}[-. ]{{0,2}}{_WORD}"
)
_CLOCK = re.compile(r"0?(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?( ?[ap]m)?", re.IGNORECASE)
_NUMBER = re.compile(
    r"\(?[+-]?[€$£¥]? ?(?P<digits>\d[\d.,'’\s]*|[.,]\d+)(?P<power>e[+-]?\d{1,3})? ?(?P<unit>[€$£¥%]?)-?\)?",
    re.IGNORECASE,
)
_GENERAL = re.compile(r"-?(0|[1-9]\d*)([.,]\d*[1-9])?(?P<unit>%?)")
_SIGNS = {".": ",", ",": "."}
"""The sign before decimals, with the one between thousands in the same countries."""
_THOUSANDTHS = -3
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}")
_MOST = 40  # characters of a number


def is_date(text: str) -> bool:
    """Whether a text is a date as a spreadsheet writes it."""
    return _DATE.fullmatch(text) is not None


def may_be_date(text: str) -> bool:
    """Whether a spreadsheet may take a text for a date."""
    return _LIKE_A_DATE.fullmatch(text.strip(BLANKS)) is not None


def is_same_time(text: str, old: str) -> bool:
    """Whether both are the same time of day, perhaps with other words for the half of the day."""
    now, before = _clock(text), _clock(old.strip(BLANKS))
    return now is not None and now == before


def _clock(text: str) -> tuple[int, int, int] | None:
    found = _CLOCK.fullmatch(text)
    if not found or not (found[2] or found[4]):
        return None
    return int(found[1]) % 12, int(found[2] or 0), int(found[3] or 0)


def is_same_number(text: str, old: str) -> bool:
    """Whether a text is a number as a spreadsheet writes it, and the old text the same one in a form of any country."""
    old = old.strip(BLANKS)
    now, before = _GENERAL.fullmatch(text), _NUMBER.fullmatch(old)
    if len(old) > _MOST or not now or not before or (now["unit"] == "%") != (before["unit"] == "%"):
        return False
    is_minus = bool({"-", "("} & {old[0], old[-1]})
    value = Decimal(text.rstrip("%").replace(",", "."))
    return value in {-one if is_minus else one for one in _amounts(before["digits"], before["power"] or "")}


def _amounts(digits: str, power: str) -> set[Decimal]:
    found = set()
    for point, group in _SIGNS.items():
        plain = re.sub(rf"(?<=\d)[{group}'’\s](?=\d{{3}}(?!\d))", "", digits.rstrip()).replace(point, ".")
        if re.fullmatch(r"\d*\.?\d*", plain):
            found.add(Decimal(plain + power))
    return found


def is_without_point(text: object, new: Decimal | int, old: object) -> bool:
    """Whether a number is the old one without its point, which other countries have between thousands.

    A text with a point of its own cannot come from there.
    """
    if not isinstance(old, Decimal) or old.as_tuple().exponent != _THOUSANDTHS or new != old.scaleb(-_THOUSANDTHS):
        return False
    return not (isinstance(text, str) and "." in text)


def has_point_between_thousands(text: object, old: object) -> bool:
    """Whether a text is the old whole number with the point that other countries have between thousands."""
    return (
        isinstance(text, str)
        and _THOUSANDS.fullmatch(text.strip(BLANKS)) is not None
        and Decimal(text.strip(BLANKS)).scaleb(-_THOUSANDTHS) == old
    )
