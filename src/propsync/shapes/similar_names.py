"""Notices documented members that records have under another name, where propsync does not read them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from propsync.records import Path, follow, text_of
from propsync.resources import Resource
from propsync.shapes.choice import UNREAD, Choice, Shape
from propsync.shapes.identity import NODE
from propsync.shapes.members import ENDINGS, carries, is_blank, plain

HOLDERS = ("attributes", NODE)
_BESIDE = ("nameSingular",)
"""Members that say nothing that another one does not say."""
_PROPERTIES = ("property", "properties")
_PLACES = (*_PROPERTIES, "site", "building", "location", "place", "premises")
"""Names of members that may lead to a property."""


def settle_members(shape: Shape, resource: Resource, records: Sequence[Any], *, is_whole: bool = True) -> None:
    """Settles the part "members": documented members that no record has, if some have them under a similar name.

    `due_date` in place of `dueDate` left every due date NULL; so did attributes of JSON:API and nodes of edges.
    """
    absent = [name for name in resource.members if name not in _BESIDE and not _is_anywhere(records, (name,))]
    found = {name: sorted({place for one in records for place in _alike(one, name)}) for name in absent}
    shown = [f"no record has {name}, but some have {places[0]}" for name, places in found.items() if places]
    if shown and is_whole:
        shape.choices["members"] = Choice((), UNREAD, "; ".join(shown))
    elif is_whole:
        shape.choices.pop("members", None)


def settle_property(shape: Shape, records: Sequence[Any], *, is_whole: bool = True) -> None:
    """Settles the property as unread if propsync finds none, and most records have the id of some place.

    The id may be the property's, or that of a room in it: propsync reports it until other records know the id.
    """
    choice = shape.choices.get("property")
    if choice is None or choice.source not in ("absent", UNREAD) or not is_whole:
        return
    found = Counter(place for one in records for place in _places_of(one))
    place, count = next(iter(found.most_common(1)), ("", 0))
    if count * 2 > len(records):
        evidence = f"propsync finds none in {len(records)} records, and {place}, which {count} have, may name it"
        shape.choices["property"] = Choice(choice.paths, UNREAD, evidence)
    elif choice.source == UNREAD:
        shape.choices["property"] = Choice(choice.paths, "absent", f"no member of {len(records)} records points to it")


def _places_of(record: Any) -> set[str]:
    """The members of a record that may name its property: `site.id`, `siteId`, `properties`."""
    found = set()
    for name, held in _members_of(record):
        stem = next((plain(name).removesuffix(end) for end in ENDINGS if plain(name).endswith(end)), None)
        if stem in _PLACES and text_of(held):
            found.add(name)
        elif plain(name) in _PLACES and isinstance(held, dict):
            ids = [inner for inner, said in held.items() if plain(inner).endswith(ENDINGS) and text_of(said)]
            found.update(f"{name}.{inner}" for inner in ids[:1])
        elif plain(name) in _PROPERTIES and isinstance(held, list) and held:
            found.add(name)
    return found


def _is_anywhere(records: Sequence[Any], path: Path) -> bool:
    return any(carries(one, path) for one in records)


def _alike(record: Any, name: str) -> list[str]:
    """The places in a record of a member with nearly this name that says something."""
    inner = [(f"{holder}.{one}", said) for holder in HOLDERS for one, said in _members_of(follow(record, (holder,)))]
    places = [*_members_of(record), *inner]
    return [place for place, said in places if plain(place.rpartition(".")[2]) == plain(name) and not is_blank(said)]


def _members_of(held: Any) -> list[tuple[str, Any]]:
    return list(held.items()) if isinstance(held, dict) else []
