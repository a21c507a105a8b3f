"""How values of each kind look, and how many of a member's values look so (API §2.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from propsync.records import Path, follow
from propsync.shapes.fields import KINDS
from propsync.shapes.members import is_blank

_SEVERAL = 5
_LINKS = ("http://", "https://", "data:", "/")


def is_same(results: Sequence[Any], path: Path) -> bool:
    """Whether several results say nothing but the same at `path`."""
    said = [held for result in results if not is_blank(held := follow(result, path))]
    return len(said) >= _SEVERAL and all(held == said[0] for held in said)


def share_that_fits(looks: Callable[[Any], float] | None, results: Sequence[Any], path: Path) -> float:
    """The share of values at `path` that look so; 0 without `looks`, which some kinds lack. The link of an image is its
    value, and its size is not.
    """
    said = [held for result in results if not is_blank(held := follow(result, path))]
    return sum(map(looks, said)) / len(said) if looks and said else 0.0


def says_nothing(kind: str, held: Any) -> bool:
    """Whether it is blank, or true or false, such as `required`: no kind of the API's document has such values."""
    return is_blank(held) or (isinstance(held, bool) and kind in KINDS)


def _is_link(held: Any) -> float:
    """A text that is no link may be the id of a file; a number is its size."""
    if isinstance(held, str) and held.lower().startswith(_LINKS):
        return 1
    return 0.5 if isinstance(held, str | dict | list) else 0


def is_number(held: Any) -> bool:
    """Whether it is a number of JSON."""
    return isinstance(held, int | float) and not isinstance(held, bool)


LOOKS: dict[str, Callable[[Any], float]] = {
    "text": lambda held: isinstance(held, str),
    "qr": lambda held: isinstance(held, str),
    "number": is_number,
    "option": lambda held: isinstance(held, list),
    "date": lambda held: isinstance(held, str) and held[:4].isdigit(),
    "time": lambda held: isinstance(held, str) and held[:1].isdigit(),
    "image": _is_link,
    "file": _is_link,
    "pin": lambda held: isinstance(held, dict | list),
}
"""How values look of which the document shows the kind and not the member."""
