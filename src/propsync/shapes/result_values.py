"""Finds where field results keep their value: the member that remains beside kind and reference (API §2.2)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from propsync.records import Path, follow, text_of
from propsync.shapes.choice import Choice
from propsync.shapes.fields import KIND, KINDS, WHOLE
from propsync.shapes.members import SPEAKS, as_list, carries, contradicts, ends_with_id, is_blank, plain

LIKELY_VALUE = ("value", "values", "val", "content", "answer", "result", "data")
_PLAUSIBLE = 2  # the last rank of a name that says that the member is a value
BESIDE = (
    "id",
    "uid",
    "label",
    "name",
    "title",
    "position",
    "order",
    "createdat",
    "createdby",
    "updatedat",
    "updatedby",
)
"""Members of a result that are no value, without case and separators."""
VALUES = (*LIKELY_VALUE, "valuevalue", "valueid", "valueids")
"""Names of members that say value, where `value` stands for the kind too."""


def value_of_kind(
    kind: str,
    results: Sequence[Any],
    references: Sequence[Path],
    options: Collection[str] = (),
    beside: Collection[Path] = (),
) -> Choice | None:
    """The rest of a result: under `value`, under a member named for the kind, or the one member that remains.

    Results that have nothing there may have their value under another name that says so. `options` are the ids of all
    options. Members that results of any kind have `beside` their value come last.
    """
    places = [_value_places(kind, result, references) for result in results]
    left = Counter(path for of_result in places for path in of_result)
    if not left:
        return None
    best = min(left, key=lambda path: (*_blank_rank(kind, results, path, beside), *_telling(kind, results, path, left)))
    best = next(
        (path for path in sorted(left) if _may_be_value(path[-1], kind) and _is_fuller(results, path, best)), best
    )
    best = _for_programs(kind, results, left, best, options) or best
    words = {0: "the member called value", 1: f"the member named for its kind, {kind}"}
    taken = sorted({KIND[0], *(path[0] for path in references if path)})
    why = words.get(_value_rank(best[-1], kind), f"the rest of a result besides {', '.join(taken)}")
    seen = f"{why}; in {left[best]} of {len(results)} {kind or 'untyped'} results"
    others = _other_values(kind, results, left, best)
    more = "".join(f", {'.'.join(path)} in {count} without it" for path, count in others.items())
    paths = tuple(path for place in (best, *others) for path in _with_inside(kind, results, place))
    choice = Choice(paths, "found", f"{seen}{more}")
    return _with_places(results, references, choice) if kind == "pin" else choice


def _with_places(results: Sequence[Any], references: Sequence[Path], choice: Choice) -> Choice:
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


def _for_programs(
    kind: str, results: Sequence[Any], places: Collection[Path], best: Path, options: Collection[str]
) -> Path | None:
    """A member called a value whose values fit the kind, if none at `best` does: that may be a text for people."""
    looks = {**_LOOKS, "option": lambda held: _names_options(held, options)}.get(kind)
    if kind not in _SHOWN_AS_TEXT or looks is None:
        return None

    def share(path: Path) -> float:
        said = [held for result in results if not is_blank(held := follow(result, path))]
        return sum(map(looks, said)) / len(said) if said else 0.0

    if share(best) or _lists_inside(results, best):
        return None
    named = [path for path in places if _may_be_value(path[-1], kind) or plain(path[-1]) in VALUES]
    fitting = [path for path in named if share(path) >= SPEAKS and not _lists_more(results, path, best)]
    return min(fitting, key=lambda path: (_place_rank(path, kind), path), default=None)


def _lists_more(results: Sequence[Any], path: Path, best: Path) -> bool:
    """Whether a member lists more choices than the text at `best` joins: it may list all choices that there are."""
    beside = _listed_beside(results, path, best)
    return any(len(held) > 1 + sum(map(str(one).count, ",;|")) for one, held in beside)


def _lists_inside(results: Sequence[Any], path: Path) -> bool:
    """Whether objects are there, in which the value may be."""
    held = [one for result in results for one in as_list(follow(result, path))]
    return any(isinstance(one, dict) for one in held)


def _names_options(held: Any, options: Collection[str]) -> bool:
    return all(text_of(one) in options for one in as_list(held))


def says_value(kind: str, choice: Choice) -> bool:
    """Whether the name of the member says that it is the value."""
    first = choice.paths[0]
    return first == WHOLE or _may_be_value(first[-1], kind)


def says_shown(kind: str, choice: Choice) -> bool:
    """Whether the name of the member says that it shows the value, such as `display`, or the link to a picture."""
    name = choice.paths[0][-1] if choice.paths[0] else ""
    return plain(name).startswith(_SHOWN) or _is_called_a_link(name, kind)


def is_beside(choice: Choice, others: Sequence[Any]) -> bool:
    """Whether the value is only what a result may have beside it, such as its own id, and what `others` have too."""
    path = choice.paths[0]
    return len(path) == 1 and plain(path[0]) in BESIDE and any(not is_blank(follow(one, path)) for one in others)


def _with_inside(kind: str, results: Sequence[Any], place: Path) -> list[Path]:
    """A place, after the member inside it that holds the value. The attributes of JSON:API are no value then."""
    inside = _inside(kind, results, place)
    return inside if inside and plain(place[-1]) == "attributes" else [*inside, place]


def _inside(kind: str, results: Sequence[Any], place: Path) -> list[Path]:
    """The member that holds the value in the objects at `place`, if they are no values of the kind themselves."""
    objects = [held for result in results if isinstance(held := follow(result, place), dict)]
    inner = Counter(name for held in objects for name in held if _may_hold_value(kind, held, name))
    best = min(inner, key=lambda name: (_value_rank(name, kind), -inner[name], name), default=None)
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
    fitting = [name for name, found in said.items() if all(map(_LOOKS[kind], found))]
    others = [held for name, found in said.items() if name not in fitting for held in found]
    is_doubtful = len(fitting) != 1 or any(isinstance(held, str) and held.strip("- ")[:1].isdigit() for held in others)
    return None if is_doubtful or _is_same(objects, (fitting[0],)) else fitting[0]


def _may_hold_value(kind: str, held: dict[str, Any], name: str) -> bool:
    """Whether the object `held` has the value under `name`. A value of the kind may be an object itself, unless it is
    single. Then the object has to have no other member, or a list of choices.
    """
    if not _may_be_value(name, kind):
        return False
    if kind in _SINGLE:
        return not isinstance(held[name], dict | list)
    return len(held) == 1 or (kind == "option" and isinstance(held[name], list))


def _telling(
    kind: str, results: Sequence[Any], path: Path, left: Mapping[Path, int]
) -> tuple[float, bool, int, bool, bool, Path]:
    """Ranks members with equal names: by their values, by their number, then `rawValue` before `display`.

    A unit or a language may be in each result, and the value in fewer.
    """
    name = plain(path[-1])
    fitting = _fitting(kind, results, path) if left[path] * 2 >= max(left.values()) else 0.0
    is_same = name not in _VALUES_OF_RESULTS and _is_same(results, path)
    return -fitting, is_same, -left[path], name.startswith(_SHOWN), not name.endswith("value"), path


def _is_same(results: Sequence[Any], path: Path) -> bool:
    """Whether several results say nothing but the same at `path`."""
    said = [held for result in results if not is_blank(held := follow(result, path))]
    return len(said) >= _SEVERAL and all(held == said[0] for held in said)


def _fitting(kind: str, results: Sequence[Any], path: Path) -> float:
    """The share of values at `path` that are of the kind: the link of an image is its value, and its size is not."""
    looks = _LOOKS.get(kind)
    said = [held for result in results if not is_blank(held := follow(result, path))]
    return sum(map(looks, said)) / len(said) if looks and said else 0.0


def _is_link(held: Any) -> float:
    """A text that is no link may be the id of a file; a number is its size."""
    if isinstance(held, str) and held.lower().startswith(_LINKS):
        return 1
    return 0.5 if isinstance(held, str | dict | list) else 0


def is_number(held: Any) -> bool:
    """Whether it is a number of JSON."""
    return isinstance(held, int | float) and not isinstance(held, bool)


_COORDINATES = ("x", "y", "lat", "lng", "lon", "long", "latitude", "longitude", "left", "top")
_TWO_PLACES = re.compile(r"\s*-?\d+(\.\d+)?\s*[,;\s]\s*-?\d+(\.\d+)?\s*")
_SEVERAL = 5
_SHOWN_AS_TEXT = ("number", "date", "time", "option")
_SHOWN = ("display", "formatted", "pretty")
_VALUES_OF_RESULTS = tuple(f"{what}value" for what in ("raw", "field", "actual", "current", "entered", "stored"))
"""Names that say value enough, though all results say the same."""
_PLAIN = ("number", "date", "time", "qr")  # an object of texts may have one for each language
_SINGLE = ("text", "number", "date", "time", "qr")
_LINKS = ("http://", "https://", "data:", "/")
_LOOKS: dict[str, Callable[[Any], float]] = {
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


def _is_fuller(results: Sequence[Any], path: Path, best: Path) -> bool:
    """Whether a member lists what `best` says alone, and more of it somewhere, such as `values` beside `value`.

    `best` has the first of each list, and some lists have no more. A list of all choices that there are shows neither.
    """
    listed = _listed_beside(results, path, best)
    said = [(one, held) for one, held in listed if not is_blank(one)]
    has_first = len(listed) == len(results) and all(held[:1] == [one] for one, held in said)
    lengths = {len(held) for _, held in said}
    return has_first and 1 in lengths and max(lengths) > 1


def _lists_choices(results: Sequence[Any], path: Path, best: Path) -> bool:
    """Whether a member has a longer list beside one value: it may list all choices that there are."""
    return any(len(held) > 1 and not is_blank(one) for one, held in _listed_beside(results, path, best))


def _listed_beside(results: Sequence[Any], path: Path, best: Path) -> list[tuple[Any, list[Any]]]:
    """Values at `best` other than lists, each with the list at `path`."""
    both = [(follow(result, best), follow(result, path)) for result in results]
    return [(one, held) for one, held in both if isinstance(held, list) and not isinstance(one, list)]


def _value_places(kind: str, result: Any, references: Sequence[Path]) -> list[Path]:
    """Members that may hold the value: beside the reference, or in an object around it."""
    paths = [path for path in references if path]
    taken = {KIND[0], *(path[0] for path in paths)}
    beside = [(name,) for name in result if name not in taken]
    around = dict.fromkeys(path[:depth] for path in paths for depth in range(len(path) - 1, 0, -1))
    objects = [(holder, held) for holder in around if isinstance(held := follow(result, holder), dict)]
    inside = [(*holder, name) for holder, held in objects for name in held if _may_be_inside(holder, name, kind)]
    return [*beside, *(path for path in inside if path not in paths and path not in around)]


def _may_be_inside(holder: Path, name: str, kind: str) -> bool:
    """Whether an object around the reference may hold the value under a name: under any, if it holds all of the result,
    as in `{"data": {"fieldId": "f1", "wert": 1}}`.
    """
    holds_all = len(holder) == 1 and plain(holder[0]) in ("attributes", "data", "node", "result")
    return _may_be_value(name, kind) or (holds_all and plain(name) not in (KIND[0], *BESIDE))


def _other_values(kind: str, results: Sequence[Any], places: Collection[Path], best: Path) -> dict[Path, int]:
    """Members that hold the value where the better ones hold nothing, the best first, with their number of results.

    A member that mostly contradicts the better ones is no value, such as a position called `number`. Nor is a link to
    the result itself, which empty ones have too: it differs from the value wherever there is one.
    """
    found: dict[Path, int] = {}
    said = [result for result in results if not is_blank(follow(result, best))]
    links = [path for path in places if _is_called_a_link(path[-1], kind) and not contradicts(said, path, (best,))]
    named = [path for path in places if path in links or _may_be_value(path[-1], kind)]
    likely = [path for path in named if not contradicts(results, path, (best,))]
    likely = [path for path in likely if not _lists_choices(results, path, best)]
    left = results
    while True:
        better = (best, *found)
        left = [result for result in left if is_blank(follow(result, better[-1]))]
        counts = Counter(path for result in left for path in likely if _adds(result, path, better))
        if not counts:
            return found
        chosen = min(counts, key=lambda path: (_place_rank(path, kind), -counts[path], path))
        found[chosen] = counts[chosen]


def _is_called_a_link(name: str, kind: str) -> bool:
    """Whether it links to an image or a file: some services write `url`, and a null under `value` if there is none."""
    return kind in ("image", "file") and plain(name) in ("url", "uri", "href", "src", "link")


def _adds(result: Any, path: Path, better: Sequence[Path]) -> bool:
    """Whether a result has a value at `path` that the better places, all blank or absent, do not say."""
    held = follow(result, path)
    if path in better or held is None:
        return False
    return not is_blank(held) or not any(carries(result, known) for known in better)


def _may_be_value(name: str, kind: str) -> bool:
    return _value_rank(name, kind) <= _PLAUSIBLE and plain(name) not in BESIDE


def _blank_rank(
    kind: str, results: Sequence[Any], path: Path, beside: Collection[Path]
) -> tuple[bool, bool, bool, tuple[bool, int, int]]:
    """Ranks places. Of those that no name calls the value, one that says nothing in any result comes last. Before it
    come those that are beside any value.
    """
    found = _place_rank(path, kind)
    is_blank_everywhere = found[0] and all(_says_nothing(kind, follow(result, path)) for result in results)
    return found[0], is_blank_everywhere, found[0] and path in beside, found


def _says_nothing(kind: str, held: Any) -> bool:
    """Whether it is blank, or true or false, such as `required`: no kind of the API's document has such values."""
    return is_blank(held) or (isinstance(held, bool) and kind in KINDS)


def _place_rank(path: Path, kind: str) -> tuple[bool, int, int]:
    """A member with a likely name beside the reference comes first, then one in its object, then any other."""
    found = _value_rank(path[-1], kind)
    return (found > _PLAUSIBLE, len(path), found)


def _value_rank(name: str, kind: str) -> int:
    own = plain(name)
    if own == "value":
        return 0
    if kind and own in (kind, kind + "s", kind + "value", "value" + kind, kind + "id", kind + "ids"):
        return 1
    if own in LIKELY_VALUE:
        return 2
    if own in KINDS:
        return 3
    return 5 if own in BESIDE else 4
