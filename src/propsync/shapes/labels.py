"""Finds the labels of fields and of their options: by a usual name, or else the text that differs most."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from propsync.records import Path, follow
from propsync.shapes.choice import Choice
from propsync.shapes.fields import text_paths
from propsync.shapes.members import carries, is_blank, lacking, plain, rank, texts
from propsync.shapes.names import ENGLISH, in_languages, names_no_name

LABEL = ("label", "title", "displayname", "caption", "question", "name", "text", "description")  # a name may be a key
SURE_LABEL = LABEL[:-1]  # a description explains a label, and replaces none
_TELLS = 0.5  # the least share of definitions with a label of their own
_EXPLAINS = ("help", "hint", "tooltip", "placeholder", "color", "colour")
_NO_LABEL = re.compile(r"[\W\d_]*|\d{4}-\d\d-\d\d[T ]\d.*|#[0-9a-fA-F]{3,8}|.*://.*", re.DOTALL)
"""Numbers, days, moments, colours and links."""


def find_label(groups: Sequence[Sequence[Any]], taken: set[Path]) -> Choice | None:
    """The label of the fields of each type, or of the options of each list.

    Without a usual name it is the text that is left. Labels differ within a group: a section, a colour or a moment of
    creation says the same again and again.
    """
    records = [one for group in groups for one in group]
    candidates = [path for path in text_paths(records) if path not in taken]
    if not candidates:
        return None

    def order(path: Path) -> tuple[bool, bool, bool, int, bool, float, bool, int, Path]:
        is_unsure = plain(path[0]) not in SURE_LABEL
        own = _own_share(groups, path) if is_unsure else 1.0
        is_foreign = plain(path[-1]) not in ENGLISH
        place = (is_unsure, _is_mostly_blank(records, path), own < _TELLS, _label_rank(path))
        return *place, _says_less(path), -own, is_foreign, -len(texts(records, path)), path

    best = min(candidates, key=order)
    evidence = "by its name" if _label_rank(best) < len(LABEL) else "the text that is left"
    return Choice((best, *_other_labels(records, best, taken)), "found", evidence)


def _own_share(groups: Sequence[Sequence[Any]], path: Path) -> float:
    """The share of records with a text of their own in their group that may be a label; in tenths."""
    own = sum(len({text for one in group if (text := _words_at(one, path))}) for group in groups)
    return round(own / sum(map(len, groups)), 1)


def _words_at(record: Any, path: Path) -> str | None:
    held = follow(record, path)
    return held if isinstance(held, str) and not _NO_LABEL.fullmatch(held) else None


def _says_less(path: Path) -> bool:
    """Whether the name says that the text is no label: a key, a date, or what explains or paints the label."""
    own = plain(path[0])
    return names_no_name(path[-1]) or own.startswith(_EXPLAINS) or own.endswith(_EXPLAINS)


def _label_rank(path: Path) -> int:
    """Ranks a label by its name; one of several languages by that of the object, which a `name` beside it may key."""
    return rank(path[:1] if in_languages([path], LABEL) else path, LABEL)


def _is_mostly_blank(records: Sequence[Any], path: Path) -> bool:
    """Whether most records that have the member say nothing there, such as a `label` that may replace the `name`."""
    said = sum(not is_blank(follow(record, path)) for record in records)
    return said * 2 < sum(carries(record, path) for record in records)


def _other_labels(records: Sequence[Any], best: Path, taken: set[Path]) -> list[Path]:
    """Members with the name of a label in records that lack the better ones."""
    found: list[Path] = []
    while True:
        of_others = text_paths(lacking(records, (best, *found)))
        named = [path for path in of_others if path not in taken and plain(path[0]) in SURE_LABEL]
        if not named:
            return found
        found.append(min(named, key=lambda path: (rank(path, LABEL), path)))
