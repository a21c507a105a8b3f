"""Finds how asset types define fields and how assets refer to them: ids, labels, options, references, values.

API §2.1 and 2.2 show only the discriminator `type`; the data shows the rest. A result's reference is the member
whose values are ids of its type's fields, and its value is the member that remains. Definitions, options and results
may also be objects keyed by their ids; then the name of the member is the reference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from propsync.records import Path, follow, text_of
from propsync.shapes.choice import Choice, Shape
from propsync.shapes.earlier import with_earlier
from propsync.shapes.entries import NAME, Entry, entries, names, values
from propsync.shapes.members import (
    carries,
    contradicts,
    is_blank,
    lacking,
    plain,
    rank,
    refuse_astray,
    scalar_paths,
    share_known,
    texts,
)

_ID = ("id", "uid", "_id", "uuid", "guid", "fieldid", "field", "key", "ref", "code", "name")
_LABEL = ("label", "name", "title", "caption", "text", "question", "displayname", "description")
_SURE_LABEL = _LABEL[:-1]  # a description explains a label, and replaces none
_OPTIONS = ("options", "choices", "values", "items", "optionlist", "list", "enum", "answers")
_OPTION_ID = ("id", "uid", "_id", "uuid", "optionid", "key", "code", "value", "ref")
_REFERENCE = ("field", "fieldid", "definition", "fielddefinition", "ref", "key", "id", "uid")
_VALUE = ("value", "values", "val", "content", "answer", "result", "data")
_KINDS = ("text", "number", "date", "time", "image", "file", "option", "pin", "qr")  # API §2.2
_PLAUSIBLE = 2  # the last rank of a name that says that the member is a value
BESIDE = (
    "id",
    "uid",
    "label",
    "name",
    "title",
    "position",
    "order",
    "createdat",
    "createdby",
    "updatedat",
    "updatedby",
)
"""Members of a result that are no value, without case and separators."""
VALUES = (*_VALUE, "valuevalue", "valueid", "valueids")
"""Names of members that say value, where `value` stands for the kind too."""
FIELDS: Path = ("fields",)
"""The documented member of asset types and of assets (API §2.1, 2.2)."""
KIND: Path = ("type",)
"""The documented discriminator of definitions and results (API §2.1, 2.2)."""


def find_definition_shape(shape: Shape, types: Sequence[Any], assets: Sequence[Any], results: Path) -> None:
    """Settles field_id, field_label, field_options, option_id and option_label of the asset types' shape."""
    defined = [entry for asset_type in types for entry in entries(asset_type, FIELDS)]
    if not defined:
        return
    recorded = [entry for asset in assets for entry in entries(asset, results)]
    referred = {*names(recorded), *(text for value in values(recorded) for text in _all_texts(value))}
    definitions = values(defined)
    _settle(shape, "field_id", _field_id(types, defined, referred), defined)
    taken = {*shape.paths("field_id"), KIND}
    _settle(shape, "field_label", _label(definitions, taken), defined)
    _settle(shape, "field_options", _options(definitions, referred), defined)
    options = [o for d in definitions for path in shape.paths("field_options") for o in entries(d, path)]
    objects = [option for option in options if isinstance(option.value, dict)]
    if objects or names(options):
        _settle(shape, "option_id", _option_id(options, referred), options)
        _settle(shape, "option_label", _label(values(objects), set(shape.paths("option_id"))), objects)


def find_result_shape(shape: Shape, assets: Sequence[Any], field_ids: set[str]) -> None:
    """Settles result_field, and result_value for each kind met, of the assets' shape."""
    recorded = [entry for asset in assets for entry in entries(asset, FIELDS)]
    results = [entry for entry in recorded if entry.name is not None or isinstance(entry.value, dict)]
    if not results:
        return
    _settle(shape, "result_field", _reference(results, field_ids), results)
    by_kind: dict[str, list[Entry]] = {}
    for result in filter(_says_its_kind, results):
        by_kind.setdefault(text_of(follow(result.value, KIND)) or "", []).append(result)
    for kind, of_kind in sorted(by_kind.items()):
        choice = _value(kind, values(of_kind), shape.paths("result_field"))
        _settle(shape, f"result_value:{kind}", choice, of_kind)


def field_ids(types: Sequence[Any], shape: Shape) -> set[str]:
    """The ids of all fields that `types` define, by their known shape."""
    found = (entry.first_text(shape.paths("field_id")) for one in types for entry in entries(one, FIELDS))
    return {field_id for field_id in found if field_id}


def value_paths(shape: Shape) -> dict[str, tuple[Path, ...]]:
    """Where results of each kind keep their value: paths to try in order."""
    found = {part.partition(":")[2]: choice.paths for part, choice in shape.choices.items() if ":" in part}
    return {kind: paths for kind, paths in found.items() if paths}


def _says_its_kind(result: Entry) -> bool:
    """Whether the object under a field's id names its kind; if not, it may be the value itself."""
    if result.name is None:
        return True
    return isinstance(result.value, dict) and (result.value.get("type") in _KINDS or "value" in result.value)


def _settle(shape: Shape, part: str, choice: Choice | None, found: Sequence[Entry]) -> None:
    before = shape.choices.get(part)
    if before is None or before.source != "configured":
        shape.settle(part, with_earlier(before, choice, found, Entry.held))
    elif NAME not in before.paths or not names(found):
        refuse_astray(shape.resource, part, before, values(found))


def _all_texts(value: Any) -> Iterator[str]:
    """Every string anywhere in a value, any of which a result may refer to."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _all_texts(inner)
    elif text := text_of(value):
        yield text


def _field_id(types: Sequence[Any], defined: Sequence[Entry], referred: set[str]) -> Choice | None:
    """Finds the member that is unique among a type's fields and that results refer to, though one odd type differs."""
    paths = [path for path in _paths(values(defined)) if path != KIND]
    shares = {path: _unique_share(types, path) for path in paths}
    inside = [path for path in paths if shares[path] == 1]
    if not inside and len(names(defined)) < len(defined) / 2:
        inside = [path for path in paths if shares[path] > 0.5]
    return _identifier(
        defined, inside, referred, _ID, "of them are named by assets; it differs in each field of a type"
    )


def _identifier(
    found: Sequence[Entry], inside: Sequence[Path], known: set[str], likely: Sequence[str], evidence: str
) -> Choice | None:
    """The one of `inside`, or the name in an object, that matches most known values; likely names break ties.

    If arrays occur beside objects, propsync tries the best of `inside` after the name.
    """
    candidates = [*inside, *([NAME] if names(found) else [])]
    if not candidates:
        return None

    def order(path: Path) -> tuple[float, float, Path]:
        return (-_spoken_for(found, path, known), rank(path, likely) if path else len(likely) - 0.5, path)

    best = min(candidates, key=order)
    spare = sorted(inside, key=order)[:1] if best == NAME and len(names(found)) < len(found) else []
    what = "the name of the member; " if best == NAME else ""
    return Choice((best, *spare), "found", f"{what}{_spoken_for(found, best, known):.0%} {evidence}")


def _unique_share(types: Sequence[Any], path: Path) -> float:
    """The number of types with fields in which this text differs from field to field."""
    defining = [of_type for one in types if (of_type := values(entries(one, FIELDS)))]
    unique = [of_type for of_type in defining if len(set(texts(of_type, path))) == len(of_type)]
    return len(unique) / len(defining)


def _spoken_for(found: Sequence[Entry], path: Path, known: set[str]) -> float:
    shown = names(found) if path == NAME else texts(values(found), path)
    return round(sum(text in known for text in shown) / len(shown), 1) if shown else 0.0


def _options(definitions: Sequence[Any], referred: set[str]) -> Choice | None:
    """The array, or the object keyed by option, that option fields have and others do not."""
    counts: Counter[Path] = Counter()
    for definition in definitions:
        if isinstance(definition, dict) and follow(definition, KIND) == "option":
            counts.update((name,) for name, value in definition.items() if _are_options(name, value, referred))
    if not counts:
        return None
    best = min(counts, key=lambda path: (rank(path, _OPTIONS), -counts[path], path))
    others: list[Path] = []
    while left := [path for path in counts if _is_needed(definitions, path, (best, *others))]:
        others.append(min(left, key=lambda path: (rank(path, _OPTIONS), -counts[path], path)))
    return Choice((best, *others), "found", f"what {counts[best]} option fields list")


def _is_needed(definitions: Sequence[Any], path: Path, better: Sequence[Path]) -> bool:
    """Whether an option field lists its options under this likely name, and has none of the better members."""
    options = [one for one in definitions if isinstance(one, dict) and follow(one, KIND) == "option"]
    is_likely = rank(path, _OPTIONS) < len(_OPTIONS)
    return is_likely and any(follow(one, path) for one in options if not any(carries(one, known) for known in better))


def _are_options(name: str, value: Any, referred: set[str]) -> bool:
    """Any array may list options; an object only if its name says so, or assets choose from its members."""
    if isinstance(value, dict) and value:
        return rank((name,), _OPTIONS) < len(_OPTIONS) or not referred.isdisjoint(value)
    return isinstance(value, list) and bool(value)


def _option_id(options: Sequence[Entry], referred: set[str]) -> Choice | None:
    return _identifier(options, _paths(values(options)), referred, _OPTION_ID, "of them are values of assets")


def _label(records: Sequence[Any], taken: set[Path]) -> Choice | None:
    candidates = [path for path in _paths(records) if path not in taken]
    if not candidates:
        return None
    best = min(candidates, key=lambda path: (rank(path, _LABEL), -len(texts(records, path)), path))
    evidence = "by its name" if rank(best, _LABEL) < len(_LABEL) else "the text that is left"
    return Choice((best, *_other_labels(records, best, taken)), "found", evidence)


def _other_labels(records: Sequence[Any], best: Path, taken: set[Path]) -> list[Path]:
    """Members with the name of a label in records that lack the better ones."""
    found: list[Path] = []
    while True:
        of_others = _paths(lacking(records, (best, *found)))
        named = [path for path in of_others if path not in taken and plain(path[0]) in _SURE_LABEL]
        if not named:
            return found
        found.append(min(named, key=lambda path: (rank(path, _LABEL), path)))


def _reference(found: Sequence[Entry], field_ids: set[str]) -> Choice | None:
    """The member whose values are ids of fields: a string, or an object that holds one; or the name in an object."""
    inside = _reference_inside(values(found), field_ids)
    share = _spoken_for(found, NAME, field_ids)
    if share >= 0.5 or (names(found) and inside is None):
        spare = inside.paths if inside and len(names(found)) < len(found) else ()
        source = "found" if share >= 0.5 else "likely"
        return Choice((NAME, *spare), source, f"the name of the member; {share:.0%} of these names are field ids")
    return inside


def _reference_inside(results: Sequence[Any], field_ids: set[str]) -> Choice | None:
    candidates = [path for path in _paths(results) if path != KIND]
    shares = {path: share_known(results, path, field_ids) for path in candidates}
    speaking = [path for path in candidates if shares[path] >= 0.5]
    if speaking:
        best = min(speaking, key=lambda path: (-round(shares[path], 1), -len(texts(results, path)), path))
        others = _other_references(results, best, field_ids)
        more = "".join(f"; {'.'.join(path)} names the field in results without it" for path in others)
        return Choice((best, *others), "found", f"{shares[best]:.0%} of its values are field ids{more}")
    named = [path for path in candidates if rank(path, _REFERENCE) < len(_REFERENCE)]
    best_named = min(named, key=lambda path: (rank(path, _REFERENCE), path), default=None)
    return Choice((best_named,), "likely", "by its name only") if best_named else None


def _other_references(results: Sequence[Any], best: Path, field_ids: set[str]) -> list[Path]:
    """Members whose values are ids of fields where results name none at `best`."""
    found: list[Path] = []
    while True:
        results = [result for result in results if not text_of(follow(result, best))]
        shares = {path: share_known(results, path, field_ids) for path in _paths(results) if _may_refer(path)}
        speaking = [path for path, share in shares.items() if share >= 0.5]
        if not speaking:
            return found
        best = min(speaking, key=lambda path: (-round(shares[path], 1), rank(path, _REFERENCE), path))
        found.append(best)


def _may_refer(path: Path) -> bool:
    """Whether a member may name a field: a text that somebody entered may be an id of a field by chance."""
    return path != KIND and (len(path) > 1 or plain(path[0]) not in (*_VALUE, *_KINDS))


def _value(kind: str, results: Sequence[Any], references: Sequence[Path]) -> Choice | None:
    """The rest of a result: under `value`, under a member named for the kind, or the one member that remains.

    Results that have nothing there may have their value under another name that says so.
    """
    places = [_value_places(kind, result, references) for result in results]
    left = Counter(path for of_result in places for path in of_result)
    if not left:
        return None
    best = min(left, key=lambda path: (_place_rank(path, kind), -left[path], path))
    best = next(
        (path for path in sorted(left) if _may_be_value(path[-1], kind) and _is_fuller(results, path, best)), best
    )
    words = {0: "the member called value", 1: f"the member named for its kind, {kind}"}
    taken = sorted({KIND[0], *(path[0] for path in references if path)})
    why = words.get(_value_rank(best[-1], kind), f"the rest of a result besides {', '.join(taken)}")
    seen = f"{why}; in {left[best]} of {len(results)} {kind or 'untyped'} results"
    others = _other_values(kind, results, left, best)
    more = "".join(f", {'.'.join(path)} in {count} without it" for path, count in others.items())
    return Choice((best, *others), "found", f"{seen}{more}")


def _is_fuller(results: Sequence[Any], path: Path, best: Path) -> bool:
    """Whether a member lists what `best` says alone, and more of it somewhere, such as `values` beside `value`."""
    both = [(follow(result, best), follow(result, path)) for result in results]
    listed = [(one, held) for one, held in both if isinstance(held, list) and not isinstance(one, list)]
    holding = all(one in held for one, held in listed if not is_blank(one))
    return len(listed) == len(both) and holding and any(len(held) > 1 and not is_blank(one) for one, held in listed)


def _value_places(kind: str, result: Any, references: Sequence[Path]) -> list[Path]:
    """Members that may hold the value: beside the reference, or in the object that holds it."""
    paths = [path for path in references if path]
    taken = {KIND[0], *(path[0] for path in paths)}
    beside = [(name,) for name in result if name not in taken]
    holders = dict.fromkeys(path[:-1] for path in paths if len(path) > 1)
    objects = [(holder, held) for holder in holders if isinstance(held := follow(result, holder), dict)]
    inside = [(*holder, name) for holder, held in objects for name in held if _may_be_value(name, kind)]
    return [*beside, *(path for path in inside if path not in paths)]


def _other_values(kind: str, results: Sequence[Any], places: Collection[Path], best: Path) -> dict[Path, int]:
    """Members that hold the value where the better ones hold nothing, the best first, with their number of results.

    A member that mostly contradicts the better ones is no value, such as a position called `number`.
    """
    found: dict[Path, int] = {}
    likely = [path for path in places if _may_be_value(path[-1], kind) and not contradicts(results, path, (best,))]
    left = results
    while True:
        better = (best, *found)
        left = [result for result in left if is_blank(follow(result, better[-1]))]
        counts = Counter(path for result in left for path in likely if _adds(result, path, better))
        if not counts:
            return found
        chosen = min(counts, key=lambda path: (_place_rank(path, kind), -counts[path], path))
        found[chosen] = counts[chosen]


def _adds(result: Any, path: Path, better: Sequence[Path]) -> bool:
    """Whether a result has a value at `path` that the better places, all blank or absent, do not say."""
    held = follow(result, path)
    if path in better or held is None:
        return False
    return not is_blank(held) or not any(carries(result, known) for known in better)


def _may_be_value(name: str, kind: str) -> bool:
    return _value_rank(name, kind) <= _PLAUSIBLE and plain(name) not in BESIDE


def _place_rank(path: Path, kind: str) -> tuple[bool, int, int]:
    """A member with a likely name beside the reference comes first, then one in its object, then any other."""
    found = _value_rank(path[-1], kind)
    return (found > _PLAUSIBLE, len(path), found)


def _value_rank(name: str, kind: str) -> int:
    own = plain(name)
    if own == "value":
        return 0
    if kind and own in (kind, kind + "s", kind + "value", "value" + kind, kind + "id", kind + "ids"):
        return 1
    if own in _VALUE:
        return 2
    if own in _KINDS:
        return 3
    return 5 if own in ("id", "uid", "label", "name", "title", "position", "order") else 4


def _paths(records: Sequence[Any]) -> list[Path]:
    """Paths to scalars in any of the records, except those that never hold an identifier or text."""
    found = dict.fromkeys(path for record in records for path in scalar_paths(record))
    return [path for path in found if texts(records, path)]
