"""The members of a bundle that are its tables. API §4.8 says that there are such CSVs, and shows no name of them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable

TABLES = ("actions", "controls", "elements")
_WORD = re.compile(r"(action|control|element)s?")
_SUFFIX = ".csv"


def tables_of(names: Iterable[str]) -> dict[str, str]:
    """The names of CSVs that are `actions`, `controls` or `elements`, each with its table; capitals do not matter.

    They have that name, at the top or in one folder. A table without such a CSV has those whose name holds the word,
    beside one for another table with an equal name otherwise: `Actions 2026.csv` and `Controls 2026.csv`. One alone may
    be an attachment.
    """
    parts = {name: _parts(name) for name in names if is_csv(name)}
    found = {name: stem for name, (folders, stem) in parts.items() if stem in TABLES and len(folders) <= 1}
    others = {name: table for name, table in _in_sets(parts).items() if table not in found.values()}
    return found | others


def unknown_beside(csvs: Iterable[str], tables: Collection[str]) -> list[str]:
    """The CSVs that are none of the `tables`, in a folder that has one of these. Attachments are elsewhere."""
    folders = {_parts(name)[0] for name in tables}
    return [name for name in csvs if name not in tables and _parts(name)[0] in folders]


def is_csv(name: str) -> bool:
    """Whether a member is a CSV by its name."""
    return name.lower().endswith(_SUFFIX)


def _parts(name: str) -> tuple[tuple[str, ...], str]:
    *folders, file_name = [part for part in name.lower().replace("\\", "/").split("/") if part not in ("", ".")]
    return tuple(folders), file_name.removesuffix(_SUFFIX)


def _in_sets(parts: dict[str, tuple[tuple[str, ...], str]]) -> dict[str, str]:
    """The CSVs in a set of two tables or more, whose names are equal but for the word."""
    sets: dict[tuple[tuple[str, ...], str], dict[str, str]] = defaultdict(dict)
    for name, (folders, stem) in parts.items():
        words = _WORD.findall(stem)
        if len(words) == 1:
            sets[folders, _WORD.sub("*", stem)][name] = f"{words[0]}s"
    return {name: table for one in sets.values() if len(set(one.values())) > 1 for name, table in one.items()}
