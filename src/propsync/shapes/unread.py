"""Notices parts of records that propsync cannot read, so that it reports every missing value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from propsync.records import Path, calendar_day, first_text, follow, text_of
from propsync.resources import Role
from propsync.shapes.choice import UNREAD, Choice, Shape
from propsync.shapes.definitions import field_ids
from propsync.shapes.entries import Entry, entries, names
from propsync.shapes.fields import FIELDS
from propsync.shapes.flags import FLAGS
from propsync.shapes.members import as_list, carries, texts

_DUE_DATE: Path = ("dueDate",)
_USERS: Path = ("assignedUsers",)
USER_IDS = ("id", "Id", "uid", "_id", "uuid", "guid", "$oid")
"""The member of an assigned user that is its id, if users are objects."""
_MOST_VALUES = 100
_MANY = 8  # values: of fewer, each may be a type that is no longer listed
_FEW = 8  # odd dates of a sample, which has the records of a first page twice; one in 20 from 160 dates on


def settle_read(
    types: Shape,
    assets: Shape,
    listed: Sequence[Any],
    records: Sequence[Any],
    *,
    is_whole: bool = True,
    earlier: Collection[str] = (),
) -> None:
    """Settles the parts "definitions" and "results": whether any field definition and any field result can be read.

    `listed` and `records` are decoded types and assets. Without `is_whole` they are only a part, which may show that
    propsync can read something, and not that it cannot. `earlier` are the fields that types defined before, because
    assets keep results of fields after a type drops them. The fields of an unlisted type remain unknown.
    """
    known = field_ids(listed, types)
    _settle(types, "definitions", FIELDS, listed, [one for one in listed if entries(one, FIELDS) and known], is_whole)
    known.update(earlier)
    kinds = {first_text(one, types.paths("id")) for one in listed}

    def is_read(one: Any) -> bool:
        is_listed = first_text(one, assets.paths("type")) in kinds
        return _names_a_field(entries(one, FIELDS), assets, known if is_listed else ())

    read = [one for one in records if is_read(one)]
    astray = [] if read else [one for one in records if isinstance(one, dict) and _is_elsewhere(one, known)]
    _settle(assets, "results", FIELDS, records, read, is_whole, astray)


def settle_flags(shape: Shape, records: Sequence[Any], *, is_whole: bool = True) -> None:
    """Settles the part "flags" of assessments in the same way. An array in place of a flag is none, nor is a scalar
    beside it in an object: `{"total": 2, "items": [...]}`.
    """
    read = [one for one in records if _shows_a_flag(entries(one, FLAGS))]
    held = [one for one in records if _has_flags(one)]
    if not any(carries(one, FLAGS) for one in records):
        held = [inner for one in records for inner in _inside(one) if _has_flags(inner)]
    _settle(shape, "flags", FLAGS, records, read, is_whole, unread=held)


def _inside(record: Any) -> list[Any]:
    """Objects in a record: one of them may be the assessment, with the flags that the record itself lacks."""
    return [one for one in record.values() if isinstance(one, dict)] if isinstance(record, dict) else []


def _shows_a_flag(found: Sequence[Entry]) -> bool:
    held = [entry.value for entry in found]
    is_list_inside = bool(names(found)) and any(isinstance(one, list) for one in held)
    return any(isinstance(one, dict) if is_list_inside else not isinstance(one, list) for one in held)


def _has_flags(record: Any) -> bool:
    """Whether there is anything where its flags are, other than empty lists and the count of none."""
    found = [entry for entry in entries(record, FLAGS) if entry.name is None or entry.value != 0]
    held = follow(record, FLAGS)
    return any(_is_something(entry.value) for entry in found) if found else held != 0 and _is_something(held)


def settle_due_dates(shape: Shape, records: Sequence[Any], *, is_whole: bool = True) -> None:
    """Settles the part "due_dates" of schedules in the same way; the API's document shows one form of a date.

    A few odd dates are rows of `ops.value_issues`. More than that are a form that propsync does not know.
    """
    dated = [one for one in records if not _is_no_date(follow(one, _DUE_DATE))]
    odd = [one for one in dated if _is_something(held := follow(one, _DUE_DATE)) and not _is_date(held)]
    read = [one for one in dated if _is_date(follow(one, _DUE_DATE))]
    are_few = len(odd) <= max(_FEW, len(dated) // 20)
    _settle(shape, "due_dates", _DUE_DATE, dated, read if are_few else [], is_whole, unread=odd)


def settle_assigned_users(shape: Shape, records: Sequence[Any], *, is_whole: bool = True) -> None:
    """Settles the part "assigned_users" of schedules in the same way. Otherwise they would look assigned to nobody.

    If some write several users as one text, a single user in another says nothing.
    """
    joined = [one for one in records if isinstance(held := follow(one, _USERS), str) and not names_one(held)]
    read = [one for one in records if any(map(_names_a_user, _users(one)))]
    held = [one for one in records if any(map(_is_something, _users(one)))]
    _settle(shape, "assigned_users", _USERS, records, [] if joined else read, is_whole, unread=joined or held)


def names_one(text: str) -> bool:
    """Whether a text may be the id of one user: filters separate ids by commas, so that no id has any (API §4.9)."""
    return "," not in text and ";" not in text


def _users(record: Any) -> list[Any]:
    return as_list(follow(record, _USERS))


def _names_a_user(held: Any) -> bool:
    text = first_text(held, [(name,) for name in USER_IDS]) if isinstance(held, dict) else text_of(held)
    return bool(text) and names_one(text or "")


def settle_inside_arrays(shape: Shape, role: Role, records: Sequence[Any], known: Collection[str]) -> None:
    """Settles a part that no record shows as unread, if most have its values in an array: `properties: [{"id": …}]`.

    The earlier places stay: the versions in the history have their values there. What people set stays too.
    """
    choice = shape.choices.get(role.name)
    if choice is not None and choice.source == "configured":
        return
    names = Counter(name for one in records for name, held in one.items() if not _values(held).isdisjoint(known))
    name, count = next(iter(names.most_common(1)), ("", 0))
    if count * 2 > len(records):
        words = (role.known or "").replace("_", " ")
        evidence = (
            f"propsync finds none, but in {count} of {len(records)} records, {name} has known {words} in an array"
        )
        shape.choices[role.name] = Choice(shape.paths(role.name), UNREAD, evidence)


def settle_unknown(shape: Shape, records: Sequence[Any], known: Collection[str]) -> None:
    """Settles the type of records as unread if none of its values is a known id: it may be a name or an address.

    All records of a page may be of one type that nobody lists, so it takes two values or more. It would not do for
    properties, which propsync knows from other records alone: assessments may be of those without assets.
    """
    choice = shape.choices.get("type")
    if choice is None or choice.source not in ("likely", "documented") or not known:
        return
    found = [text for path in choice.paths for text in texts(records, path)]
    if len(found) >= _MANY and len(set(found)) > 1 and not any(text in known for text in found):
        evidence = f"none of {len(found)} values at {choice.text} is the id of a known type"
        shape.choices["type"] = Choice(choice.paths, UNREAD, evidence)


def _values(held: Any) -> set[str]:
    """The texts in an array, and in the arrays and objects inside it; of a long one, those of its beginning."""
    found, left = set[str](), [held] if isinstance(held, list) else []
    while left and len(found) < _MOST_VALUES:
        one = left.pop()
        left += one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        found.update(filter(None, [text_of(one)]))
    return found


def _is_date(held: Any) -> bool:
    return isinstance(held, str) and calendar_day(held) is not None


def _is_no_date(held: Any) -> bool:
    """Whether it is the first day of all, which programs write for no date."""
    return isinstance(held, str) and held.strip().startswith("0001-01-01")


def _settle(
    shape: Shape,
    part: str,
    path: Path,
    records: Sequence[Any],
    read: Sequence[Any],
    is_whole: bool,
    astray: Sequence[Any] = (),
    unread: Sequence[Any] | None = None,
) -> None:
    held = [one for one in records if _is_something(follow(one, path))] if unread is None else unread
    name = ".".join(path)
    if read:
        form = " and ".join(sorted({_form(follow(one, path)) for one in read}))
        shape.choices[part] = Choice((path,), "documented", f"the API's document names it; {form}")
    elif held and is_whole:
        evidence = (
            f"{name} of {len(held)} of {len(records)} records is {_form(follow(held[0], path))} that cannot be read"
        )
        shape.choices[part] = Choice((), UNREAD, evidence)
    elif astray and is_whole:
        evidence = f"{len(astray)} of {len(records)} records hold ids of fields, and none under {name}"
        shape.choices[part] = Choice((), UNREAD, evidence)
    elif is_whole and not shape.paths(part):
        shape.choices.pop(part, None)  # nothing is left to read


def _is_something(held: Any) -> bool:
    return held is not None and held not in ("", [], {})


def _form(held: Any) -> str:
    forms: dict[type, str] = {dict: "an object", list: "an array", str: "a text", bool: "a boolean"}
    return forms.get(type(held), "a number")


def _names_a_field(found: Iterable[Entry], shape: Shape, known: Collection[str]) -> bool:
    """Whether any result names a field; one of a type's, if any type defines fields."""
    evidence = {entry.first_text(shape.paths("result_field")) for entry in found} - {None}
    return not evidence.isdisjoint(known) if known else bool(evidence)


def _is_elsewhere(asset: dict[str, Any], known: Collection[str]) -> bool:
    """Whether another member is an object keyed by field, or an array of objects that name fields."""
    return any(_refers(value, known) for name, value in asset.items() if (name,) != FIELDS)


def _refers(held: Any, known: Collection[str]) -> bool:
    if isinstance(held, dict):
        return 0 < len(held) <= 2 * sum(name in known for name in held)
    rows = [one for one in held if isinstance(one, dict)] if isinstance(held, list) else []
    return bool(rows) and all(any(text_of(value) in known for value in one.values()) for one in rows)
