"""Finds members that results have beside their value, whatever their kind, such as a comment."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import starmap
from typing import Any

from propsync.records import Path, follow, text_of
from propsync.shapes.members import SPEAKS, as_list, ends_with_id, is_blank, plain
from propsync.shapes.results.looks import is_number
from propsync.shapes.results.names import BESIDE

_ENOUGH = 3  # kinds whose values look different


def of_any_kind(by_kind: Mapping[str, Sequence[Any]], options: Collection[str]) -> set[Path]:
    """Members that look like the values of less than half of the kinds that have them."""
    return {
        path
        for path, found in _shares(by_kind, options).items()
        if len(found) >= _ENOUGH and sum(share >= SPEAKS for share in found) * 2 < len(found)
    }


def of_own_kinds(by_kind: Mapping[str, Sequence[Any]], options: Collection[str]) -> set[Path]:
    """Members that look like the values of all kinds that have them: beside the link of an image, one is its name."""
    return {path for path, found in _shares(by_kind, options).items() if min(found) >= SPEAKS}


def _shares(by_kind: Mapping[str, Sequence[Any]], options: Collection[str]) -> dict[Path, list[float]]:
    """For each member, the shares of what it says that look like the values of the kinds that have it."""
    looks = {**_LOOKS, "option": lambda held: _may_choose(held, options)}
    shares: dict[Path, list[float]] = {}
    for kind in (one for one in looks if one in by_kind):
        for name in dict.fromkeys(name for result in by_kind[kind] if isinstance(result, dict) for name in result):
            said = [held for one in by_kind[kind] if not is_blank(held := follow(one, (name,)))]
            if said:
                shares.setdefault((name,), []).append(sum(map(looks[kind], said)) / len(said))
    return shares


def beside(results: Sequence[Any], values: Collection[Path]) -> set[Path]:
    """Members that results with a value at one of `values` have beside it."""
    valued = [one for one in results if any(not is_blank(follow(one, path)) for path in values)]
    return {(name,) for one in valued for name, held in one.items() if (name,) not in values and not is_blank(held)}


def _is_numeric(held: Any) -> bool:
    return is_number(held) or (isinstance(held, str) and held.strip().lstrip("-").replace(".", "", 1).isdigit())


def _begins_with_digit(held: Any) -> bool:
    return isinstance(held, str) and held[:1].isdigit()


def _may_choose(held: Any, options: Collection[str]) -> bool:
    if isinstance(held, dict) and options:
        return any(_is_several(one) or text_of(one) in options for one in held.values())
    return _is_several(held) or all(text_of(one) in options for one in as_list(held))


def _is_several(held: Any) -> bool:
    return isinstance(held, dict | list)


def _looks_or_wraps(looks: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """A value may be in an object of its own, whatever its kind. In that of a user, an id is no value."""

    def may_be_value(name: str, held: Any) -> bool:
        return plain(name) not in BESIDE and not ends_with_id((name,)) and (_is_several(held) or looks(held))

    return lambda held: any(starmap(may_be_value, held.items())) if isinstance(held, dict) else looks(held)


_LOOKS_LIKE_NUMBER = _looks_or_wraps(_is_numeric)
_LOOKS: dict[str, Callable[[Any], bool]] = {
    "number": _LOOKS_LIKE_NUMBER,
    "date": _looks_or_wraps(_begins_with_digit),
    "time": _looks_or_wraps(_begins_with_digit),
    "pin": lambda held: isinstance(held, list) or (isinstance(held, dict) and _LOOKS_LIKE_NUMBER(held)),
}
