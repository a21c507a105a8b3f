"""Finds the id, property, type, status and name of records whose members the API's document omits."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from propsync.errors import ShapeUnknown
from propsync.records import Path, first_text, follow, text_of
from propsync.resources import Resource, Role
from propsync.shapes.candidates import by_name, by_values, find_member, free_members, known_as
from propsync.shapes.choice import Choice, Shape
from propsync.shapes.earlier import with_earlier
from propsync.shapes.identity import is_other_key, refuse_repeats, refuse_rivals
from propsync.shapes.members import (
    as_written,
    is_prose,
    lacking,
    plain,
    rank,
    refuse_astray,
    scalar_paths,
    share_known,
    stem,
    texts,
)
from propsync.shapes.names import settle_name
from propsync.shapes.statuses import is_former
from propsync.shapes.unread import settle_inside_arrays, settle_unknown

_PAGE_SPEAKS = 5
_NOT_TOLD = ("found", "likely", "documented")
_DESCRIPTION = ("description",)  # it explains a name, and replaces none
_ID_ROLES = ("property", "type")


def find_roles(
    shape: Shape, resource: Resource, pages: Sequence[Sequence[Any]], known: Mapping[str, Collection[str]]
) -> None:
    """Settles every role of `resource` from the decoded records of a page or two; two pages may share records.

    `known` has the property ids, assessment type ids and statuses met so far, by the names that `Role.known` uses.
    Raises ShapeUnknown if no record has a required role, or none is an object. Without records it settles nothing.
    """
    of_pages = [[record for record in page if isinstance(record, dict)] for page in pages]
    objects = [record for page in of_pages for record in page]
    if not objects:
        _refuse_others(resource, sum(map(len, pages)))
        return
    known = {**known, "statuses": as_written(objects, known.get("statuses", ()))}
    taken: set[Path] = {(member,) for member in resource.members}  # the API's document says what they are
    for role in resource.roles:
        is_key = role.known == "unique" or role.name in resource.key
        if resource.is_further:
            _forget_other_name(shape, role, is_key=is_key)
        is_new = not shape.has(role.name)
        _forget_former_status(shape, role, objects, known, taken)
        found = None
        if not _still_holds(shape, role, objects):
            found = _find(shape, resource, role, of_pages, known, taken)
            shape.settle(role.name, found if is_key else with_earlier(shape.choices.get(role.name), found, objects))
        beside = _id_beside_label(shape, role, objects, known.get(known_as(role), ()), taken)
        if not is_key:
            shape.settle(role.name, beside)
            _add_places(shape, role, objects, known, taken)
        elif beside is not None and is_new and role.name in _ID_ROLES:
            shape.settle(role.name, replace(beside, paths=beside.paths[:1]))
        refuse_repeats(shape, resource, role, of_pages)
        taken.update(shape.paths(role.name))
        if role.required and not _is_anywhere(shape, resource, role, objects):
            raise _unknown(resource, role)
        # records that no longer have a status need lists by status, whatever an earlier run found
        if (role.known == "statuses" and _is_gone(shape, role, objects)) or not shape.has(role.name):
            contested = found if found is not None and not found.paths else None
            shape.choices[role.name] = contested or _absent(role, len(objects))
        _settle_unread(shape, role, objects, known.get(known_as(role), ()), taken)


def _find(
    shape: Shape,
    resource: Resource,
    role: Role,
    pages: Sequence[Sequence[Any]],
    known: Mapping[str, Collection[str]],
    taken: set[Path],
) -> Choice | None:
    """The member that has the role, as `find_member` returns it. Raises ShapeUnknown if it would be a wrong one."""
    of_others = {text for one in resource.roles if one is not role for text in known.get(one.known or "", ())}
    found = find_member(role, pages, known, taken, shape.choices.get(role.name), of_others)
    if is_other_key(shape, role, found, [record for page in pages for record in page], known):
        raise _unknown(resource, role)
    refuse_rivals(resource, role, found, pages, taken, of_others)
    return found


def _is_gone(shape: Shape, role: Role, records: Sequence[Any]) -> bool:
    """Whether no record has a part that the API's document omits."""
    return not role.documented and not any(texts(records, path) for path in shape.paths(role.name))


def _settle_unread(shape: Shape, role: Role, records: Sequence[Any], ids: Collection[str], taken: set[Path]) -> None:
    """Settles a name, a property or a type as unread if records seem to have it, and propsync cannot read it."""
    if role.name == "name" and _is_gone(shape, role, records):
        settle_name(shape, role, records, taken)
    elif role.name in ("property", "type") and _is_gone(shape, role, records):
        settle_inside_arrays(shape, role, records, ids)
    elif role.name == "type":
        settle_unknown(shape, records, ids)


def _is_anywhere(shape: Shape, resource: Resource, role: Role, records: Sequence[Any]) -> bool:
    """Whether a required part was found, and any record has it tonight too if the API's document names it.

    All of a few records may be odd: a page says something from five on, a list that comes whole always does.
    """
    choice = shape.choices.get(role.name)
    is_too_few = resource.is_paged and len(records) < _PAGE_SPEAKS
    if choice is None or not shape.has(role.name) or choice.source != "documented" or is_too_few:
        return shape.has(role.name)
    return any(texts(records, path) for path in choice.paths)


def _id_beside_label(
    shape: Shape, role: Role, records: Sequence[Any], known: Collection[str], taken: set[Path]
) -> Choice | None:
    """The member that has the known ids tonight, if the earlier one is or has become a label: `propertyId` beside
    `property`. None if the earlier one still has any known value, unless it only knows itself.

    The earlier one stays the last place: the versions in the history have their values there.
    """
    choice = shape.choices.get(role.name)
    if choice is None or choice.source not in _NOT_TOLD or not choice.paths or len(records) < _PAGE_SPEAKS:
        return None
    others = dict.fromkeys(path for record in records for path in scalar_paths(record))
    stems = {stem(path[:1]) for path in choice.paths} | {stem(choice.paths[0])}
    alike = [path for path in others if path not in (*taken, *choice.paths) and stem(path) in stems]
    is_known = any(share_known(records, path, known) for path in choice.paths)
    # addresses that propsync once took for ids are known since, so they speak for themselves
    speaks_for_itself = role.name == "property" and bool(role.documented)
    is_label = role.name in _ID_ROLES and is_prose(records, choice.paths[0])
    if is_label and (speaks_for_itself or not is_known):
        ids = [one for one in alike if len(texts(records, one)) * 2 > len(records) and not is_prose(records, one)]
        if ids:
            return Choice((ids[0], *choice.paths), "found", f"beside {choice.text}, which reads like a label")
    if is_known:
        return None
    found = by_values(role, records, alike, known)
    return found and Choice((*found.paths, *choice.paths), "found", f"{found.evidence}, and none at {choice.text}")


def _add_places(
    shape: Shape, role: Role, records: Sequence[Any], known: Mapping[str, Collection[str]], taken: set[Path]
) -> None:
    """Adds the members that have a role in records without the earlier ones: some records may be of another form.

    A key stays one member, since another would give records new keys.
    """
    choice = shape.choices.get(role.name)
    if choice is None or not choice.paths or choice.source not in _NOT_TOLD:
        return
    while found := _further(role, records, choice.paths, known.get(role.known or "", ()), taken):
        choice = Choice((*choice.paths, found.paths[0]), choice.source, f"{choice.evidence}; {_words(found)}")
    shape.choices[role.name] = choice


def _words(found: Choice) -> str:
    return f"where records lack it, {found.text}: {found.evidence}"


def _further(
    role: Role, records: Sequence[Any], paths: Sequence[Path], known: Collection[str], taken: set[Path]
) -> Choice | None:
    """A member that has the role in records that lack `paths`, by its values or else by nearly the same name.

    Where a record has a null, or an empty text, only the name counts: other members may name another property.
    """
    others = lacking(records, paths)
    agreeing = _agreeing(records, others, paths, taken)
    if role.known is None:
        return by_name(role, [path for path in agreeing if plain(path[0]) in role.likely and path != _DESCRIPTION])
    # one value may be known by chance
    sure = [path for path in agreeing if rank(path, role.likely) < len(role.likely) or len(texts(others, path)) > 1]
    blank = [record for record in records if not first_text(record, paths)]
    alike = [path for path in _agreeing(records, blank, paths, taken) if stem(path) == stem(paths[0])]
    return by_values(role, others, sure, known) or by_name(role, alike)


def _agreeing(records: Sequence[Any], others: Sequence[Any], paths: Sequence[Path], taken: set[Path]) -> list[Path]:
    """The members of `others` that no other role has, and that contradict `paths` in no record."""
    return [path for path in free_members(others, taken) if _agrees(records, paths, path)]


def _agrees(records: Sequence[Any], paths: Sequence[Path], path: Path) -> bool:
    """Whether no record has one value at `paths` and another one at `path`."""
    pairs = ((first_text(record, paths), text_of(follow(record, path))) for record in records)
    return all(one == other for one, other in pairs if one and other)


def _forget_other_name(shape: Shape, role: Role, *, is_key: bool) -> None:
    """Drops a member that has the name of an earlier `key` in propsync.toml."""
    choice = shape.choices.get(role.name)
    if choice is None or choice.source == "configured" or not role.documented or not is_key:
        return
    if any(path[:1] and path[0] not in role.documented for path in choice.paths):
        del shape.choices[role.name]


def _forget_former_status(
    shape: Shape, role: Role, records: Sequence[Any], known: Mapping[str, Collection[str]], taken: set[Path]
) -> None:
    """Drops the member found before if it may be the former status. The lists tell the status then."""
    choice = shape.choices.get(role.name)
    if role.known != "statuses" or role.documented or choice is None or choice.source != "found" or not choice.paths:
        return
    if is_former(choice.paths[0], role, records, free_members(records, taken), known.get("statuses", ())):
        del shape.choices[role.name]


def _absent(role: Role, count: int) -> Choice:
    """Keeps a documented member, which later records may have; drops any other."""
    places = tuple(path for name in role.documented for path in ((name,), (name, "id")))
    return Choice(places, "absent", f"no member of {count} records points to it")


def _still_holds(shape: Shape, role: Role, records: Sequence[Any]) -> bool:
    """A person's choice stays; an earlier finding stays while some record still has the member."""
    choice = shape.choices.get(role.name)
    if choice is None or not choice.paths:
        return False
    if choice.source == "configured":
        refuse_astray(shape.resource, role.name, choice, records)
        return True
    return choice.source == "found" and any(texts(records, path) for path in choice.paths)


def _refuse_others(resource: Resource, count: int) -> None:
    """Refuses a list of arrays or texts: propsync would reject each, and the list would look empty."""
    if count >= _PAGE_SPEAKS:
        step = "Ask the people who run the API for an array of objects"
        raise ShapeUnknown(f"GET {resource.path}", f"none of {count} records is an object", step)


def _unknown(resource: Resource, role: Role) -> ShapeUnknown:
    names = " or ".join(repr(name) for name in role.documented)
    if names and resource.is_further:
        step = f"Correct key in [resources.{resource.name}], or remove it there: propsync then finds the key"
        if any("." in name for name in role.documented):  # a name may have a dot of its own, so it is no path here
            step += f". For a member of an object, remove it and write [shapes.{resource.name}] {role.name} = {names}"
        return ShapeUnknown(f"GET {resource.path}", f"no record has the member {names}", step)
    what = f"no record has the documented member {names}" if names else f"no member looks like the {role.name}"
    step = f"Run `propsync doctor`, then name it in propsync.toml: [shapes.{resource.name}] {role.name} = '…'"
    return ShapeUnknown(f"GET {resource.path}", what, step)
