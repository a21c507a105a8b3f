"""Finds the array of records in a page: the array of objects beside `total`, or the page itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from propsync.records import Path, follow
from propsync.resources import ASSESSMENTS, ASSET_TYPES, ASSETS, BUILT_IN, SCHEDULES, TYPES_BESIDE, Resource
from propsync.shapes.choice import Choice
from propsync.shapes.members import astray, carries, plain
from propsync.shapes.similar_names import HOLDERS

_COMMON = ("items", "results", "records", "entries", "values", "data", "content", "rows", "list")
_ERRORS = ("error", "errors")  # a failure may come with 200 and a total
_RELATED = ("included",)  # JSON:API has properties and types of the records there
_OF_RECORDS = (ASSETS.name, ASSESSMENTS.name, SCHEDULES.name)
_OF_SCHEDULES = {"duedate", "assignedusers"}  # members that no other record has (API §2.6)


def find_list(pages: Sequence[Any], resource: Resource) -> Choice | None:
    """Finds the path from `pages` (decoded answers) to the records of `resource`; None if no array can hold them.

    A documented member wins (API §4.1, 4.2); if it is missing or undocumented, the array of objects does.
    """
    if any(isinstance(page, list) for page in pages):
        return Choice(((),), "found", "the answer is a bare array")
    if resource.list_member and any(isinstance(follow(page, (resource.list_member,)), list) for page in pages):
        return Choice(((resource.list_member,),), "documented", "the API's document names it")
    arrays = _not_of_others(pages, list(dict.fromkeys(path for page in pages for path in _arrays(page))), resource)
    arrays = _that_may_be_it(pages, arrays, resource)
    if not arrays:
        return None
    best = _best(pages, _without_others(pages, arrays, resource), resource)
    return Choice((best,), "found", _evidence(pages, best, arrays))


def refuse_list_astray(choice: Choice, pages: Sequence[Any], resource: Resource) -> None:
    """Raises ShapeUnknown if no page has records where people configured them. An empty list may lack its array."""
    saying = [page for page in pages if follow(page, ("total",)) != 0]
    if saying and not any(_has_list(page, choice.paths[0]) for page in saying):
        seen = f"the answer has no member {choice.text}" if choice.paths[0] else "the answer is not a bare array"
        raise astray(resource.name, "list", seen)


def _not_of_others(pages: Sequence[Any], arrays: Sequence[Path], resource: Resource) -> list[Path]:
    """The arrays without those named for another list of the API, and without the types that its pages repeat.

    A cache or a proxy may answer with a page of that list. An array `assessments` may hold schedules of assessments.
    """
    others = {plain(one) for one in _OF_RECORDS if one != resource.name} if resource.name in BUILT_IN.names else set()
    left = [
        path
        for path in arrays
        if plain(path[-1]) not in others or (resource == SCHEDULES and _are_schedules(_members(pages, path)))
    ]
    if len(left) < len(arrays) and resource != ASSET_TYPES:
        return [path for path in left if path[-1] != TYPES_BESIDE]
    return left


def _are_schedules(members: Sequence[Any]) -> bool:
    named = [one for one in members if isinstance(one, dict) and any(plain(name) in _OF_SCHEDULES for name in one)]
    return len(named) * 2 > len(members)


def _has_list(page: Any, path: Path) -> bool:
    return carries(page, path) if path else isinstance(page, list)


def _that_may_be_it(pages: Sequence[Any], arrays: Sequence[Path], resource: Resource) -> list[Path]:
    """The arrays that agree with a total of zero, and those that can only be the records beside it.

    Some servers send a total of 0 beside records; others send types or properties beside an empty list.
    """
    agreeing = [path for path in arrays if not _exceeds(pages, path)]
    is_named = any(_name_rank(path[-1], resource) <= 1 for path in agreeing)
    return [
        path
        for path in arrays
        if path in agreeing
        or _are_records(_members(pages, path), resource)
        or (not is_named and _name_rank(path[-1], resource) <= 1)
    ]


def _without_others(pages: Sequence[Any], arrays: Sequence[Path], resource: Resource) -> Sequence[Path]:
    """The arrays without those of something else, whatever their names: `data` may hold facets beside `hits`.

    The objects of another array have to look like records. They are as many as the total, or more than twice as many
    and no more than the total. An array with the resource's name, or with as many objects as the total, gives way to
    none.
    """
    totals = [follow(page, ("total",)) for page in pages]
    if len(arrays) < 2 or not all(isinstance(one, int) for one in totals):
        return arrays
    members = {path: _members(pages, path) for path in arrays}
    of_records = [path for path in arrays if path[-1] not in _RELATED and _are_records(members[path], resource)]
    most = max((count for path in of_records if (count := len(members[path])) <= sum(totals)), default=0)
    is_all = sum(totals) == most

    def is_other(path: Path) -> bool:
        count = len(members[path])
        is_sure = path in of_records or count == sum(totals) or _name_rank(path[-1], resource) == 0
        return not is_sure and (count * 2 < most or is_all)

    return [path for path in arrays if not is_other(path)]


def _exceeds(pages: Sequence[Any], path: Path) -> bool:
    """Whether the array has members although the page has a total of zero."""
    return any(follow(page, ("total",)) == 0 and follow(page, path) for page in pages)


def _are_records(members: Sequence[Any], resource: Resource) -> bool:
    """Whether most of them have two members, besides an id, that records of the resource have and types do not."""
    roles = [{plain(name) for name in (*role.documented, *role.likely)} for role in resource.roles if role.name != "id"]
    fitting = [one for one in members if isinstance(one, dict) and _roles_in(one, roles) > 1]
    return len(fitting) * 2 > len(members)


def _roles_in(one: dict[str, Any], roles: Sequence[set[str]]) -> int:
    inside = [held for name in HOLDERS if isinstance(held := one.get(name), dict)]
    names = {plain(name) for holder in (one, *inside) for name in holder}
    return sum(not names.isdisjoint(of_role) for of_role in roles)


def _members(pages: Sequence[Any], path: Path) -> list[Any]:
    arrays = (follow(page, path) for page in pages)
    return [member for array in arrays if isinstance(array, list) for member in array]


def _arrays(value: Any, prefix: Path = ()) -> Iterator[Path]:
    """Paths to arrays beside or one object below the page's own members, but for errors."""
    if not isinstance(value, dict):
        return
    for name, inner in value.items():
        if isinstance(inner, list) and plain(name) not in _ERRORS:
            yield (*prefix, name)
        elif isinstance(inner, dict) and not prefix:
            yield from _arrays(inner, (name,))


def _best(pages: Sequence[Any], arrays: Sequence[Path], resource: Resource) -> Path:
    """The array that fits best. Only between several that fit alike does it look at the members of each record."""
    fits = {path: _fit(pages, path, resource) for path in arrays}
    alike = [path for path in arrays if fits[path] == min(fits.values())]
    if len(alike) == 1:
        return alike[0]
    members = {path: _members(pages, path) for path in alike}
    return min(alike, key=lambda path: (not _are_records(members[path], resource), -len(members[path]), path))


def _fit(pages: Sequence[Any], path: Path, resource: Resource) -> tuple[int, int]:
    """Ranks an array: objects first, then empty, then texts; by its name."""
    members = _members(pages, path)
    objects = sum(isinstance(member, dict) for member in members)
    kind = 1 if not members else 0 if objects * 2 > len(members) else 2
    return (kind, _name_rank(path[-1], resource))


def _name_rank(name: str, resource: Resource) -> int:
    own = plain(resource.name)
    if plain(name) in (own, own[:-1], own.removesuffix("types") + "type"):
        return 0
    if plain(name) in _COMMON:
        return 1
    is_types = plain(name) in ("type", "types")  # the API's document names both (API §4.1, 4.2)
    return 3 if not is_types else 2 if own.endswith("types") else 4


def _evidence(pages: Sequence[Any], best: Path, arrays: list[Path]) -> str:
    others = [".".join(path) for path in arrays if path != best]
    beside = f", preferred to {', '.join(others)}" if others else ", the only array"
    return f"an array of {len(_members(pages, best))} objects{beside}"
