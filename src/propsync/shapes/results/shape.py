"""Finds how field results name their field and their kind's value.

API §2.2 shows only the discriminator `type`; the data shows the rest. A result's reference is the member whose values
are ids of its type's fields. Results may also be an object keyed by those ids; then the name of the member is the
reference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from propsync.records import Path, follow, text_of
from propsync.shapes.choice import Choice, Shape
from propsync.shapes.entries import NAME, Entry, entries, names, values
from propsync.shapes.fields import FIELDS, KIND, KINDS, NUMBERS, settle, spoken_for, text_paths
from propsync.shapes.members import most_telling, plain, rank, scalar_paths, share_known
from propsync.shapes.results.beside import beside, of_any_kind, of_own_kinds
from propsync.shapes.results.names import LIKELY_VALUE
from propsync.shapes.results.values import is_beside, says_shown, says_value, value_of_kind

_OF_FIELD = ("field", "fieldid", "definition", "definitionid", "fielddefinition", "fielddefinitionid")
_REFERENCE = (*_OF_FIELD, "ref", "key", "id", "uid")
_NEARLY_ALL = 0.9


def find_result_shape(
    shape: Shape,
    assets: Sequence[Any],
    field_ids: set[str],
    option_ids: Collection[str] = (),
    *,
    is_whole: bool = True,
) -> None:
    """Settles result_field, and result_value for each kind met, of the assets' shape."""
    recorded = [entry for asset in assets for entry in entries(asset, FIELDS)]
    results = [entry for entry in recorded if entry.name is not None or isinstance(entry.value, dict)]
    if not results:
        return
    settle(shape, "result_field", _reference(results, field_ids), results, is_whole=is_whole)
    by_kind: dict[str, list[Entry]] = {}
    for result in filter(_says_its_kind, results):
        by_kind.setdefault(text_of(follow(result.value, KIND)) or "", []).append(result)
    references = shape.paths("result_field")
    of_kinds = {kind: values(one) for kind, one in by_kind.items()}
    found = _values_of_kinds(of_kinds, (*references, *_repeated(results, references)), option_ids)
    telling = [one for kind, choice in found.items() if choice and says_value(kind, choice) for one in by_kind[kind]]
    for kind, choice in sorted(found.items()):
        # nobody has filled in such a field yet: the own id of a result is no value where others have both
        is_empty = choice is not None and is_beside(choice, values(telling))
        is_sure = choice is not None and says_value(kind, choice)
        part = f"result_value:{kind}"
        settle(shape, part, None if is_empty else choice, by_kind[kind], is_whole=is_whole, is_sure=is_sure)


def _values_of_kinds(
    by_kind: Mapping[str, Sequence[Any]], references: Sequence[Path], options: Collection[str]
) -> dict[str, Choice | None]:
    """The places of values. A member that results have beside a value of a sure name comes last in other kinds. So does
    one that looks like the values of few kinds. A member that is both is no value at all. Nor is one that
    all of several such kinds have beside their value: the API leaves out the value of an empty field.
    """
    found = {kind: value_of_kind(kind, results, references, options) for kind, results in by_kind.items()}
    chosen = {kind: choice for kind, choice in found.items() if choice and says_value(kind, choice)}
    common = of_any_kind(by_kind, options)
    beside_each = [beside(by_kind[kind], choice.paths) for kind, choice in chosen.items()]
    beside_all = set[Path].intersection(*beside_each) if len(chosen) > 1 else set[Path]()
    carried = set[Path]().union(*beside_each)
    carried -= of_own_kinds({kind: one for kind, one in by_kind.items() if kind not in chosen}, options)
    for kind, results in by_kind.items():
        if kind not in chosen:
            choice = value_of_kind(kind, results, references, options, common | carried | beside_all)
            none = (common & carried) | beside_all
            is_none = choice is not None and choice.paths[0] in none and not says_shown(kind, choice)
            found[kind] = None if is_none else choice
    return found


def _repeated(found: Sequence[Entry], references: Sequence[Path]) -> list[Path]:
    """Members that repeat the id of the field by which an object has its results."""
    if NAME not in references:
        return []
    inside = [one for one in found if one.name is not None and isinstance(one.value, dict)]
    same = Counter(
        path for one in inside for path in scalar_paths(one.value) if text_of(follow(one.value, path)) == one.name
    )
    return [path for path, count in same.items() if count >= _NEARLY_ALL * len(inside)]


def value_paths(shape: Shape) -> dict[str, tuple[Path, ...]]:
    """Where results of each kind keep their value: paths to try in order."""
    found = {part.partition(":")[2]: choice.paths for part, choice in shape.choices.items() if ":" in part}
    return {kind: paths for kind, paths in found.items() if paths}


def kinds_without_results(shape: Shape, assets: Sequence[Any]) -> list[str]:
    """The kinds whose value people configured, and of which these assets have no result; none if some say no kind."""
    recorded = values([entry for asset in assets for entry in entries(asset, FIELDS)])
    known = {text_of(follow(result, KIND)) for result in recorded}
    configured = [part for part, choice in shape.choices.items() if ":" in part and choice.source == "configured"]
    kinds = [part.partition(":")[2] for part in configured]
    return [kind for kind in kinds if known and known.isdisjoint({None, kind})]


def _says_its_kind(result: Entry) -> bool:
    """Whether the object under a field's id names its kind; if not, it may be the value itself."""
    if result.name is None:
        return True
    return isinstance(result.value, dict) and (result.value.get("type") in KINDS or "value" in result.value)


def _reference(found: Sequence[Entry], field_ids: set[str]) -> Choice | None:
    """The member whose values are ids of fields: a string, or an object that holds one; or the name in an object."""
    inside = _reference_inside(values(found), field_ids)
    share = spoken_for(found, NAME, field_ids)
    if share >= 0.5 or (names(found) and inside is None):
        spare = inside.paths if inside and len(names(found)) < len(found) else ()
        source = "found" if share >= 0.5 else "likely"
        return Choice((NAME, *spare), source, f"the name of the member; {share:.0%} of these names are field ids")
    return inside


def _reference_inside(results: Sequence[Any], field_ids: set[str]) -> Choice | None:
    candidates = [path for path in text_paths(results) if path != KIND and plain(path[-1]) not in NUMBERS]
    # a result's own id may be a number that some field has too
    best = most_telling(results, candidates, field_ids, _OF_FIELD)
    if best is not None:
        others = _other_references(results, best, field_ids)
        more = "".join(f"; {'.'.join(path)} names the field in results without it" for path in others)
        share = share_known(results, best, field_ids)
        return Choice((best, *others), "found", f"{share:.0%} of its values are field ids{more}")
    named = [path for path in candidates if rank(path, _REFERENCE) < len(_REFERENCE)]
    best_named = min(named, key=lambda path: (rank(path, _REFERENCE), path), default=None)
    return Choice((best_named,), "likely", "by its name only") if best_named else None


def _other_references(results: Sequence[Any], best: Path, field_ids: set[str]) -> list[Path]:
    """Members whose values are ids of fields where results name none at `best`."""
    found: list[Path] = []
    while True:
        results = [result for result in results if not text_of(follow(result, best))]
        shares = {path: share_known(results, path, field_ids) for path in text_paths(results) if _may_refer(path)}
        speaking = [path for path, share in shares.items() if share >= 0.5]
        if not speaking:
            return found
        best = min(speaking, key=lambda path: (-round(shares[path], 1), rank(path, _REFERENCE), path))
        found.append(best)


def _may_refer(path: Path) -> bool:
    """Whether a member may name a field: a text that somebody entered may be an id of a field by chance."""
    return path != KIND and (len(path) > 1 or plain(path[0]) not in (*LIKELY_VALUE, *KINDS, *NUMBERS))
