"""Two values as texts for people, which always look different where the values differ."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from propsync.push.plan import FieldChange
from propsync.records import encode

SHORT = 40
"""As many characters of a value a row of the table has."""
NONE = "(none)"
_EMPTY = "(empty)"  # a list without any option or user
_CUT = "…"
_BEFORE = 12  # characters shown before the first difference
_SPACES = re.compile(r"^ +| +$| {2,}")
_NAMED = {"\n": r"\n", "\r": r"\r", "\t": r"\t", "\u00a0": "⍽", "\u202f": r"\u202f"}
_UNSEEN = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs")
"""Categories of characters that a terminal shows as nothing, or as a blank."""
_ALIKE = str.maketrans("АВЕКМНОРСТХЅІЈаеорсухѕіјΑΒΕΖΗΙΚΜΝΟΡΤΥΧο‐‑‒–−", "ABEKMHOPCTXSIJaeopcyxsijABEZHIKMNOPTYXo-----")


def whole_texts(change: FieldChange) -> tuple[str, str]:
    """The old and the new value of a change, whole: in the first form in which they look different."""
    forms = list(_forms(change))
    return next((pair for pair in forms if not _look_alike(*pair)), forms[-1])


def short_texts(change: FieldChange) -> tuple[str, str]:
    """The same, with the part around the first difference of long values."""
    forms = [_parts(*pair) for pair in _forms(change)]
    return next((pair for pair in forms if not _parts_look_alike(*pair)), forms[-1])


def _forms(change: FieldChange) -> Iterator[tuple[str, str]]:
    for form in (_plain, _with_ids, _escaped):
        yield form(change, change.old), form(change, change.new)


def _parts(old: str, new: str) -> tuple[str, str]:
    if max(len(old), len(new)) <= SHORT:
        return old, new
    pairs = enumerate(zip(old, new, strict=False))
    first = next((at for at, (one, other) in pairs if one != other), min(len(old), len(new)))
    begin = max(first - _BEFORE, 0)
    return _part(old, begin), _part(new, begin)


def whole_text(change: FieldChange, value: Any) -> str:
    """One value that no other is compared with."""
    return _plain(change, value)


def short_text(change: FieldChange, value: Any) -> str:
    """The beginning of such a value."""
    return shortened(whole_text(change, value))


def shortened(text: str) -> str:
    """The beginning of a long text."""
    return _part(text, 0)


def _part(text: str, begin: int) -> str:
    if begin == 0 and len(text) <= SHORT:
        return text
    rest = text[begin : begin + SHORT]
    is_cut = len(text) > begin + SHORT
    return f"{_CUT if begin else ''}{rest[:-1] if is_cut else rest}{_CUT if is_cut else ''}"


def _plain(change: FieldChange, value: Any) -> str:
    """Texts as they are, chosen options by label; what nobody could see is made visible."""
    if value is None:
        return NONE
    if isinstance(value, list):
        return visible("; ".join(change.names.get(one, one) for one in map(str, value))) or _EMPTY
    return visible(str(value)) or '""'


def _with_ids(change: FieldChange, value: Any) -> str:
    """Two options may have one label."""
    if not isinstance(value, list):
        return _plain(change, value)
    labels = ((one, change.names.get(one)) for one in map(str, value))
    return visible("; ".join(f"{label} [{one}]" if label else one for one, label in labels))


def _escaped(_: FieldChange, value: Any) -> str:
    """As JSON, in ASCII alone: a text in quotes and a number without differ, and so do letters that look alike."""
    return "".join(_ascii(encode(value).decode()))


def _ascii(text: str) -> Iterator[str]:
    for one in text:
        yield one if " " <= one <= "~" else _code(one)


def visible(text: str) -> str:
    """A text in which blanks at an end, blanks in a row, and characters without a shape are to be seen."""
    marked = _SPACES.sub(lambda found: "␠" * len(found[0]), text)
    return "".join(map(_seen, marked))


def _seen(one: str) -> str:
    if one == " " or unicodedata.category(one) not in _UNSEEN:
        return one
    return _NAMED.get(one) or _code(one)


def _code(one: str) -> str:
    return f"\\u{ord(one):04x}" if ord(one) <= 0xFFFF else f"\\U{ord(one):08x}"


def _look_alike(one: str, other: str) -> bool:
    return _skeleton(one) == _skeleton(other)


def _parts_look_alike(one: str, other: str) -> bool:
    """Whether two parts look alike, or differ only in where they are cut off."""
    if not (one.endswith(_CUT) and other.endswith(_CUT)):
        return _look_alike(one, other)
    first, second = _skeleton(one.removesuffix(_CUT)), _skeleton(other.removesuffix(_CUT))
    length = min(len(first), len(second))
    return first[:length] == second[:length]


def _skeleton(text: str) -> str:
    return unicodedata.normalize("NFKC", text).translate(_ALIKE)
