"""The dictionary as a page to search, as Markdown, CSV or JSON."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import groupby

from propsync.desk.dictionary.entries import Entry
from propsync.desk.plain_text import plain_text
from propsync.warehouse import safe_in_sheet

_NUMBER = re.compile(r"[-+]?\d[\d.,: +-]*")
_COLUMNS = ("column", "type", "meaning", "source", "filled", "example")


def share(filled: float | None) -> str:
    """A share in percent; never 100 % or 0 % unless it is so."""
    if filled is None:
        return ""
    percent = round(100 * filled)
    if percent == 100 and filled < 1:
        return ">99 %"
    return "<1 %" if percent == 0 and filled else f"{percent} %"


def by_table(entries: Sequence[Entry]) -> Iterator[tuple[str, str | None, list[Entry]]]:
    """Each table with what it is for, and its columns."""
    for name, columns in groupby(entries, lambda one: one.table):
        of_table = list(columns)
        yield name, of_table[0].about_table, of_table


def _plainly(entries: Sequence[Entry]) -> list[Entry]:
    """The entries as a page or a terminal may show them."""
    return [
        replace(
            one,
            table=plain_text(one.table),
            about_table=plain_text(one.about_table or ""),
            column=plain_text(one.column),
            meaning=plain_text(one.meaning or ""),
            source=plain_text(one.source or ""),
            example=plain_text(one.example or ""),
        )
        for one in entries
    ]


def _markdown(entries: Sequence[Entry]) -> str:
    lines = ["# The tables of this copy", ""]
    for name, about, columns in by_table(_plainly(entries)):
        lines += [f"## {name}", "", _cell(about), "", _line(_COLUMNS), _line(["---"] * len(_COLUMNS))]
        lines += [_line(_cells(one)) for one in columns]
        lines.append("")
    return "\n".join(lines)


def _cells(one: Entry) -> list[str]:
    return [f"`{one.column}`", one.type, *map(_cell, (one.meaning, one.source, share(one.filled), one.example))]


def _cell(text: str | None) -> str:
    """Other people's text in a cell of Markdown: no line, no column and no HTML of its own."""
    return (text or "").replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|")


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _csv(entries: Sequence[Entry]) -> str:
    lines = io.StringIO()
    writer = csv.DictWriter(lines, ["table", "about_table", *_COLUMNS], lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _in_sheet(held) for name, held in asdict(one).items()} for one in entries)
    return lines.getvalue()


def _in_sheet(held: object) -> object:
    """A cell for spreadsheets, which people open this file with: a label of theirs is no formula, and -4.5 a number."""
    return safe_in_sheet(held) if isinstance(held, str) and not _NUMBER.fullmatch(held) else held


def _json(entries: Sequence[Entry]) -> str:
    return json.dumps([asdict(one) for one in entries], ensure_ascii=False, indent=1) + "\n"


def _html(entries: Sequence[Entry]) -> str:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # takes 0.1 s, and only this format needs it

    made = Environment(
        loader=PackageLoader("propsync.desk.dictionary"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["share"] = share
    texts = {name: made.loader.get_source(made, f"dictionary.{name}")[0] for name in ("css", "js")}  # type: ignore[union-attr]
    hashes = {f"{name}_hash": _hash(text) for name, text in texts.items()}
    template = made.get_template("dictionary.html")
    return template.render(tables=list(by_table(_plainly(entries))), count=len(entries), **texts, **hashes) + "\n"


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


FORMATS: Mapping[str, Callable[[Sequence[Entry]], str]] = {
    "html": _html,
    "md": _markdown,
    "csv": _csv,
    "json": _json,
}
"""How to write it, by the name of a format."""
