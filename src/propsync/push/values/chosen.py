"""The options or users that a cell names: by id or label, several separated by semicolons."""

from __future__ import annotations

import re

from propsync.push.files.damage import CellRefused, check_shortened
from propsync.push.files.source import BLANKS
from propsync.push.values.fields import USERS, Field

_OTHER_MARKS = re.compile(r"[,/|+&\n]")
_MOST_PARTS = 200
_SHOWN = 12  # labels in a message


def chosen(text: str, field: Field) -> list[str]:
    """The ids, each once, in the order of the text. Raises CellRefused.

    A label may itself have a semicolon: exactly one way to cut the text into known names must exist.
    """
    parts = text.strip(BLANKS).rstrip(";").split(";")
    if len(parts) > _MOST_PARTS:
        raise CellRefused(f"it has more than {_MOST_PARTS} values")
    ways = _ways(parts, field)
    if not ways:
        raise CellRefused(_unknown(parts, field))
    if len({frozenset(way) for way in ways}) > 1:
        raise CellRefused("it can be read in several ways, because a label has a semicolon: write the ids")
    return list(dict.fromkeys(ways[0]))


def _ways(parts: list[str], field: Field) -> list[list[str]]:
    """At most two ways to cut the parts into names. Raises CellRefused for a name of several choices."""
    found: dict[int, list[list[str]]] = {len(parts): [[]]}
    for start in range(len(parts) - 1, -1, -1):
        found[start] = []
        for end in range(start + 1, min(len(parts), start + 1 + field.most_semicolons) + 1):
            if found[end] and (name := _named(";".join(parts[start:end]).strip(BLANKS), field)):
                found[start] = _distinct([*found[start], *([name, *rest] for rest in found[end])])
    return found[0]


def _distinct(ways: list[list[str]]) -> list[list[str]]:
    return list({frozenset(way): way for way in ways}.values())[:2]


def _named(text: str, field: Field) -> str | None:
    """The id that a text names, None for none. Raises CellRefused for several."""
    found = field.named(text) or field.like(text)
    if len(found) > 1:
        raise CellRefused(f"{len(found)} {_noun(field)}s are called {text}: write one of {_told_apart(found, field)}")
    return next(iter(found), None)


def _told_apart(found: set[str], field: Field) -> str:
    """The ids, or whole names if an id is the label of another choice."""
    if all(field.like(one) == {one} for one in found):
        return f"the ids {', '.join(sorted(found))}"
    return ", ".join(field.whole_name(one) for one in sorted(found))


def _unknown(parts: list[str], field: Field) -> str:
    missing = next((part.strip(BLANKS) for part in parts if not _named(part.strip(BLANKS), field)), ";".join(parts))
    check_shortened(missing)
    names = [one.strip(BLANKS) for one in _OTHER_MARKS.split(missing)]
    if len(names) > 1 and all(_named(one, field) for one in names):
        return f"put a semicolon between two {_noun(field)}s: {'; '.join(names)}"
    labels = [label or one for one, label in field.choices.items()]
    if not labels:
        return f"propsync knows no {_noun(field)}s here; run `propsync sync`"
    more = f" and {len(labels) - _SHOWN} more" if len(labels) > _SHOWN else ""
    known = f"; known are {', '.join(labels[:_SHOWN])}{more}"
    return f"no {_noun(field)} is called {missing!r}{known}"


def _noun(field: Field) -> str:
    return "user" if field.kind == USERS else "option"
