"""Makes names of tables and columns from labels in any script."""

from __future__ import annotations

import re
from collections.abc import Collection

from anyascii import anyascii

_LONGEST = 60
_LONGEST_CAMEL = 200  # letters of a name of words without blanks; judging it takes time by their square
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_IS_CAMEL = re.compile(r"^[A-Za-z]?[a-z0-9]+([A-Z]+[a-z0-9]{2,}|(?<=[a-z]{3})[A-Z][a-z]|ID)+$")
_NOT_WORD = re.compile(r"[^a-z0-9]+")


def snake_case(label: str | None, fallback: str) -> str:
    """A label in lower case ASCII words joined by `_`; `fallback` if no letter or digit remains.

    It writes other scripts in Latin letters (Wysokość → wysokosc, 门 → men). A leading digit gets a `_` before it, so
    that the name needs no quotes. `fireRating` and `raisedAt` are two words, `AOVs` and `kWh` are one.
    """
    spelt = anyascii(label or "")
    if len(spelt) <= _LONGEST_CAMEL and _IS_CAMEL.match(spelt):
        spelt = _CAMEL.sub(" ", spelt)
    name = _NOT_WORD.sub("_", spelt.lower()).strip("_")[:_LONGEST].strip("_") or fallback
    return f"_{name}" if name[0].isdigit() else name


def unique_name(name: str, taken: Collection[str]) -> str:
    """`name`, or with `_2`, `_3`, … at its end, so that `taken` does not contain it."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free
