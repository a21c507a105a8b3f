"""Finds how asset types define fields: their ids, labels and options.

API §2.1 shows only the discriminator `type`; the data shows the rest. Definitions and options may also be objects keyed
by their ids; then the name of the member is the id.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from propsync.records import Path, follow, text_of
from propsync.shapes.choice import Choice, Shape
from propsync.shapes.entries import NAME, Entry, entries, names, values
from propsync.shapes.fields import FIELDS, KIND, KINDS, settle, spoken_for, text_paths
from propsync.shapes.labels import LABEL, SURE_LABEL, find_label
from propsync.shapes.members import SPEAKS, SPEAKS_BY_NAME, ends_with_id, plain, rank, spelling, texts
from propsync.shapes.mentions import Mentions, texts_of_result
from propsync.shapes.names import settle_labels
from propsync.shapes.options import find_options

_ID = ("id", "uid", "_id", "uuid", "guid", "identifier", "fieldid", "field", "key", "ref", "code", "slug", "name")
_SURE_ID = _ID[:-1]  # names repeat
_NEARLY_ALL = 0.9  # one odd option or result must not decide
_OPTION_ID = ("id", "uid", "_id", "uuid", "identifier", "optionid", "key", "code", "value", "ref")
_NO_FIELD = (*SURE_LABEL, *KINDS, "value", "values")
"""Members of a result that name no field: its labels, and its value, which may be an id of a field by chance."""
_CHOSEN = ("id", "Id", "optionId", "OptionId", "option_id", "option-id", "option", "$oid")
"""Usual names of a chosen option's id in an object."""


def find_definition_shape(
    shape: Shape, types: Sequence[Any], assets: Sequence[Any], results: Path, *, is_whole: bool = True
) -> None:
    """Settles field_id, field_label, field_options, option_id and option_label of the asset types' shape."""
    defined = [entry for asset_type in types for entry in entries(asset_type, FIELDS)]
    if not defined:
        return
    recorded = [entry for asset in assets for entry in entries(asset, results)]
    referred = {*names(recorded), *(text for value in values(recorded) for text in texts_of_result(value))}
    definitions = values(defined)
    field_id = _field_id(types, defined, referred, Mentions(recorded, _NO_FIELD))
    settle(shape, "field_id", field_id, defined, is_whole=is_whole)
    taken = {*shape.paths("field_id"), KIND}
    of_types = [values(entries(one, FIELDS)) for one in types]
    settle(shape, "field_label", find_label(of_types, taken), defined)
    settle_labels(shape, "field_label", definitions, SURE_LABEL)
    settle(shape, "field_options", find_options(definitions, referred), defined)
    lists = [entries(d, path) for d in definitions for path in shape.paths("field_options")]
    options = [option for of_field in lists for option in of_field]
    objects = [option for option in options if isinstance(option.value, dict)]
    if objects or names(options):
        chosen = _chosen(recorded, _of_other_kinds(defined, shape.paths("field_id")))
        settle(shape, "option_id", _option_id(lists, chosen, Mentions(recorded)), options, is_whole=is_whole)
        settle(shape, "option_label", _option_label(lists, shape.paths("option_id")), objects)
        settle_labels(shape, "option_label", values(objects), SURE_LABEL)


def field_ids(types: Sequence[Any], shape: Shape) -> set[str]:
    """The ids of all fields that `types` define, by their known shape."""
    found = (entry.first_text(shape.paths("field_id")) for one in types for entry in entries(one, FIELDS))
    return {field_id for field_id in found if field_id}


def option_ids(types: Sequence[Any], shape: Shape) -> set[str]:
    """The ids of the options of all fields that `types` define, by their known shape; none if options are texts."""
    definitions = values([entry for one in types for entry in entries(one, FIELDS)])
    offered = [one for held in definitions for path in shape.paths("field_options") for one in entries(held, path)]
    return {text for one in offered if (text := one.first_text(shape.paths("option_id")))}


def choice_ids(types: Shape) -> tuple[Path, ...]:
    """Where a chosen option has its id if it is an object: as in the definition, or under a usual name."""
    return (*filter(None, types.paths("option_id")), *((name,) for name in _CHOSEN))


def _chosen(recorded: Sequence[Entry], others: Collection[str]) -> set[str]:
    """The texts of results that may choose options: not those under the id of a field of another kind."""
    choosing = [one.value for one in recorded if _may_choose(one.value) and one.name not in others]
    return {text for value in choosing for text in texts_of_result(value)}


def _of_other_kinds(defined: Sequence[Entry], ids: Sequence[Path]) -> set[str]:
    """The ids of fields that choose no options; those of two types may be equal."""
    found: dict[bool, set[str]] = {True: set(), False: set()}
    for one in defined:
        found[text_of(follow(one.value, KIND)) == "option"].update(filter(None, [one.first_text(ids)]))
    return found[False] - found[True]


def _may_choose(value: Any) -> bool:
    """Whether a result may choose options: one keyed by its field need not say its kind."""
    return follow(value, KIND) in (None, "option")


def _field_id(types: Sequence[Any], defined: Sequence[Entry], referred: set[str], mentions: Mentions) -> Choice | None:
    """Finds the member that is unique among a type's fields and that results refer to, though one odd type differs."""
    paths = [path for path in text_paths(values(defined)) if path != KIND]
    shares = {path: _unique_share(types, path) for path in paths}
    inside = [path for path in paths if shares[path] == 1]
    if len(names(defined)) < len(defined) / 2:
        inside = inside or [path for path in paths if shares[path] > 0.5]
        inside += _odd_ids([entries(one, FIELDS) for one in types], referred, inside)
    groups = [entries(one, FIELDS) for one in types]
    evidence = "of them are named by assets; it differs in each field of a type"
    return _identifier(groups, inside, referred, mentions, _ID, evidence)


def _odd_ids(groups: Sequence[Sequence[Entry]], referred: set[str], unique: Sequence[Path]) -> list[Path]:
    """Other members that look like ids, which a few of a type's fields or of a field's options lack or repeat. One
    without an id must not make ids of all the labels. Results name them as often as any of the `unique` ones, and far
    more often than other ids. Without the name of an id, they need results that do so.
    """
    found = [entry for group in groups for entry in group]
    known = referred.difference(KINDS)  # each result says its kind, and definitions may say it again
    shares = {path: spoken_for(found, path, known) for path in text_paths(values(found))}
    least = max((shares[path] * (2 if _is_named_id(path) else 1) for path in unique), default=0.0)
    named = [path for path, share in shares.items() if _is_named_id(path) and share >= least]
    if not any(map(_is_named_id, unique)):
        most = max((shares[path] for path in unique), default=0.0)
        named += [path for path, share in shares.items() if path not in named and share >= max(SPEAKS, 2 * most)]
    return [path for path in named if path not in unique and _own_share(groups, path) > 0.5]


def _is_named_id(path: Path) -> bool:
    return rank(path, _SURE_ID) < len(_SURE_ID)


def _own_share(groups: Sequence[Sequence[Entry]], path: Path) -> float:
    """The share of definitions with a text of their own among those of their group."""
    return sum(len(set(texts(values(group), path))) for group in groups) / sum(map(len, groups))


def _identifier(
    groups: Sequence[Sequence[Entry]],
    inside: Sequence[Path],
    known: set[str],
    mentions: Mentions,
    likely: Sequence[str],
    evidence: str,
) -> Choice | None:
    """The one of `inside`, or the name in an object, that matches most known values. Likely names come first if a
    quarter of their values is known: many numbers of assets are the `position` of a field too.

    Only the types, or the lists of options, with a known value count: of the others, assets may use none yet. If arrays
    occur beside objects, propsync tries the best of `inside` after the name. Results may name a field by its id and its
    label. So a member comes later if they say its values in labels, beside the values of another member.
    """
    found = [entry for group in groups for entry in group]
    candidates = [*inside, *([NAME] if names(found) else [])]
    if not candidates:
        return None

    def share_of(path: Path, known: set[str] = known) -> float:
        used = [group for group in groups if any(entry.text(path) in known for entry in group)]
        return spoken_for([entry for group in used for entry in group], path, known)

    said = {path: {text for entry in found if (text := entry.text(path))} for path in candidates}

    def order(path: Path) -> tuple[bool, bool, float, float, tuple[bool, bool, float], tuple[bool, Path]]:
        share = share_of(path)
        place = rank(path, likely) if path else len(likely) - 1.5  # before `name`, which results may show too
        is_shown = _may_be_label(path, likely) and share_of(path, mentions.plainly & known) * 2 < share
        ids = [one for one in candidates if is_shown and mentions.beside(said[path], said[one]) >= _NEARLY_ALL]
        is_id_beside = any(map(ends_with_id, ids))
        is_unlikely = place >= len(likely) or share < SPEAKS_BY_NAME or is_id_beside
        named = (*_is_named_less_like_an_id(path), _wordy(said[path]))
        return is_unlikely, bool(ids), -share, place, named, spelling(path)

    best = min(candidates, key=order)
    spare = sorted(inside, key=order)[:1] if best == NAME and len(names(found)) < len(found) else []
    what = "the name of the member; " if best == NAME else ""
    return Choice((best, *spare), "found", f"{what}{share_of(best):.0%} {evidence}")


def _may_be_label(path: Path, likely: Sequence[str]) -> bool:
    """Whether its name is that of a label, or says nothing. Results may write the `id` of their field under `name`."""
    if path == NAME or plain(path[-1]) in SURE_LABEL:
        return True
    return rank(path, likely) >= len(likely) and not ends_with_id(path)


def _wordy(texts: Collection[str]) -> float:
    """The share of texts that read like words for people and not like ids: `Fire rating` or `Zustand`; in tenths."""
    words = sum(" " in text or (text[:1].isupper() and text.isalpha()) for text in texts)
    return round(words / len(texts), 1) if texts else 0.0


def _is_named_less_like_an_id(path: Path) -> tuple[bool, bool]:
    """Ranks members of which results name both: one called a label comes last, and one that ends with id first."""
    return bool(path) and plain(path[-1]) in SURE_LABEL, not ends_with_id(path)


def _unique_share(types: Sequence[Any], path: Path) -> float:
    """The number of types with fields in which this text differs from field to field."""
    defining = [of_type for one in types if (of_type := values(entries(one, FIELDS)))]
    unique = [of_type for of_type in defining if len(set(texts(of_type, path))) == len(of_type)]
    return len(unique) / len(defining)


def _option_id(lists: Sequence[Sequence[Entry]], chosen: set[str], mentions: Mentions) -> Choice | None:
    """Finds the member that names chosen options, and that identifies the options of a list.

    A member such as `replacedBy` names them too, in few options of a list or the same one again and again.
    """
    options = [option for of_field in lists for option in of_field]
    paths = text_paths(values(options))
    inside = [path for path in paths if _identifies(lists, path)]
    most = max((len(texts(values(options), path)) for path in inside), default=0)
    usual = [path for path in inside if len(texts(values(options), path)) * 2 >= most]
    if len(names(options)) < len(options) / 2:
        usual += _odd_ids(lists, chosen, usual)
    return _identifier(lists, usual or paths, chosen, mentions, _OPTION_ID, "of them are values of assets")


def _identifies(lists: Sequence[Sequence[Entry]], path: Path) -> bool:
    """Whether the lists that have this member have it in nearly all options, and mostly with different texts."""
    objects = [[one for one in values(of_field) if isinstance(one, dict)] for of_field in lists]
    having = [(found, len(of_field)) for of_field in objects if (found := texts(of_field, path))]
    count = sum(len(found) for found, _ in having)
    different = sum(len(set(found)) for found, _ in having)
    return count >= _NEARLY_ALL * sum(size for _, size in having) and different * 2 > count


def _option_label(lists: Sequence[Sequence[Entry]], ids: Sequence[Path]) -> Choice | None:
    """The label of options. If results name options by it, it is id and label, and an id beside it is no label."""
    groups = [[one for one in values(of_field) if isinstance(one, dict)] for of_field in lists]
    options = [one for group in groups for one in group]
    choice = find_label(groups, set(ids))
    others = [path for path in text_paths(options) if path not in ids]
    beside = [path for path in others if rank(path, _OPTION_ID) < len(_OPTION_ID) or ends_with_id(path)]
    if NAME not in ids and any(names(of_field) for of_field in lists):
        beside.append(NAME)
    is_label = any(path and rank(path, LABEL) < len(LABEL) for path in ids[:1])
    if choice is not None and beside and not any(rank(path, _OPTION_ID) < len(_OPTION_ID) for path in ids[:1]):
        is_label = is_label or choice.paths[0] in beside  # a code, beside a label with a foreign name
    if is_label and (choice is None or (beside and rank(choice.paths[0], LABEL) >= len(LABEL))):
        return Choice(tuple(ids), "found", "by its name; assets name options by their labels")
    return choice
