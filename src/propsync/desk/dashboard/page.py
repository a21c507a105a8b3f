"""Draws the page: one HTML file without scripts, which asks no other file for anything."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache, partial
from importlib.resources import files
from itertools import chain
from typing import Any
from zoneinfo import ZoneInfo

from jinja2 import Environment, PackageLoader, StrictUndefined

from propsync.desk.dashboard import words
from propsync.desk.dashboard.ahead import look_ahead
from propsync.desk.dashboard.answer import Answer, Asker, Reader
from propsync.desk.dashboard.cells import cells
from propsync.desk.dashboard.changed import ORDER, in_words
from propsync.desk.dashboard.compliance import by_type
from propsync.desk.dashboard.headlines import headlines
from propsync.desk.dashboard.trust import judge
from propsync.warehouse import statement

_ROWS = (500, 200, 80, 30, 10)  # rows below a number: fewer if the page would become too large
_OF_TYPE = 60  # rows below a type
_TYPES = 48  # types with a chart; a table has the others
_WHOLE = 100_000  # rows of an answer that the page sums up
_MOST_BYTES = 900_000
NUMBERS: Sequence[str] = (
    "overdue",
    "due_soon",
    "no_due_date",
    "unassigned",
    "without_required",
    "open_high_actions",
)
SECTIONS: Mapping[str, Sequence[str]] = {
    "compliance": ("compliance_by_type", "compliance_rows", "compliance_months"),
    "worst": ("worst_first",),
    "changed": ("changed_by_kind", "changed"),
    "quality": (
        "values_that_do_not_fit",
        "rejected_records",
        "held_deletes",
        "list_issues",
        "worst_fields",
        "orphaned_actions",
        "lookalikes",
    ),
    "ahead": ("ahead_by_week", "ahead"),
    "documents": ("documents_lacking", "documents_lost", "documents_given_up", "documents_changed"),
}
"""The sections below the numbers, in order, and the questions that each answers."""
SUMMED = ("compliance_by_type", "compliance_rows", "compliance_months", "changed_by_kind", "ahead_by_week")
"""The questions whose every row counts, though the page does not show all."""


@dataclass(frozen=True)
class Dashboard:
    """The page, the numbers at its top for tomorrow, and a line for each question without an answer."""

    html: bytes
    today: date
    numbers: list[Answer]
    errors: list[str]


def draw(reader: Reader, zone: ZoneInfo, withheld: Collection[str] = ()) -> Dashboard | None:
    """The page of what `reader` has, but for the tables in `withheld`; None before the first run."""
    as_of: datetime | None = reader.rows(statement("desk/last_run"))[1][0][0]
    if as_of is None:
        return None
    today = as_of.astimezone(zone).date()
    asked = ("trust", *NUMBERS, *chain.from_iterable(SECTIONS.values()))
    asker = Asker(reader, withheld)
    found = {name: asker.answer(name, _WHOLE if name in SUMMED else _ROWS[0]) for name in asked}
    numbers = [found[name] for name in NUMBERS]
    facts: dict[str, Any] = {
        "as_of": as_of,
        "today": today,
        "trust": judge(reader, found["trust"], as_of, zone),
        "numbers": headlines(reader, today, numbers),
        "compliance": by_type(*(found[name] for name in SECTIONS["compliance"])),
        "seen_since": reader.rows(statement("desk/dashboard/seen_since"))[1][0][0],
        "changed": in_words(found["changed_by_kind"]),
        "unread": _unread(found["trust"]),
        "ahead": look_ahead(found["ahead_by_week"]),
    }
    errors = [f"the dashboard cannot show “{one.question.title}”: {one.error}" for one in found.values() if one.error]
    return Dashboard(_fitted(found, facts, zone), today, numbers, errors)


def _unread(trust: Answer) -> str:
    """The lists of `marts.changes` that the last sync did not read completely, so that it may have missed changes."""
    unread = {row["table"] for row in trust.dicts() if row["last_read"] in ("incomplete", "failed")}
    return ", ".join(one for one in ORDER if one in unread)


def _fitted(found: dict[str, Answer], facts: dict[str, Any], zone: ZoneInfo) -> bytes:
    """The page with as many rows below each number as fit."""
    template = _environment(zone).get_template("page.html")
    html = b""
    for most in _ROWS:
        shown = {name: one.cut(most) for name, one in found.items()}
        limits = {"most_of_type": min(most, _OF_TYPE), "most_types": _TYPES}
        html = template.render(**facts, **limits, answers=shown, questions=SECTIONS).encode()
        if len(html) <= _MOST_BYTES:
            break
    return html


@cache
def _environment(zone: ZoneInfo) -> Environment:
    made = Environment(
        loader=PackageLoader("propsync.desk.dashboard"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {name: getattr(words, name) for name in ("heading", "weekday", "short_day", "sentence", "note")}
    made.filters |= {"shown": partial(words.shown, zone=zone), "cells": partial(cells, zone=zone)}
    made.globals |= {"compared": words.compared, "counted": words.counted}
    made.globals |= {"style": _style(), "style_hash": _style_hash()}
    return made


@cache
def _style() -> str:
    return files("propsync.desk.dashboard").joinpath("templates/style.css").read_text(encoding="utf-8")


@cache
def _style_hash() -> str:
    """The page allows this style and nothing else: no script, no image, no font."""
    return base64.b64encode(hashlib.sha256(_style().encode()).digest()).decode()
