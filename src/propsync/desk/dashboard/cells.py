"""The cells of a table. A page has tens of thousands, and Jinja takes ten times as long for one as Python."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

from markupsafe import Markup, escape

from propsync.desk.dashboard.answer import Answer
from propsync.desk.dashboard.words import shown

_STATES = ("in date", "due soon", "out of date", "unknown")
_SHORT = 32  # a longer text may break into lines


def cells(answer: Answer, hidden: Collection[str], zone: ZoneInfo) -> Iterator[Markup]:
    """The cells of each row, without the columns in `hidden`.

    A cell's end tag may be left out in HTML: that makes the page a quarter smaller.
    """
    numeric = answer.numeric
    columns = [(at, name == "state", name in numeric) for at, name in enumerate(answer.columns) if name not in hidden]
    for row in answer.rows:
        made = (_cell(row[at], is_state, is_number, zone) for at, is_state, is_number in columns)
        yield Markup("".join(made))  # noqa: S704 - `_cell` escapes each value


def _cell(value: Any, is_state: bool, is_number: bool, zone: ZoneInfo) -> str:
    text = escape(shown(value, zone))
    if is_state and value in _STATES:
        return f'<td><span class="state {value.replace(" ", "-")}">{text}</span>'
    if is_number:
        return f"<td class=n>{text}"
    if isinstance(value, date):
        return f"<td class=d>{text}"
    return f"<td class=l>{text}" if isinstance(value, str) and len(value) > _SHORT else f"<td>{text}"
