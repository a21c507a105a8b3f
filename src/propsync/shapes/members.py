"""Evidence: the scalar members of records, and the ones whose values match a set of known values."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from propsync.errors import ShapeUnknown
from propsync.records import Path, follow, text_of
from propsync.shapes.choice import Choice

_DATA = "data"  # JSON:API has ids at relationships.property.data.id
_DEEPEST = 4  # JSON:API has ids at relationships.property.data.id
SPEAKS = 0.5
"""The least share of a member's values that must be known elsewhere."""
SPEAKS_BY_NAME = 0.25  # for a likely name: numbers that count something are known by chance less often
ENDINGS = ("uuid", "guid", "uid", "id")
"""The ends of names that say id."""
_NO_IDS = ("valid", "paid", "said", "grid", "solid", "void", "fluid", "hybrid")
_WORD = re.compile(r"(?<!\S)[^\W\d_][^\W\d_'’-]+(?=[\s,.;]|$)")
_OWN_ENDINGS = (*ENDINGS, "reference", "ref", "code", "key")
_OTHER_NAMES = {"asset": ("property",), "type": ("assettype", "assessmenttype")}
_ID_NAMES = ("id", "uid", "_id", "uuid", "guid", "oid", "key", "ref", "value")  # `$oid` is an id that MongoDB writes


@lru_cache(1024)
def plain(name: str) -> str:
    """A member name without case and separators, so that `propertyId` and `property_id` are one name."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


def ends_with_id(path: Path) -> bool:
    """Whether the name of a member ends like an id, as `valid` does not; the name in an object is no member."""
    name = plain(path[-1]) if path else ""
    return name.endswith(ENDINGS) and (not name.endswith(_NO_IDS) or path[-1].endswith(("Id", "ID", "_id", "-id")))


def stem(path: Path) -> str:
    """The name of a member without the ending of an id: `propertyId` and `property.uid` are `property`."""
    names = [plain(name) for name in path if name != _DATA] or [plain(path[-1])]
    last = names[-2] if len(names) > 1 and names[-1] in ENDINGS else names[-1]
    return next((last.removesuffix(end) for end in ENDINGS if last.endswith(end)), last)


def scalar_paths(record: object, prefix: Path = ()) -> Iterator[Path]:
    """Paths to every scalar of a record through objects, not through arrays, at most four members deep."""
    if not isinstance(record, dict) or len(prefix) >= _DEEPEST:
        return
    for name, value in record.items():
        if isinstance(value, dict):
            yield from scalar_paths(value, (*prefix, name))
        elif not isinstance(value, list):
            yield (*prefix, name)


def texts(records: Iterable[Any], path: Path) -> list[str]:
    """The usable identifiers that records carry at `path`."""
    return [text for record in records if (text := text_of(follow(record, path)))]


def is_prose(records: Iterable[Any], path: Path) -> bool:
    """Whether most of the texts at `path` have several words, as an address has. `PRP 001` may be an id."""
    found = texts(records, path)
    return sum(len(_WORD.findall(text)) > 1 for text in found) * 2 > len(found)


def refuse_astray(resource: str, part: str, choice: Choice, records: Sequence[Any]) -> None:
    """Raises ShapeUnknown if none of the records has a configured path: tables would silently become empty."""
    if not records or any(carries(record, path) for record in records for path in choice.paths):
        return
    raise astray(resource, part, f"{choice.text} is in none of {len(records)} records")


def astray(resource: str, part: str, seen: str) -> ShapeUnknown:
    """The error about a part that people configured wrongly."""
    step = "Correct it in propsync.toml or remove it there; `propsync doctor` then shows what it finds without it"
    return ShapeUnknown(f"[shapes.{resource}] {part}", seen, step)


def carries(record: Any, path: Path) -> bool:
    """Whether a record has the member at `path`, null included. An empty path names no member."""
    holder = follow(record, path[:-1])
    return path != () and isinstance(holder, dict) and path[-1] in holder


def as_list(held: Any) -> list[Any]:
    """The elements of an array; anything else alone."""
    return held if isinstance(held, list) else [held]


def is_blank(held: object) -> bool:
    """Whether nothing is said: null, an empty text, array or object."""
    return held is None or (isinstance(held, str | list | dict) and not held)


def contradicts(
    records: Sequence[Any], path: Path, better: Sequence[Path], held: Callable[[Any, Path], Any] = follow
) -> bool:
    """Whether most of the records with something at `path` have something else at a better place."""
    found = [one for one in records if not is_blank(said := held(one, path)) and not leads_on(said, path, better)]
    others = [one for one in found if any(_differs(held(one, known), held(one, path)) for known in better)]
    return len(others) * 2 > len(found)


def leads_on(held: Any, path: Path, paths: Sequence[Path]) -> bool:
    """Whether what is held at `path` is an object that has a deeper one of `paths`, null included; a whole record is
    none.
    """
    deeper = [one[len(path) :] for one in paths if len(one) > len(path) and one[: len(path)] == path]
    return path != () and any(carries(held, one) for one in deeper)


def _differs(said: Any, other: Any) -> bool:
    """Whether neither has all of the other: one choice may be alone in one place and in a list in another."""
    ones, others = as_list(said), as_list(other)
    has_all = all(one in others for one in ones) or all(one in ones for one in others)
    return not is_blank(said) and not has_all


def lacking(records: Sequence[Any], paths: Sequence[Path]) -> list[Any]:
    """Records that have nothing at any of `paths`, or an object. A null is an answer."""
    return [one for one in records if not any(carries(one, path) and not _is_object(one, path) for path in paths)]


def _is_object(record: Any, path: Path) -> bool:
    return isinstance(follow(record, path), dict)


def as_written(records: Sequence[Any], words: Collection[str]) -> set[str]:
    """The words and the ways in which records write them: `In progress` is `inprogress`."""
    longest = 2 * max(map(len, words), default=0)
    shown = (text_of(follow(record, path)) for record in records for path in scalar_paths(record))
    found = {text for text in shown if text and len(text) <= longest}
    alike = {plain(word) for word in words}
    return {*words, *(text for text in found if plain(text) in alike)}


def share_known(records: Sequence[Any], path: Path, known: Collection[str]) -> float:
    """The share of the values at `path` that are known, 0 to 1."""
    found = texts(records, path)
    return sum(text in known for text in found) / len(found) if found else 0.0


def most_telling(
    records: Sequence[Any],
    candidates: Sequence[Path],
    known: Collection[str],
    likely: Sequence[str],
    elsewhere: Collection[str] = (),
) -> Path | None:
    """The member whose values are known elsewhere, None if none speaks. Rare members beside it count for nothing: one
    lucky value of theirs is all of them.

    Never are all values known: a property may have assessments and no asset. So a likely name needs fewer of them, and
    precedes members that refer to something above, whose values are all known. Of two members without such a name, the
    one with fewer values known `elsewhere` comes first: ids of several kinds may be small numbers. Then the one
    that more records have comes first: new records lack a former status.
    """
    shares = {path: share_known(records, path, known) for path in candidates}
    speaking = usual(records, [path for path in candidates if shares[path]])

    def order(path: Path) -> tuple[float, int, float, int, tuple[bool, Path]]:
        known_elsewhere = share_known(records, path, elsewhere)
        return -round(shares[path], 1), rank(path, likely), known_elsewhere, -len(texts(records, path)), spelling(path)

    named = [path for path in speaking if rank(path, likely) < len(likely) and shares[path] >= SPEAKS_BY_NAME]
    others = [path for path in speaking if shares[path] >= SPEAKS]
    return min(named or others, key=order, default=None)


def usual(records: Sequence[Any], paths: Sequence[Path]) -> list[Path]:
    """Those of `paths` that at least half as many records have as the commonest of them."""
    counts = {path: len(texts(records, path)) for path in paths}
    most = max(counts.values(), default=0)
    return [path for path in paths if counts[path] * 2 >= most]


def rank(path: Path, likely: Sequence[str]) -> int:
    """Ranks a path by its names: lower is likelier, `len(likely)` and above for names nobody expects.

    `type.id` and `typeId` rank as `type`; a nested identifier counts for the object that holds it, and so does that in
    the `data` of JSON:API.
    """
    names = [plain(name) for name in path]
    if len(names) > 1 and names[-1] in map(plain, _ID_NAMES):
        holders = [name for name in names[:-1] if name != _DATA]
        names = holders or names[:-1]
    last = names[-1]
    order = [plain(name) for name in likely]
    depth = len(names) - 1
    return (order.index(last) if last in order else len(order)) + depth


def documented(records: Sequence[Any], names: Sequence[str], known: Collection[str] = ()) -> Choice | None:
    """Paths to documented members, each a string or an object holding one; None if no record has any of them."""
    paths: list[Path] = []
    for name in names:
        paths += reference_paths(records, (name,), known)
    if not paths:
        return None
    shown = ", ".join(".".join(path) for path in paths)
    # a page may show strings only and the next one objects: propsync tries the usual place in an object last
    spare = [(name, "id") for name in names if (name, "id") not in paths]
    return Choice((*paths, *spare), "documented", f"the API's document names it; found at {shown}")


def spelling(path: Path) -> tuple[bool, Path]:
    """Orders members that are equally likely: `_id` and `ID`, which a server has of its own, come after `id`."""
    return not "".join(path[-1:])[:1].islower(), path


def reference_paths(records: Sequence[Any], path: Path, known: Collection[str] = ()) -> list[Path]:
    """Finds the identifier at `path` itself, or in the object found there."""
    values = [value for record in records if (value := follow(record, path)) is not None]
    here = [path] if any(text_of(value) for value in values) else []
    objects = [value for value in values if isinstance(value, dict)]
    inner = _inner_id(objects, known, path[-1]) if objects else None
    return [*here, (*path, *inner)] if inner else here


def _inner_id(objects: Sequence[Any], known: Collection[str], holder: str) -> Path | None:
    candidates = list(dict.fromkeys(path for found in objects for path in scalar_paths(found)))
    candidates = [path for path in candidates if texts(objects, path)]
    if not candidates:
        return None

    usual = min(candidates, key=lambda path: (rank(path, _ID_NAMES), spelling(path)))
    own = [path for path in candidates if rank(path, _ID_NAMES) == rank(usual, _ID_NAMES) and _is_own(path[-1], holder)]
    ids = [path for path in own if _decides(objects, path, usual)]
    return most_telling(objects, candidates, known, _ID_NAMES) or min(ids, key=spelling, default=usual)


def _is_own(name: str, holder: str) -> bool:
    """Whether a member of `holder` seems to be its id: `propertyId` or `reference`, and no `postcode` or `ownerId`."""
    stems = (plain(name).removesuffix(end) for end in _OWN_ENDINGS if plain(name).endswith(end))
    return next(stems, None) in ("", plain(holder), *_OTHER_NAMES.get(plain(holder), ()))


def _decides(objects: Sequence[Any], path: Path, other: Path) -> bool:
    """Whether objects with one value at `path` have one at `other`: those of one property have one name."""
    pairs = {(text_of(follow(one, path)), text_of(follow(one, other))) for one in objects}
    return len(pairs) == len({value for value, _ in pairs})
