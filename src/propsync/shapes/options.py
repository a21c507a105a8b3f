"""Finds where a field definition lists its options: an array, or an object keyed by option."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from propsync.records import Path, follow, text_of
from propsync.shapes.choice import Choice
from propsync.shapes.fields import KIND
from propsync.shapes.members import carries, rank
from propsync.shapes.mentions import all_texts

_OPTIONS = ("options", "choices", "values", "items", "optionlist", "list", "enum", "answers")


def find_options(definitions: Sequence[Any], referred: set[str]) -> Choice | None:
    """The array, or the object keyed by option, that option fields have and others do not."""
    counts: Counter[Path] = Counter()
    of_option = [one for one in definitions if isinstance(one, dict) and follow(one, KIND) == "option"]
    for definition in of_option:
        counts.update((name,) for name, value in definition.items() if _are_options(name, value, referred))
        counts.update(_listed_inside(definition, referred))
    if not counts:
        counts = _chosen_inside(of_option, referred)
    if not counts:
        return None
    best = min(counts, key=lambda path: (rank(path, _OPTIONS), -counts[path], path))
    others: list[Path] = []
    while left := [path for path in counts if _is_needed(definitions, path, (best, *others))]:
        others.append(min(left, key=lambda path: (rank(path, _OPTIONS), -counts[path], path)))
    return Choice((best, *others), "found", f"what {counts[best]} option fields list")


def _listed_inside(definition: dict[str, Any], referred: set[str]) -> Iterator[Path]:
    """Options with a likely name in an object of the definition, such as its settings.

    They are an array of objects, or an object or an array of texts from whose members assets choose.
    """
    for path, value in _members_inside(definition):
        are_objects = isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)
        are_chosen = isinstance(value, dict | list) and not referred.isdisjoint(map(text_of, value))
        if (are_objects or are_chosen) and rank(path[-1:], _OPTIONS) < len(_OPTIONS):
            yield path


def _members_inside(definition: dict[str, Any]) -> Iterator[tuple[Path, Any]]:
    for name, held in definition.items():
        yield from (((name, inner), value) for inner, value in held.items()) if isinstance(held, dict) else ()


def _chosen_inside(definitions: Sequence[dict[str, Any]], referred: set[str]) -> Counter[Path]:
    """Arrays of objects under any name in an object of most definitions, if assets name most of these objects."""
    lists: dict[Path, list[list[Any]]] = {}
    for path, value in (found for definition in definitions for found in _members_inside(definition)):
        if isinstance(value, list) and len(value) > 1 and all(isinstance(one, dict) for one in value):
            lists.setdefault(path, []).append(value)
    most = {path: found for path, found in lists.items() if len(found) * 2 > len(definitions)}
    return Counter({path: len(found) for path, found in most.items() if _are_named(found, referred)})


def _are_named(lists: Sequence[Sequence[Any]], referred: set[str]) -> bool:
    named = [not referred.isdisjoint(all_texts(one)) for of_field in lists for one in of_field]
    return sum(named) * 2 > len(named)


def _is_needed(definitions: Sequence[Any], path: Path, better: Sequence[Path]) -> bool:
    """Whether an option field lists its options under this likely name, and has none of the better members."""
    options = [one for one in definitions if isinstance(one, dict) and follow(one, KIND) == "option"]
    is_likely = rank(path, _OPTIONS) < len(_OPTIONS)
    return is_likely and any(follow(one, path) for one in options if not any(carries(one, known) for known in better))


def _are_options(name: str, value: Any, referred: set[str]) -> bool:
    """Any array may list options; an object only if its name says so, or assets choose from its members. One that holds
    the list itself, as in `"options": {"items": [...]}`, is none.
    """
    if isinstance(value, dict) and value:
        holds_list = any(_listed_inside({name: value}, referred))
        is_likely = rank((name,), _OPTIONS) < len(_OPTIONS) and not holds_list
        return is_likely or not referred.isdisjoint(value) or _are_labels(list(value.values()), referred)
    return isinstance(value, list) and bool(value)


def _are_labels(held: Sequence[Any], referred: set[str]) -> bool:
    """Whether these are texts, and assets name most of them: options by their ids, of which assets show the labels."""
    texts_held = [one for one in held if isinstance(one, str)]
    named = sum(one in referred for one in texts_held)
    return 1 < len(held) == len(texts_held) and named * 2 > len(held)
