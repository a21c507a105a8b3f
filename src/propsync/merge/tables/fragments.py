"""Pieces of SQL that follow from shapes: the paths of a model's values in a payload.

All read the copy with exact numbers (see `records.reading`), so their texts pass through `exact_text`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from propsync.records import Path, in_copy
from propsync.shapes import Shape, choice_ids
from propsync.shapes.fields import KIND
from propsync.shapes.results.names import BESIDE, VALUES
from propsync.warehouse import OpenColumns, coalesced, json_path, text

_NAME = "name"  # the models' column for the name of a member of an object; NULL for members of arrays


def record_fragments(shape: Shape, columns: OpenColumns) -> dict[str, str]:
    """The values that models read from a record; `members` have the order of `record_members`."""
    roles = ("property", "type", "status")
    members, member = _members([*(path for role in roles for path in shape.paths(role)), *columns.columns])
    return {
        "record_members": members,
        "open_columns": columns.select_list(lambda source: f"staging.exact_value({member[source]})"),
        **{role: exact(_first(coalesced(member[path], [()]) for path in shape.paths(role))) for role in roles},
    }


def open_columns(columns: OpenColumns, column: str) -> str:
    """The end of a select list that reads each open column from the JSON in `column`."""
    return columns.select_list(lambda source: f"staging.exact_value({column}->{text(json_path(in_copy(source)))})")


def exact(value: str) -> str:
    """A text as the API sends it."""
    return f"staging.exact_text({value})"


def definition_fragments(shape: Shape) -> dict[str, str]:
    options = shape.paths("field_options")
    return {
        "field_id": _id_in("definition", shape.paths("field_id")),
        "field_label": _label_at(shape.paths("field_label")),
        "field_options": json_at(options, "definition"),
        "option_id": _id_in("option", shape.paths("option_id")),
        "option_label": exact(coalesced("option", map(in_copy, shape.paths("option_label")))),
    }


def json_at(paths: Sequence[Path], column: str = "payload") -> str:
    """The JSON at the first of `paths` that leads to any; a piece of SQL."""
    return _any_of([f"{column}->{text(json_path(in_copy(path)))}" for path in paths]) if paths else "null::json"


def _label_at(paths: Sequence[Path]) -> str:
    """The first text that one of `paths` leads to in a definition, the empty one included."""
    tried = [f"definition->>{text(json_path(in_copy(path)))}" for path in paths]
    # an object at one place may hold the label at another
    checked = [
        f"if(json_type(definition, {text(json_path(in_copy(path)))}) = 'OBJECT', null, {one})"
        for path, one in zip(paths, tried, strict=True)
    ]
    return exact(tried[0] if len(tried) == 1 else f"coalesce({', '.join(checked)})") if tried else "null::varchar"


def result_fragments(references: Sequence[Path], values: Mapping[str, Sequence[Path]]) -> dict[str, str]:
    """The values that models read from a field result; `members` have the order of `result_members`, its kind first.

    A member in `named_members` is no value; nor is one whose plain name is in `plain_members`. One in
    `holding_members` is the object around a value. A name in `value_members`, with `value` in place of the kind, says
    that it is a value.
    """
    of_kinds = dict(sorted(values.items()))
    places = list(dict.fromkeys(chain.from_iterable(of_kinds.values())))
    members, member = _members([KIND, *filter(None, references), *filter(None, places)])
    around = {path: _names_inside(path, [KIND, *references]) for path in places}
    member |= {path: _rest(member.get(path, "result"), names) for path, names in around.items() if names}
    tried = (coalesced(member[path], [()]) if path else _NAME for path in references)
    return {
        "result_members": members,
        "result_field": exact(_first([*tried, _NAME])),
        "result_value": _value_by_kind(
            {
                kind: _said_at([_filled(kind, path, around, _outside(path, paths, member)) for path in paths])
                for kind, paths in of_kinds.items()
            }
        ),
        "named_members": _texts([KIND[0], *(in_copy(path)[0] for path in references if path)]),
        "holding_members": _texts(in_copy(path)[0] for paths in of_kinds.values() for path in paths if len(path) > 1),
        "plain_members": _texts(BESIDE),
        "value_members": _texts(VALUES),
    }


def value_fragments(types: Shape) -> dict[str, str]:
    """The values that models read from a chosen option, if it is an object."""
    return {"option_reference": exact(coalesced("option", map(in_copy, choice_ids(types))))}


def _members(paths: Iterable[Path]) -> tuple[str, dict[Path, str]]:
    """Paths for one `json_extract`, which parses its JSON once for all of them, and the position of each in its
    result.
    """
    different = list(dict.fromkeys(paths)) or [KIND]
    paths_listed = ", ".join(text(json_path(in_copy(path))) for path in different)
    return f"[{paths_listed}]", {path: f"members[{place}]" for place, path in enumerate(different, 1)}


def _id_in(column: str, paths: Sequence[Path]) -> str:
    """An id in the JSON in `column`; an empty path, or one that breaks off, gives the name above the JSON."""
    return exact(_first([*(coalesced(column, [in_copy(path)]) if path else _NAME for path in paths), _NAME]))


def _first(tried: Iterable[str]) -> str:
    return f"coalesce({', '.join(['null::varchar', *tried])})"


def _any_of(tried: Sequence[str]) -> str:
    """The first JSON that exists, null included."""
    return tried[0] if len(tried) == 1 else f"coalesce({', '.join(tried)})"


def _outside(path: Path, paths: Sequence[Path], member: Mapping[Path, str]) -> str:
    """The JSON at `path`, unless it is an object that has a deeper one of `paths`. A whole result is none."""
    deeper = [member[one] for one in paths if path and len(one) > len(path) and one[: len(path)] == path]
    return f"if(coalesce({', '.join(deeper)}) is null, {member[path]}, null)" if deeper else member[path]


def _said_at(tried: Sequence[str]) -> str:
    """The first JSON that says something; if none does, the first one that exists."""
    return tried[0] if len(tried) == 1 else f"staging.first_said([{', '.join(tried)}])"


def _names_inside(holder: Path, paths: Iterable[Path]) -> list[str]:
    """The members of a holder that lead to one of `paths`."""
    return [path[len(holder)] for path in paths if len(path) > len(holder) and path[: len(holder)] == holder]


def _rest(held: str, names: Iterable[str]) -> str:
    """The members of the JSON object `held` without nulls, kind and reference (`names`); NULL if none is left."""
    without = text(json.dumps(dict.fromkeys((in_copy((name,))[0] for name in names), None)))
    return f"nullif(json_merge_patch('{{}}', json_merge_patch({held}, {without}))::varchar, '{{}}')::json"


def _filled(kind: str, path: Path, around: Mapping[Path, Sequence[str]], held: str) -> str:
    """A pin that is the rest of a result, unless it has only what any result has, such as a label: nobody set it."""
    if kind != "pin" or not around[path]:
        return held
    plain = "list_transform(json_keys(one), lambda member: staging.plain_name(member))"
    return f"list_filter([{held}], lambda one: not list_has_all({_texts(BESIDE)}, {plain}))[1]"


def _texts(listed: Iterable[str]) -> str:
    return f"[{', '.join(map(text, dict.fromkeys(listed)))}]"


def _value_by_kind(members: dict[str, str]) -> str:
    """A result's value as JSON; a new kind has its value under `value`, or under its own name."""
    branches = "".join(f" when {text(kind)} then {member}" for kind, member in members.items())
    unknown = "coalesce(result->'$.\"value\"', result->('$.\"' || replace(kind, '\"', '') || '\"'))"
    return f"case coalesce(own_kind, ''){branches} else {unknown} end" if branches else unknown
