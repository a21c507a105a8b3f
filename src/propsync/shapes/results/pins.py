"""Pins: places on a floor plan, whose two numbers may be members of the result itself (API §2.2)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from propsync.records import Path, follow
from propsync.shapes.choice import Choice
from propsync.shapes.fields import WHOLE
from propsync.shapes.members import plain
from propsync.shapes.results.looks import is_number

_COORDINATES = ("x", "y", "lat", "lng", "lon", "long", "latitude", "longitude", "left", "top")
_TWO_PLACES = re.compile(r"\s*-?\d+(\.\d+)?\s*[,;\s]\s*-?\d+(\.\d+)?\s*")


def with_places(results: Sequence[Any], references: Sequence[Path], choice: Choice) -> Choice:
    """The value of pins, if some have their places as members: all members beside them, since one is the floor plan.

    These are the members of the result, or of the object around its reference.
    """
    holders = dict.fromkeys((WHOLE, *(path[:1] for path in references if len(path) > 1)))
    counts = {one: sum(has_places(follow(result, one)) for result in results) for one in holders}
    holder = max(counts, key=lambda one: counts[one])
    if not counts[holder]:
        return choice
    shown = f"the places are members of {counts[holder]} of {len(results)} pin results"
    said = [follow(result, path) for result in results for path in choice.paths]
    if any(map(is_whole_pin, said)):
        return Choice((*choice.paths, holder), "found", f"{choice.evidence}; {shown}")
    return Choice((holder,), "found", shown)


def is_whole_pin(value: Any) -> bool:
    """Whether a value is a pin with both its places: an object, an array, or a text such as `0.5, 0.25`."""
    return isinstance(value, dict | list) or (isinstance(value, str) and bool(_TWO_PLACES.fullmatch(value)))


def has_places(result: Any) -> bool:
    """Whether a result has both its places as members of its own, so that its value is at most one part of the pin."""
    members = result.items() if isinstance(result, dict) else ()
    return sum(plain(name) in _COORDINATES and is_number(held) for name, held in members) > 1
