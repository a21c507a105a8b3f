"""Notices names of records that propsync cannot read, so that it reports them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from propsync.records import Path, follow
from propsync.resources import Role
from propsync.shapes.choice import UNREAD, Choice, Shape
from propsync.shapes.fields import KIND
from propsync.shapes.members import ends_with_id, is_blank, plain, rank, scalar_paths, texts
from propsync.warehouse import snake_case

_NO_NAMES = (
    "id",
    "uuid",
    "guid",
    "key",
    "code",
    "slug",
    "ref",
    "url",
    "href",
    "link",
    "self",
    "at",
    "on",
    "date",
    "time",
    "by",
)
_MOST_SHOWN = 3
OWN_NAMES = ("name", "title", "label", "displayname")
_HOLDERS = ("node", "attributes")
ENGLISH = ("en", "engb", "english")
"""Members of a name or label that comes in several languages: `{"cy": "Drws", "en": "Door"}`."""
_LANGUAGE = re.compile("[a-z]{2}([-_][A-Za-z]{2,4})?")


def own_names(candidates: Sequence[Path]) -> list[Path]:
    """The members that surely name a record: `organisation.name` beside a `label` names another record. A name in
    several languages is one, so that a `description` beside it is none.
    """
    own = [path for path in candidates if plain(_inside(path)[0]) in OWN_NAMES]
    return [path for path in own if len(_inside(path)) == 1] or in_languages(own, OWN_NAMES)[:1]


def without_names_of_others(records: Sequence[Any], candidates: Sequence[Path]) -> list[Path]:
    """The members without those of an object whose own id repeats, if another member may be the name: several records
    are of one category.
    """
    ids = {path: texts(records, path) for path in candidates if len(_inside(path)) > 1 and ends_with_id(path)}
    categories = {path[:-1] for path, found in ids.items() if len(set(found)) < len(found)}
    others = [path for path in candidates if path[:-1] not in categories]
    return others if any(_are_names(records, path) for path in others) else list(candidates)


def _inside(path: Path) -> Path:
    """The path in the object that holds all of a record, if there is one."""
    return path[1:] if len(path) > 1 and plain(path[0]) in _HOLDERS else path


def in_languages(candidates: Sequence[Path], likely: Sequence[str]) -> list[Path]:
    """The members of an object with a likely name that name a language: English first, then by the alphabet."""
    found = [path for path in candidates if len(path) == 2 and plain(path[0]) in likely and _is_language(path[1])]
    return sorted(found, key=lambda path: (rank(path[:1], likely), plain(path[1]) not in ENGLISH, path))


def _is_language(name: str) -> bool:
    return plain(name) in ENGLISH or (_LANGUAGE.fullmatch(name) is not None and not names_no_name(name))


def settle_name(shape: Shape, role: Role, records: Sequence[Any], taken: Collection[Path]) -> None:
    """Settles a name that no record shows as unread, if some member may hold it.

    The earlier places stay: the versions in the history have their names there. What people set stays too.
    """
    choice = shape.choices.get(role.name)
    if choice is not None and choice.source == "configured":
        return
    may_be = [".".join(path) for path in _likely_names(role, records, taken)]
    if may_be:
        shown = ", ".join([*may_be[:_MOST_SHOWN], *(["…"] if len(may_be) > _MOST_SHOWN else [])])
        evidence = f"no member of {len(records)} records is known for a {role.name}; it may be {shown}"
        shape.choices[role.name] = Choice(shape.paths(role.name), UNREAD, evidence)


def settle_labels(shape: Shape, part: str, records: Sequence[Any], likely: Collection[str]) -> None:
    """Settles labels of fields or options as unread if most records hold an array or an object in place of a text.

    The earlier places stay, as for names. What people set stays too.
    """
    choice = shape.choices.get(part)
    if choice is not None and choice.source == "configured":
        return
    held = [found for record in records if (found := _no_label(record, likely))]
    labels = [text for path in shape.paths(part) for text in texts(records, path)]
    if len(held) * 2 > len(records) and not any(map(_has_letters, labels)):
        evidence = f"{len(held)} of {len(records)} have no text that propsync finds under {held[0]}"
        shape.choices[part] = Choice(shape.paths(part), UNREAD, evidence)
    elif choice is not None and choice.source == UNREAD:
        shape.choices[part] = Choice(choice.paths, "found", "no value shows otherwise")


def _no_label(record: Any, likely: Collection[str]) -> str | None:
    """The member with the name of a label that holds more than a text; one named for the kind has the kind's rules."""
    members = record.items() if isinstance(record, dict) else ()
    found = (name for name, held in members if plain(name) in likely and isinstance(held, dict | list) and held)
    return next((name for name in found if name != follow(record, KIND)), None)


def _likely_names(role: Role, records: Sequence[Any], taken: Collection[Path]) -> list[Path]:
    """Members with a likely name that hold more than a text, and those whose texts read like names."""
    objects = [(name,) for record in records for name in record if _holds_a_name(role, name, record[name])]
    paths = [path for record in records for path in scalar_paths(record) if path not in taken]
    texts = [path for path in dict.fromkeys(paths) if _are_names(records, path)]
    return [*dict.fromkeys(one for one in objects if one not in {path[:1] for path in texts}), *texts]


def _holds_a_name(role: Role, name: str, held: Any) -> bool:
    return plain(name) in role.likely and isinstance(held, dict | list) and not is_blank(held)


def _are_names(records: Sequence[Any], path: Path) -> bool:
    """Whether most records have a text of their own there that reads like a name."""
    held = [follow(record, path) for record in records]
    found = {one for one in held if isinstance(one, str) and _reads_like_a_name(one)}
    return not names_no_name(path[-1]) and len(found) * 2 > len(records)


def _reads_like_a_name(text: str) -> bool:
    return _has_letters(text) and not any(mark in text for mark in "/:@")


def _has_letters(text: str) -> bool:
    return any(letter.isalpha() for letter in text)


def names_no_name(member: str) -> bool:
    """Whether a member is called an id, a link or a date."""
    return snake_case(member, "_").rpartition("_")[2] in _NO_NAMES
