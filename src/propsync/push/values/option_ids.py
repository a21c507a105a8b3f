"""The ids that a write gives options (API §2.3), where assets name their options by a label."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from propsync.errors import InvalidValue
from propsync.push.plan import FieldChange
from propsync.records import Path, decode
from propsync.shapes import Shape
from propsync.shapes.entries import Entry, entries
from propsync.shapes.fields import FIELDS
from propsync.shapes.members import plain

_IDS = ("id", "uid", "uuid", "guid", "optionid")
_SAY_ID = (*_IDS, "key", "code", "ref")
_Names = Mapping[tuple[str, str], Mapping[str, set[str]]]
"""The ids of the options with a name, by asset type and field."""


class OptionIds:
    """Knows the ids of options whose names in the tables are none."""

    def __init__(self, names: _Names) -> None:
        self._names = names

    @classmethod
    def of(cls, types: Shape, definitions: Mapping[str, str]) -> OptionIds:
        """By the shape of asset types, and their JSON by id."""
        names: dict[tuple[str, str], dict[str, set[str]]] = {}
        for type_id, body in definitions.items():
            for field in entries(decode(body), FIELDS):
                if field_id := field.first_text(types.paths("field_id")):
                    names[type_id, field_id] = _named(field.value, types)
        return cls(names)

    def written(self, type_id: str, change: FieldChange) -> Any:
        """A new value as a write has it. Raises InvalidValue if several options have its name."""
        of_field = self._names.get((type_id, change.field))
        if not of_field or change.kind != "option" or not isinstance(change.new, list):
            return change.new
        return [_only_id(change, one, of_field.get(one, {one})) for one in change.new]


def names_no_ids(types: Shape) -> bool:
    """Whether assets may name options by something else than their ids."""
    first = types.paths("option_id")[:1]
    return any(path and plain(path[-1]) not in _SAY_ID for path in first)


def _only_id(change: FieldChange, name: str, ids: set[str]) -> str:
    if len(ids) > 1:
        what = f"{len(ids)} of its options are called {name}"
        raise InvalidValue(f"the field {change.label}", what, "Several of its options have this name: rename them")
    return next(iter(ids))


def _named(definition: Any, types: Shape) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for option in options_of(definition, types.paths("field_options")):
        name, option_id = option.first_text(types.paths("option_id")), id_of(option)
        if name and option_id:
            found[name].add(option_id)
    return dict(found)


def options_of(definition: Any, paths: tuple[Path, ...]) -> Iterator[Entry]:
    """The options at the first of the paths that leads to any."""
    yield from next(filter(None, (entries(definition, path) for path in paths)), [])


def id_of(option: Entry) -> str | None:
    """The member that is called id, else the name under which the object of options has it."""
    members = option.value if isinstance(option.value, dict) else {}
    held = {plain(name): option.text((name,)) for name in members}
    return next((held[name] for name in _IDS if held.get(name)), option.name)
