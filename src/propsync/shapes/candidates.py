"""The members of records that may have a role, and the one of them that has it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from propsync.records import Path
from propsync.resources import Role
from propsync.shapes.choice import Choice
from propsync.shapes.identity import find_id
from propsync.shapes.members import (
    carries,
    documented,
    is_prose,
    most_telling,
    rank,
    scalar_paths,
    share_known,
    spelling,
    stem,
    texts,
)
from propsync.shapes.names import in_languages, own_names, without_names_of_others
from propsync.shapes.statuses import contested

_WRAPPERS = ("attributes", "relationships")


def find_member(
    role: Role,
    pages: Sequence[Sequence[Any]],
    known: Mapping[str, Collection[str]],
    taken: set[Path],
    before: Choice | None,
    elsewhere: Collection[str],
) -> Choice | None:
    """The member that has a role, and the evidence; None if no member may have it.

    A choice without paths says that two members contest the role. `known` is as in `find_roles`, and `taken` has the
    members of other roles. `before` is the choice of an earlier run. `elsewhere` has the values of other roles.
    """
    records = [record for page in pages for record in page]
    found = documented(records, role.documented, known.get(role.known or "", ()))
    if found is not None or (role.documented and (role.required or not role.likely)):
        return found
    candidates = free_members(records, taken)
    if role.documented:
        alike = [path for path in candidates if stem(path) in role.documented and not is_prose(records, path)]
        if _may_have_none(role, records, before):
            candidates = alike = [path for path in alike if len(path) == 1 or path[0] in _WRAPPERS]
        nearest = min(alike, key=lambda path: (len(path), path), default=None)
        return by_values(role, records, candidates, known.get(known_as(role), ())) or (
            _likely(nearest) if nearest else None
        )
    if role.known == "unique":
        found = find_id(role, pages, candidates, known.get(role.matches or "", ()), elsewhere)
        return found or by_name(role, candidates)
    if role.known == "statuses" and (tied := contested(role, records, candidates, known.get(role.known, ()))):
        return tied
    if role.known:
        return by_values(role, records, candidates, known.get(role.known, ()), elsewhere) or by_name(role, candidates)
    return by_name(role, without_names_of_others(records, candidates) if role.name == "name" else candidates)


def _may_have_none(role: Role, records: Sequence[Any], before: Choice | None) -> bool:
    """Whether these records may have no property while others do: what else they name is then no property of theirs."""
    is_null = any(carries(record, (name,)) for name in role.documented for record in records)
    return is_null or (before is not None and before.source == "documented")


def free_members(records: Sequence[Any], taken: set[Path]) -> list[Path]:
    """The members that say something, and that no other role has."""
    paths = dict.fromkeys(path for record in records for path in scalar_paths(record))
    return [path for path in paths if taken.isdisjoint((path, path[:1])) and texts(records, path)]


def by_values(
    role: Role,
    records: Sequence[Any],
    candidates: Sequence[Path],
    known: Collection[str],
    elsewhere: Collection[str] = (),
) -> Choice | None:
    """The candidate that has the most known values, if that says enough."""
    best = most_telling(records, candidates, known, role.likely, elsewhere)
    if best is None:
        return None
    words = known_as(role).replace("_", " ")
    return Choice((best,), "found", f"{share_known(records, best, known):.0%} of its values are known {words}")


def by_name(role: Role, candidates: Sequence[Path]) -> Choice | None:
    """The candidate whose name is the likeliest for the role."""
    named = [path for path in candidates if rank(path, role.likely) < len(role.likely)]
    if role.name == "name":
        named = own_names(candidates) or named or in_languages(candidates, role.likely)[:1]
    if not named:
        return None
    return _likely(min(named, key=lambda path: (rank(path, role.likely), spelling(path))))


def _likely(path: Path) -> Choice:
    return Choice((path,), "likely", "by its name only: no value known elsewhere supports it")


def known_as(role: Role) -> str:
    """The name of the known values that a member with this role has."""
    return role.known or role.matches or ""
