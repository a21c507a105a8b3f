"""The cells of a table. A page has tens of thousands, and Jinja takes ten times as long for one as Python."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

from markupsafe import Markup, escape

from propsync.desk.dashboard.answer import Answer
from propsync.desk.dashboard.words import shown

_STATES = ("in date", "due soon", "out of date", "unknown")
_SHORT = 32  # a longer text may break into lines
_WORD = 16  # a longer word, such as an id, may break too


def cells(answer: Answer, hidden: Collection[str], zone: ZoneInfo) -> Iterator[Markup]:
    """The cells of each row, without the columns in `hidden`.

    A cell's end tag may be left out in HTML: that makes the page a quarter smaller.
    """
    numeric = answer.numeric
    columns = [
        (at, _made_once(name, name in numeric, zone)) for at, name in enumerate(answer.columns) if name not in hidden
    ]
    for row in answer.rows:
        yield Markup("".join([cell(row[at]) for at, cell in columns]))  # noqa: S704 - `_cell` escapes each value


def _made_once(column: str, is_number: bool, zone: ZoneInfo) -> Callable[[Any], str]:
    """Makes the cells of one column: few values of it differ, and all are of one type."""
    made: dict[Any, str] = {}

    def cell(value: Any) -> str:
        if isinstance(value, list):
            return _cell(value, column, is_number, zone)
        if value not in made:
            made[value] = _cell(value, column, is_number, zone)
        return made[value]

    return cell


def _cell(value: Any, column: str, is_number: bool, zone: ZoneInfo) -> str:
    """A reason has the room of a note: it says at its end why a later approval does not count."""
    text = escape(shown(value, zone, is_note=column == "reason"))
    if column == "state" and value in _STATES:
        return f'<td><span class="state {value.replace(" ", "-")}">{text}</span>'
    if is_number:
        return f"<td class=n>{text}"
    if isinstance(value, date):
        return f"<td class=d>{text}"
    return f"<td{_class_of(value)}>{text}"


def _class_of(value: Any) -> str:
    if not isinstance(value, str) or len(value) <= _WORD:
        return ""
    if " " not in value:
        return " class=w"
    return " class=l" if len(value) > _SHORT else ""
