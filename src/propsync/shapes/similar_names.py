"""Notices documented members that records have under a similar name, where propsync does not read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from propsync.records import Path, follow
from propsync.resources import Resource
from propsync.shapes.choice import UNREAD, Choice, Shape
from propsync.shapes.identity import NODE
from propsync.shapes.members import carries, is_blank, plain

_HOLDERS = ("attributes", NODE)


def settle_members(shape: Shape, resource: Resource, records: Sequence[Any], *, is_whole: bool = True) -> None:
    """Settles the part "members": documented members that no record has, if some have them under a similar name.

    `due_date` in place of `dueDate` left every due date NULL; so did attributes of JSON:API and nodes of edges.
    """
    absent = [name for name, column in resource.members.items() if column and not _is_anywhere(records, (name,))]
    found = {name: sorted({place for one in records for place in _alike(one, name)}) for name in absent}
    shown = [f"no record has {name}, but some have {places[0]}" for name, places in found.items() if places]
    if shown and is_whole:
        shape.choices["members"] = Choice((), UNREAD, "; ".join(shown))
    elif is_whole:
        shape.choices.pop("members", None)


def _is_anywhere(records: Sequence[Any], path: Path) -> bool:
    return any(carries(one, path) for one in records)


def _alike(record: Any, name: str) -> list[str]:
    """The places in a record of a member with nearly this name that says something."""
    inner = [(f"{holder}.{one}", said) for holder in _HOLDERS for one, said in _members_of(follow(record, (holder,)))]
    places = [*_members_of(record), *inner]
    return [place for place, said in places if plain(place.rpartition(".")[2]) == plain(name) and not is_blank(said)]


def _members_of(held: Any) -> list[tuple[str, Any]]:
    return list(held.items()) if isinstance(held, dict) else []
