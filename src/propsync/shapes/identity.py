"""Finds the id of records whose members the API's document omits: the member that differs in each of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from propsync.errors import ShapeUnknown
from propsync.records import Path, follow
from propsync.resources import Resource, Role
from propsync.shapes.choice import Choice, Shape
from propsync.shapes.members import ENDINGS, SPEAKS, ends_with_id, plain, rank, share_known, spelling, stem, texts

NODE = "node"
"""The object with the record itself in a list of edges; the cursor beside it differs in each, and changes."""
_UNLIKELY = 3  # the rank of a member that differs in each record, and whose name does not say id
_SEVERAL = 5  # records in each of which a member differs, hardly by chance
_REFERENCES = ("ref", "reference", "code")
_OTHERS = ("schedule", "user", "author", "client", "customer", "external", "legacy", "parent", "previous")
"""Words before `Id` in names of members with the id of something else; some are of other programs."""
_HOLDERS = ("asset", "property")  # each assessment of a first night may be of another one
_FEW = 3  # records of a page that show nothing about an odd one
_NO_ID = re.compile(r"[0-9]{4}-[0-9]{2}\b|[0-9]{1,2}[/.][0-9]{1,2}[/.][0-9]{4}|1[0-9]{12}$|https?://")
"""Dates, milliseconds since 1970 and links."""
_Rank = tuple[int, bool, int]


def find_id(
    role: Role,
    pages: Sequence[Sequence[Any]],
    candidates: Sequence[Path],
    known: Collection[str],
    elsewhere: Collection[str] = (),
) -> Choice | None:
    """The member that differs in each record of a page, so that it is the id; two lists may show the same record.

    Of several such members, one whose values are `known` is right, whatever its name. One odd record, without an id or
    with that of another, does not make an id of a reference or a date. Values known `elsewhere` may be ids of
    properties: each assessment of a first night may be of another one.
    """
    ranks = {path: found for path in candidates if (found := _likeness(pages, path, role)) is not None}
    if not ranks:
        return None
    records = [record for page in pages for record in page]
    ranks = _without_others(ranks, records)
    shares = {path: share_known(records, path, known) for path in ranks}
    speaking = [path for path in ranks if shares[path] >= SPEAKS]

    def order(path: Path) -> tuple[_Rank, bool, float, bool, float, bool, tuple[bool, Path]]:
        named = share_known(records, path, elsewhere)
        is_around = ranks[path][0] == _UNLIKELY and path[0] != NODE
        is_of_other = ranks[path][0] == _UNLIKELY and stem(path) in (*_OTHERS, *_HOLDERS)
        wordy = _wordy(records, path)
        return ranks[path], is_around, wordy, is_of_other, named, not ends_with_id(path), spelling(path)

    best = min(speaking or ranks, key=order)
    words = (role.matches or "").replace("_", " ")
    more = f", and {shares[best]:.0%} of its values are known {words}" if speaking else ""
    where = "nearly each" if any(_odd(page, best) for page in pages) else "each"
    return Choice((best,), "found", f"in {where} of {len(records)} records, always different{more}")


def _likeness(pages: Sequence[Sequence[Any]], path: Path, role: Role) -> _Rank | None:
    """Ranks a member as an id, lower is likelier; None if it is none.

    A name that says only id may lack in a few odd records; `assessmentId` may be that of a parent. Any likely name may
    lack in more, but only where the member that differs in all records has an unlikely name.
    """
    own = path[1:] if path[0] == NODE and len(path) > 1 else path
    place = rank(own, role.likely)
    is_likely = place < len(role.likely)
    has_odd = any(_odd(page, path) for page in pages)
    says_id = plain(path[-1]).endswith("id") and (not has_odd or _says_no_more(own))
    if is_likely and says_id and all(_is_nearly_alone(page, path) for page in pages):
        return (0, has_odd, place)
    if not has_odd:
        # of members that no name calls the id, one of the record itself precedes that of something inside it
        return (1, False, place) if is_likely else (_UNLIKELY, False, len(role.likely) + len(own) - 1)
    is_mostly = is_likely and all(_odd(page, path) * 2 < len(page) for page in pages if page)
    return (2, True, place) if is_mostly else None


def _without_others(ranks: dict[Path, _Rank], records: Sequence[Any]) -> dict[Path, _Rank]:
    """Leaves out numbers, prose and links that nothing calls an id, where a text in an object is called so. Ids are
    texts (API §1), and a count may differ in each record by chance.
    """
    others = {path for path, found in ranks.items() if found[0] == _UNLIKELY and not _may_be_id(records, path)}
    are_beside = any(plain(path[-1]) in ENDINGS and path not in others for path in ranks)
    return {path: found for path, found in ranks.items() if path not in others} if are_beside else ranks


def _may_be_id(records: Sequence[Any], path: Path) -> bool:
    found = [held for record in records if isinstance(held := follow(record, path), str)]
    return any("/" not in text for text in found) and _wordy(records, path) * 2 < 1


def _says_no_more(path: Path) -> bool:
    """Whether the name says that the record has this id, and not which record has it."""
    return len(path) == 1 and plain(path[0]) in ENDINGS


def _odd(page: Sequence[Any], path: Path) -> int:
    """The records of a page without a text of their own at `path`."""
    return len(page) - len(set(texts(page, path)))


def _is_nearly_alone(page: Sequence[Any], path: Path) -> bool:
    """Whether at most one record in ten is odd, or one of a few; of three, any may be."""
    return _odd(page, path) <= (max(1, len(page) // 10) if len(page) > _FEW else 0)


def _wordy(records: Sequence[Any], path: Path) -> float:
    """The share of values that read like prose, a moment or a link rather than like an identifier."""
    found = texts(records, path)
    wordy = [" " in text or len(text) > 64 or bool(_NO_ID.match(text)) for text in found]
    return sum(wordy) / len(found)


def is_other_key(
    shape: Shape, role: Role, found: Choice | None, records: Sequence[Any], known: Mapping[str, Collection[str]]
) -> bool:
    """Whether records that lost the id found before would get keys from a member that nothing calls their id."""
    before = shape.choices.get(role.name)
    if role.known != "unique" or found is None or before is None or before.source != "found":
        return False
    ids = known.get(role.matches or "", ())
    return not any(
        rank(path, role.likely) < len(role.likely) or share_known(records, path, ids) >= SPEAKS for path in found.paths
    )


def refuse_rivals(
    resource: Resource,
    role: Role,
    found: Choice | None,
    pages: Sequence[Sequence[Any]],
    taken: Collection[Path],
    known: Collection[str],
) -> None:
    """Refuses a `reference` as the id of records in which a member such as `pruefungId` differs everywhere too.

    Either may be the id. Look-ups ask by the right one alone, and a later change would give every record a new key.
    A member whose values are `known` elsewhere, or whose name says so, is the id of something else. In a few records,
    each may differ by chance. Types are never looked up, and a check compares their ids with those in assessments.
    """
    records = [record for page in pages for record in page]
    is_looked_up = resource.id_filter is not None and len(records) >= _SEVERAL
    if found is None or not is_looked_up or role.known != "unique" or plain(found.paths[0][-1]) not in _REFERENCES:
        return
    others = {plain(name) for one in resource.roles if one is not role for name in one.likely}.union(_OTHERS)
    names = dict.fromkeys(name for record in records for name in record if _is_called_id(name, others))
    free = [(name,) for name in names if (name,) not in taken and (name,) not in found.paths]
    rivals = [
        path[0]
        for path in free
        if not any(_odd(page, path) for page in pages) and share_known(records, path, known) < SPEAKS
    ]
    if rivals:
        what = f"{found.text} and {' and '.join(rivals)} differ in each record, and either may be the {role.name}"
        step = f"Name the right one in propsync.toml: [shapes.{resource.name}] {role.name} = '{rivals[0]}'"
        raise ShapeUnknown(f"GET {resource.path}", what, step)


def _is_called_id(name: str, others: Collection[str]) -> bool:
    """Whether a member's name ends with id, and is that of none of `others`: `pruefungId`, not `scheduleId`."""
    return ends_with_id((name,)) and stem((name,)) not in others


def refuse_repeats(shape: Shape, resource: Resource, role: Role, pages: Sequence[Sequence[Any]]) -> None:
    """Refuses an id that repeats: few records may suggest a wrong one, and a later change of id would give every record
    a new key.

    A key that occurs twice on a page because the list moved does so in each copy, so most are still unique.
    """
    choice = shape.choices.get(role.name)
    if role.known != "unique" or choice is None or choice.source == "configured":
        return
    for page in pages:
        found = [text for path in choice.paths for text in texts(page, path)]
        if len(set(found)) * 2 < len(found):
            what = f"{choice.text}, the id found before, is the same in most of {len(found)} records"
            step = f"Name the id in propsync.toml: [shapes.{resource.name}] {role.name} = '…'"
            raise ShapeUnknown(f"GET {resource.path}", what, step)
