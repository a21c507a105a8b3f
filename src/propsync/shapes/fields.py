"""Finds how asset types define fields and how assets refer to them: ids, labels, options, references, values.

API sections 2.1 and 2.2 show only the discriminator `type`; the rest speaks through the data: a result's reference is
the member whose values are ids of its type's fields, and its value is what is left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from propsync.records import Path, follow, text_of
from propsync.shapes.choice import Choice, Shape
from propsync.shapes.members import plain, rank, refuse_astray, scalar_paths, share_known, texts

_ID = ("id", "uid", "_id", "uuid", "guid", "fieldid", "field", "key", "ref", "code", "name")
_LABEL = ("label", "name", "title", "caption", "text", "question", "displayname", "description")
_OPTIONS = ("options", "choices", "values", "items", "optionlist", "list", "enum", "answers")
_OPTION_ID = ("id", "uid", "_id", "uuid", "optionid", "key", "code", "value", "ref")
_REFERENCE = ("field", "fieldid", "definition", "fielddefinition", "ref", "key", "id", "uid")
_VALUE = ("value", "values", "val", "content", "answer", "result", "data")
_KINDS = ("text", "number", "date", "time", "image", "file", "option", "pin", "qr")  # section 2.2
KIND: Path = ("type",)
"""The documented discriminator of definitions and results (sections 2.1, 2.2)."""


def find_definition_shape(shape: Shape, types: Sequence[Any], assets: Sequence[Any], results: Path) -> None:
    """Settles field_id, field_label, field_options, option_id and option_label of the asset types' shape."""
    definitions = [d for t in types for d in members(t, ("fields",))]
    if not definitions:
        return
    referred = {text for asset in assets for r in members(asset, results) for text in _all_texts(r)}
    _settle(shape, "field_id", _field_id(types, definitions, referred), definitions)
    taken = {*shape.paths("field_id"), KIND}
    _settle(shape, "field_label", _by_rank(definitions, taken, _LABEL), definitions)
    _settle(shape, "field_options", _options(definitions), definitions)
    options = [o for d in definitions for path in shape.paths("field_options") for o in members(d, path)]
    objects = [option for option in options if isinstance(option, dict)]
    if objects:
        _settle(shape, "option_id", _option_id(objects, referred), objects)
        _settle(shape, "option_label", _by_rank(objects, set(shape.paths("option_id")), _LABEL), objects)


def find_result_shape(shape: Shape, assets: Sequence[Any], field_ids: set[str]) -> None:
    """Settles result_field, and result_value for each kind met, of the assets' shape."""
    results = [r for asset in assets for r in members(asset, ("fields",)) if isinstance(r, dict)]
    if not results:
        return
    _settle(shape, "result_field", _reference(results, field_ids), results)
    by_kind: dict[str, list[Any]] = {}
    for result in results:
        by_kind.setdefault(str(follow(result, KIND)), []).append(result)
    for kind, of_kind in sorted(by_kind.items()):
        _settle(shape, f"result_value:{kind}", _value(kind, of_kind, shape.paths("result_field")), of_kind)


def members(record: Any, path: Path) -> list[Any]:
    """The members of the array at `path`, or none."""
    array = follow(record, path)
    return array if isinstance(array, list) else []


def _settle(shape: Shape, part: str, choice: Choice | None, records: Sequence[Any]) -> None:
    before = shape.choices.get(part)
    if before is not None and before.source == "configured":
        refuse_astray(shape.resource, part, before, records)
    else:
        shape.settle(part, choice)


def _all_texts(value: Any) -> Iterator[str]:
    """Every string anywhere in a value: what a result may refer to."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _all_texts(inner)
    elif text := text_of(value):
        yield text


def _field_id(types: Sequence[Any], definitions: Sequence[Any], referred: set[str]) -> Choice | None:
    """An id is unique among a type's fields, and results refer to it."""
    candidates = [path for path in _paths(definitions) if path != KIND and _is_unique(types, path)]
    if not candidates:
        return None
    best = min(candidates, key=lambda path: (-_spoken_for(definitions, path, referred), rank(path, _ID), path))
    share = _spoken_for(definitions, best, referred)
    return Choice((best,), "found", f"another in each field of a type; {share:.0%} of them are named by assets")


def _is_unique(types: Sequence[Any], path: Path) -> bool:
    for asset_type in types:
        of_type = members(asset_type, ("fields",))
        if len(set(texts(of_type, path))) < len(of_type):
            return False
    return True


def _spoken_for(definitions: Sequence[Any], path: Path, referred: set[str]) -> float:
    return round(share_known(definitions, path, referred), 1)


def _options(definitions: Sequence[Any]) -> Choice | None:
    """The array that option fields have and others do not."""
    counts: Counter[Path] = Counter()
    for definition in definitions:
        if isinstance(definition, dict) and follow(definition, KIND) == "option":
            counts.update((name,) for name, value in definition.items() if isinstance(value, list) and value)
    if not counts:
        return None
    best = min(counts, key=lambda path: (rank(path, _OPTIONS), -counts[path], path))
    return Choice((best,), "found", f"an array in {counts[best]} option fields")


def _option_id(options: Sequence[Any], referred: set[str]) -> Choice | None:
    candidates = _paths(options)
    if not candidates:
        return None
    best = min(candidates, key=lambda path: (-_spoken_for(options, path, referred), rank(path, _OPTION_ID), path))
    return Choice((best,), "found", f"{_spoken_for(options, best, referred):.0%} of them are values of assets")


def _by_rank(records: Sequence[Any], taken: set[Path], likely: Sequence[str]) -> Choice | None:
    candidates = [path for path in _paths(records) if path not in taken]
    if not candidates:
        return None
    best = min(candidates, key=lambda path: (rank(path, likely), -len(texts(records, path)), path))
    return Choice((best,), "found", "by its name" if rank(best, likely) < len(likely) else "the text that is left")


def _reference(results: Sequence[Any], field_ids: set[str]) -> Choice | None:
    """The member whose values are ids of fields: a string, or an object that holds one."""
    candidates = [path for path in _paths(results) if path != KIND]
    shares = {path: share_known(results, path, field_ids) for path in candidates}
    speaking = [path for path in candidates if shares[path] >= 0.5]
    if speaking:
        best = min(speaking, key=lambda path: (-round(shares[path], 1), -len(texts(results, path)), path))
        return Choice((best,), "found", f"{shares[best]:.0%} of its values are field ids")
    named = [path for path in candidates if rank(path, _REFERENCE) < len(_REFERENCE)]
    best_named = min(named, key=lambda path: (rank(path, _REFERENCE), path), default=None)
    return Choice((best_named,), "likely", "by its name only") if best_named else None


def _value(kind: str, results: Sequence[Any], reference: Sequence[Path]) -> Choice | None:
    """What is left of a result: under `value`, under a member named for the kind, or the one member that remains."""
    taken = {KIND[0], *(path[0] for path in reference)}
    left: Counter[str] = Counter(name for result in results for name in result if name not in taken)
    if not left:
        return None
    best = min(left, key=lambda name: (_value_rank(name, kind), -left[name], name))
    words = {0: "the member called value", 1: f"the member named for its kind, {kind}"}
    why = words.get(_value_rank(best, kind), f"what is left of a result besides {', '.join(sorted(taken))}")
    return Choice(((best,),), "found", f"{why}; in {left[best]} of {len(results)} {kind} results")


def _value_rank(name: str, kind: str) -> int:
    own = plain(name)
    if own == "value":
        return 0
    if own in (kind, kind + "s", kind + "value", "value" + kind, kind + "id", kind + "ids"):
        return 1
    if own in _VALUE:
        return 2
    if own in _KINDS:
        return 3
    return 5 if own in ("id", "uid", "label", "name", "title", "position", "order") else 4


def _paths(records: Sequence[Any]) -> list[Path]:
    """Paths to scalars in any of the records, without those that never hold an identifier or text."""
    found = dict.fromkeys(path for record in records for path in scalar_paths(record))
    return [path for path in found if texts(records, path)]
