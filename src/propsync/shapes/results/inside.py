"""Values inside an object of their own, such as `"value": {"number": 12.5, "unit": "mm"}` (API §2.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from propsync.records import Path, follow
from propsync.shapes.members import ends_with_id, is_blank, plain
from propsync.shapes.results.looks import LOOKS, is_same
from propsync.shapes.results.names import BESIDE, may_be_value, value_rank

_PLAIN = ("number", "date", "time", "qr")  # an object of texts may have one for each language
_SINGLE = ("text", "number", "date", "time", "qr")


def with_inside(kind: str, results: Sequence[Any], place: Path) -> list[Path]:
    """A place, after the member inside it that holds the value. The attributes of JSON:API are no value then."""
    inside = _inside(kind, results, place)
    return inside if inside and plain(place[-1]) == "attributes" else [*inside, place]


def _inside(kind: str, results: Sequence[Any], place: Path) -> list[Path]:
    """The member that holds the value in the objects at `place`, if they are no values of the kind themselves."""
    objects = [held for result in results if isinstance(held := follow(result, place), dict)]
    inner = Counter(name for held in objects for name in held if _may_hold_value(kind, held, name))
    best = min(inner, key=lambda name: (value_rank(name, kind), -inner[name], name), default=None)
    best = _only_one(kind, objects) if best is None and kind in _PLAIN else best
    return [] if best is None else [(*place, best)]


def _only_one(kind: str, objects: Sequence[dict[str, Any]]) -> str | None:
    """The only member of objects that looks like their kind: `{"amount": 12.5, "unit": "mm"}`.

    Beside an amount in a text, a number may be its precision. One that never differs is no value.
    """
    said: dict[str, list[Any]] = {}
    for name, held in (member for one in objects for member in one.items()):
        if not is_blank(held) and plain(name) not in BESIDE and not ends_with_id((name,)):
            said.setdefault(name, []).append(held)
    fitting = [name for name, found in said.items() if all(map(LOOKS[kind], found))]
    others = [held for name, found in said.items() if name not in fitting for held in found]
    is_doubtful = len(fitting) != 1 or any(isinstance(held, str) and held.strip("- ")[:1].isdigit() for held in others)
    return None if is_doubtful or is_same(objects, (fitting[0],)) else fitting[0]


def _may_hold_value(kind: str, held: dict[str, Any], name: str) -> bool:
    """Whether the object `held` has the value under `name`. A value of the kind may be an object itself, unless it is
    single. Then the object has to have no other member, or a list of choices.
    """
    if not may_be_value(name, kind):
        return False
    if kind in _SINGLE:
        return not isinstance(held[name], dict | list)
    return len(held) == 1 or (kind == "option" and isinstance(held[name], list))
