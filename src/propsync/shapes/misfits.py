"""Notices values of fields that mostly do not fit their kind, and lists of options that propsync cannot read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from propsync.records import Path, calendar_day, first_text, follow, text_of
from propsync.shapes.choice import UNREAD, Choice, Shape
from propsync.shapes.definitions import choice_ids
from propsync.shapes.entries import Entry, entries
from propsync.shapes.fields import FIELDS, KIND, WHOLE
from propsync.shapes.members import as_list, is_blank, leads_on, plain
from propsync.shapes.results.looks import is_number
from propsync.shapes.results.pins import has_places, is_whole_pin

_Place = tuple[str | None, str | None]
"""The ids of a type and of one of its fields."""
_ENOUGH = 5  # odd values; fewer are rows of `ops.value_issues` alone
_COLUMNS = ("number", "date", "time", "image", "file", "pin")
"""The kinds of fields whose column has values of other kinds as NULL."""
_CHOSEN = ("selected", "chosen", "checked", "ticked", "picked")
_CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?")


def settle_values(types: Shape, assets: Shape, listed: Sequence[Any], records: Sequence[Any]) -> None:
    """Settles the values of a kind as unread if most do not fit it, or none of one field does. So it does if they are
    most of those in columns of another kind. It settles lists of options so if most are no options.

    The places stay, and the values are in `value_text` or `value_json`. What people set stays too.
    """
    offered = list(_offered(types, listed))
    ids = {text for one in offered for text in (one.name, text_of(one.value), *_inner_texts(one, types)) if text}
    fits = {"number": is_number, "date": _is_date, "time": _is_time, "option": _is_choice(types, ids)}
    # a pin that is a number is one of its two places, and the other is a member of its own
    fits |= {"text": _is_scalar, "qr": _is_scalar, "pin": lambda held: not is_number(held)}
    found = [said for said in _said(types, assets, listed, records) if said[2] in fits]
    of_others = _of_other_kinds([(kind, own) for _, kind, own, _ in found])
    for kind, is_fit in fits.items():
        values = [(place, value) for place, _, own, value in found if own == kind]
        odd = [(place, value) for place, value in values if not is_fit(value)]
        shown = f"{len(odd)} of {len(values)} values do not fit the kind {kind}"
        joined = [value for _, value in odd if kind == "option" and _joins_options(value, ids)]
        is_unread = _are_most(len(odd), len(values)) or len(joined) >= _ENOUGH
        of_field = _of_one_field(kind, [place for place, _ in values], [place for place, _ in odd])
        _mark(assets, f"result_value:{kind}", shown if is_unread else of_field or of_others.get(kind), (WHOLE,))
    arrays = sum(isinstance(one.value, list) for one in offered)
    words = "most options are arrays, where propsync expects objects or texts"
    _mark(types, "field_options", words if arrays * 2 > len(offered) else _none_offered(types, assets, listed, records))


def _none_offered(types: Shape, assets: Shape, listed: Sequence[Any], records: Sequence[Any]) -> str | None:
    """The evidence if no choice is an option of its field, though the list has it elsewhere, as in `{"Good": "o1"}`.

    Options that a field no longer offers are nowhere in its list.
    """
    fields = _fields(types, listed)
    ids = {place: _ids_offered(types, defined) for place, defined in fields.items()}
    words = {place: set(_words(_lists(types, defined))) for place, defined in fields.items()}
    made = [(place, value) for place, value in _choices_made(assets, records) if ids.get(place)]
    chosen = [(place, choice) for place, value in made for choice in _choices(value, types) if choice]
    elsewhere = sum(choice in words[place] for place, choice in chosen)
    if elsewhere < _ENOUGH or any(choice in ids[place] for place, choice in chosen):
        return None
    return f"{elsewhere} choices of assets are in the lists of their fields, and none where propsync expects the ids"


def _of_one_field(kind: str, places: Sequence[_Place], odd: Sequence[_Place]) -> str | None:
    """The evidence if no value of a field fits: its column is NULL, though others of the kind are read."""
    counts = Counter(places)
    lost = [one for one in Counter(odd).items() if _ENOUGH <= one[1] == counts[one[0]]]
    if not lost:
        return None
    (_, field), count = lost[0]
    more = f", nor of {len(lost) - 1} further fields" if len(lost) > 1 else ""
    return f"none of {count} values of the field {field}{more} fits the kind {kind}"


def _of_other_kinds(found: Sequence[tuple[str | None, str]]) -> dict[str, str]:
    """The evidence, by their kind, of results whose fields have a kind for which their column has no place."""
    counts, pairs = Counter(kind for kind, _ in found), Counter(found)
    return {
        own: f"{count} of {counts[kind]} values of fields of the kind {kind} are of the kind {own}"
        for (kind, own), count in pairs.items()
        if kind in _COLUMNS and own != kind and _are_most(count, counts[kind])
    }


def _are_most(odd: int, count: int) -> bool:
    return odd >= _ENOUGH and odd * 2 > count


def _mark(shape: Shape, part: str, evidence: str | None, place: tuple[Path, ...] = ()) -> None:
    """Marks a part as unread, or as found again. A part without a finding of its own is at `place`."""
    choice = shape.choices.get(part)
    if choice is not None and choice.source == "configured":
        return
    if evidence and (choice is not None or place):
        shape.choices[part] = Choice(choice.paths if choice else place, UNREAD, evidence)
    elif choice is not None and choice.source == UNREAD and choice.paths == (WHOLE,):
        del shape.choices[part]  # a value under the id of its field has no place of its own
    elif choice is not None and choice.source == UNREAD:
        shape.choices[part] = Choice(choice.paths, "found", "no value shows otherwise")


def _said(
    types: Shape, assets: Shape, listed: Sequence[Any], records: Sequence[Any]
) -> Iterator[tuple[_Place, str | None, str, Any]]:
    """The values in these assets where propsync reads them, each with its field, the kind of that and its own.

    A part of a pin, such as the floor plan beside `x` and `y`, comes as a number, which is no pin.
    """
    kinds = {place: text_of(follow(defined.value, KIND)) for place, defined in _fields(types, listed).items()}
    of_type = [(first_text(one, assets.paths("type")), result) for one in records for result in entries(one, FIELDS)]
    for asset_type, result in of_type:
        place = asset_type, result.first_text(assets.paths("result_field"))
        kind = kinds.get(place)
        own = text_of(follow(result.value, KIND))
        if own is not None:
            paths = assets.paths(f"result_value:{own}")
            held = [one for path in paths if not leads_on(one := follow(result.value, path), path, paths)]
        else:
            own, held = kind or "", [] if result.name is None else [result.value]
        said = [value for value in held if not is_blank(value)][:1]
        is_part = own == "pin" and not any(map(is_whole_pin, said)) and has_places(result.value)
        yield from [(place, kind, own, value) for value in ([0] if is_part else said)]


def _choices_made(assets: Shape, records: Sequence[Any]) -> Iterator[tuple[_Place, Any]]:
    """The values of options, each with its field."""
    paths = assets.paths("result_value:option")
    of_type = [(first_text(one, assets.paths("type")), result) for one in records for result in entries(one, FIELDS)]
    for asset_type, result in of_type:
        if text_of(follow(result.value, KIND)) == "option":
            place = asset_type, result.first_text(assets.paths("result_field"))
            held = (follow(result.value, path) for path in paths)
            yield from [(place, value) for value in held if not is_blank(value)][:1]


def _fields(types: Shape, listed: Sequence[Any]) -> dict[_Place, Entry]:
    """The fields of each type: two types may each have a field of the same id, of different kinds."""
    return {
        (first_text(one, types.paths("id")), defined.first_text(types.paths("field_id"))): defined
        for one in listed
        for defined in entries(one, FIELDS)
    }


def _is_scalar(held: Any) -> bool:
    return not isinstance(held, dict | list)


def _is_date(held: Any) -> bool:
    # programs of .NET write the first day there is for no date
    return isinstance(held, str) and (calendar_day(held) is not None or held.startswith("0001-01-01"))


def _is_time(held: Any) -> bool:
    return isinstance(held, str) and _CLOCK.fullmatch(held) is not None


def _is_choice(types: Shape, ids: Collection[str]) -> Callable[[Any], bool]:
    """Whether a value names options. A text such as `o1,o2` does not, unless a field has that option.

    Nor does a list of all options that marks some as not chosen.
    """

    def is_joined(held: Any) -> bool:
        return isinstance(held, str) and "," in held and held not in ids

    return lambda held: all(_choices(held, types)) and not is_joined(held) and not any(map(_is_unchosen, as_list(held)))


def _joins_options(held: Any, ids: Collection[str]) -> bool:
    """Whether a text lists several options: the single choices beside it may be read, but this is no accident."""
    parts = [part.strip() for part in held.split(",")] if isinstance(held, str) else []
    return len(parts) > 1 and all(part in ids for part in parts)


def _choices(held: Any, types: Shape) -> list[str | None]:
    """The ids of the options that a value names, None for what names none."""
    paths = choice_ids(types)
    return [first_text(one, paths) if isinstance(one, dict) else text_of(one) for one in as_list(held)]


def _is_unchosen(choice: Any) -> bool:
    members = choice.items() if isinstance(choice, dict) else ()
    return any(held is False and plain(name).removeprefix("is") in _CHOSEN for name, held in members)


def _inner_texts(option: Entry, types: Shape) -> Iterator[str | None]:
    """The id of an option that is an object, and its label: results may choose by either."""
    for path in (*types.paths("option_id"), *types.paths("option_label")):
        yield option.text(path)


def _lists(types: Shape, defined: Entry) -> list[Any]:
    return [follow(defined.value, path) for path in types.paths("field_options")]


def _ids_offered(types: Shape, defined: Entry) -> set[str]:
    """The ids of the options of a field; texts are ids themselves."""
    ids = types.paths("option_id")
    return {text for one in _options(types, defined) if (text := one.first_text(ids) or text_of(one.value))}


def _words(held: Any) -> Iterator[str]:
    """Each text and each name of a member, at any depth."""
    if isinstance(held, dict):
        yield from held
        held = list(held.values())
    for inner in held if isinstance(held, list) else ():
        yield from _words(inner)
    if text := text_of(held):
        yield text


def _options(types: Shape, defined: Entry) -> list[Entry]:
    return [one for path in types.paths("field_options") for one in entries(defined.value, path)]


def _offered(types: Shape, listed: Sequence[Any]) -> Iterator[Entry]:
    """The options of all fields."""
    for one in listed:
        for defined in entries(one, FIELDS):
            yield from _options(types, defined)
