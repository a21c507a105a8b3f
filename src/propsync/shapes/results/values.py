"""Finds where field results keep their value: the member that remains beside kind and reference (API §2.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from propsync.records import Path, follow, text_of
from propsync.shapes.choice import Choice
from propsync.shapes.fields import KIND, KINDS, WHOLE
from propsync.shapes.members import SPEAKS, as_list, carries, contradicts, ends_with_id, is_blank, plain
from propsync.shapes.results.inside import with_inside
from propsync.shapes.results.looks import LOOKS, is_same, says_nothing, share_that_fits
from propsync.shapes.results.names import (
    BESIDE,
    VALUES,
    is_called_a_link,
    is_form_of_value,
    is_of_results,
    is_shown,
    may_be_value,
    place_rank,
    value_rank,
)
from propsync.shapes.results.pins import with_places

_OF_USERS = ("by", "user", "author")
_SHOWN_AS_TEXT = ("number", "date", "time", "option")


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
        (path for path in sorted(left) if may_be_value(path[-1], kind) and _is_fuller(results, path, best)), best
    )
    best = _for_programs(kind, results, left, best, options) or best
    words = {0: "the member called value", 1: f"the member named for its kind, {kind}"}
    taken = sorted({KIND[0], *(path[0] for path in references if path)})
    why = words.get(value_rank(best[-1], kind), f"the rest of a result besides {', '.join(taken)}")
    seen = f"{why}; in {left[best]} of {len(results)} {kind or 'untyped'} results"
    others = _other_values(kind, results, left, best)
    more = "".join(f", {'.'.join(path)} in {count} without it" for path, count in others.items())
    paths = tuple(path for place in (best, *others) for path in with_inside(kind, results, place))
    choice = Choice(paths, "found", f"{seen}{more}")
    return with_places(results, references, choice) if kind == "pin" else choice


def _for_programs(
    kind: str, results: Sequence[Any], places: Collection[Path], best: Path, options: Collection[str]
) -> Path | None:
    """A member called a value whose values fit the kind, if none at `best` does: that may be a text for people."""
    looks = {**LOOKS, "option": lambda held: _names_options(held, options)}.get(kind)
    if kind not in _SHOWN_AS_TEXT or looks is None:
        return None

    if share_that_fits(looks, results, best) or _lists_inside(results, best):
        return None
    named = [path for path in places if may_be_value(path[-1], kind) or plain(path[-1]) in VALUES]
    fitting = [
        path
        for path in named
        if share_that_fits(looks, results, path) >= SPEAKS and not _lists_more(results, path, best)
    ]
    return min(fitting, key=lambda path: (place_rank(path, kind), path), default=None)


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
    return first == WHOLE or may_be_value(first[-1], kind)


def says_shown(kind: str, choice: Choice) -> bool:
    """Whether the name of the member says that it shows the value: `display`, `rawValue`, `text` or a link."""
    name = choice.paths[0][-1] if choice.paths[0] else ""
    return is_shown(name) or is_form_of_value(name) or plain(name) in KINDS or is_called_a_link(name, kind)


def is_beside(choice: Choice, others: Sequence[Any]) -> bool:
    """Whether the value is only what a result may have beside it, such as its own id, and what `others` have too."""
    path = choice.paths[0]
    return len(path) == 1 and plain(path[0]) in BESIDE and any(not is_blank(follow(one, path)) for one in others)


def _telling(
    kind: str, results: Sequence[Any], path: Path, left: Mapping[Path, int]
) -> tuple[float, bool, bool, int, bool, bool, Path]:
    """Ranks members with equal names: by their values, by their number, then `rawValue` before `display`.

    A unit or a language may be in each result, and the value in fewer. So may a name, such as `fileName` beside an id.
    Without an id, the name may be the value, and a comment in fewer results is none.
    """
    name = plain(path[-1])
    fitting = share_that_fits(LOOKS.get(kind), results, path) if left[path] * 2 >= max(left.values()) else 0.0
    says_one_thing = not is_of_results(name) and is_same(results, path)
    is_name = name.endswith("name") and any(map(_is_own_id, left))
    return -fitting, says_one_thing, is_name, -left[path], is_shown(path[-1]), not name.endswith("value"), path


def _is_own_id(path: Path) -> bool:
    """Whether a member may be the id of a file or an option, which that of a user is not."""
    return ends_with_id(path) and not any(word in plain(path[-1]) for word in _OF_USERS)


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
    return may_be_value(name, kind) or (holds_all and plain(name) not in (KIND[0], *BESIDE))


def _other_values(kind: str, results: Sequence[Any], places: Collection[Path], best: Path) -> dict[Path, int]:
    """Members that hold the value where the better ones hold nothing, the best first, with their number of results.

    A member that mostly contradicts the better ones is no value, such as a position called `number`. Nor is a link to
    the result itself, which empty ones have too: it differs from the value wherever there is one.
    """
    found: dict[Path, int] = {}
    said = [result for result in results if not is_blank(follow(result, best))]
    links = [path for path in places if is_called_a_link(path[-1], kind) and not contradicts(said, path, (best,))]
    named = [path for path in places if path in links or may_be_value(path[-1], kind)]
    likely = [path for path in named if not contradicts(results, path, (best,))]
    likely = [path for path in likely if not _lists_choices(results, path, best)]
    left = results
    while True:
        better = (best, *found)
        left = [result for result in left if is_blank(follow(result, better[-1]))]
        counts = Counter(path for result in left for path in likely if _adds(result, path, better))
        if not counts:
            return found
        chosen = min(counts, key=lambda path: (place_rank(path, kind), -counts[path], path))
        found[chosen] = counts[chosen]


def _adds(result: Any, path: Path, better: Sequence[Path]) -> bool:
    """Whether a result has a value at `path` that the better places, all blank or absent, do not say."""
    held = follow(result, path)
    if path in better or held is None:
        return False
    return not is_blank(held) or not any(carries(result, known) for known in better)


def _blank_rank(
    kind: str, results: Sequence[Any], path: Path, beside: Collection[Path]
) -> tuple[bool, bool, bool, tuple[bool, int, int]]:
    """Ranks places. Of those that no name calls the value, one that says nothing in any result comes last. Before it
    come those that are beside any value.
    """
    found = place_rank(path, kind)
    is_blank_everywhere = found[0] and all(says_nothing(kind, follow(result, path)) for result in results)
    return found[0], is_blank_everywhere, found[0] and path in beside, found
