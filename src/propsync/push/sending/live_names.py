"""Names that the API has changed since the last sync: a person reviewed the plan by names, and the API stores ids."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from propsync.api import Api, page_request
from propsync.errors import ApiUnreachable, ResourceFailed
from propsync.push.plan import CREATE, Entry, FieldChange
from propsync.push.values.exchanged import ITS_TYPE, place_of
from propsync.push.values.fields import is_other_name, is_passed_on
from propsync.push.values.option_ids import id_of, options_of
from propsync.records import PayloadUnreadable, decode, text_of
from propsync.resources import ASSET_TYPES, ListQuery
from propsync.shapes import Shape, cutter_of
from propsync.shapes.entries import entries
from propsync.shapes.fields import FIELDS
from propsync.suppression import Suppression

_log = logging.getLogger("propsync.push")
_Name = str | None
_Options = dict[str, tuple[_Name, _Name]]


@dataclass(frozen=True)
class _Names:
    """The name of a type, the labels of its fields, and by field the label and the id of each option."""

    name: _Name
    labels: dict[str, _Name]
    options: dict[str, _Options]

    @classmethod
    def of(cls, definition: str | bytes, types: Shape) -> _Names:
        """By the shape of asset types."""
        body = decode(definition)
        fields = {one.first_text(types.paths("field_id")) or "": one for one in entries(body, FIELDS)}
        labels = {key: one.first_text(types.paths("field_label")) for key, one in fields.items()}
        return cls(text_of(body.get("name")), labels, {key: _options(one.value, types) for key, one in fields.items()})

    def differ(self, then: _Names, change: FieldChange) -> bool:
        """Whether the field or a new option of a change has another name than `then`."""
        is_other = is_passed_on(then.labels.get(change.field), self.labels.get(change.field), self.labels.values())
        old, new = then.options.get(change.field, {}), self.options.get(change.field, {})
        chosen = [one for one in change.new if one in old and one in new] if isinstance(change.new, list) else []
        return is_other or any(is_other_name(*pair) for one in chosen for pair in zip(old[one], new[one], strict=True))


@dataclass(frozen=True)
class LiveNames:
    """Compares the asset types of the tables, in JSON by id, with those of the API."""

    types: Shape
    definitions: Mapping[str, str]
    suppression: Suppression

    def renamed(self, api: Api, unsent: Collection[Entry]) -> list[str]:
        """The places of entries whose type, fields or options have other names at the API than in the tables.

        Raises ApiUnreachable. If the API does not list its types, a warning says so.
        """
        try:
            listed = self._listed(api) if unsent else {}
        except ApiUnreachable:
            raise
        except (ResourceFailed, PayloadUnreadable) as error:
            _log.warning("propsync cannot see whether names in the plan have changed since the last sync: %s", error)
            return []
        named = {one.name for one in listed.values()}
        then = {key: _Names.of(self.definitions[key], self.types) for key in self.definitions.keys() & listed.keys()}
        of_known = [(one, then[one.type_id], listed[one.type_id]) for one in unsent if one.type_id in then]
        return [place for entry, old, new in of_known for place in _places(entry, old, new, named)]

    def _listed(self, api: Api) -> dict[str, _Names]:
        body = self.suppression.json(api.fetch(page_request(ASSET_TYPES, ListQuery("all"), 0)).body)
        cutter = cutter_of(self.types, ASSET_TYPES)
        return {
            key[0]: _Names.of(bytes(one), self.types) for one in cutter.cut(body).records if (key := cutter.key(one))
        }


def _options(definition: object, types: Shape) -> _Options:
    found = options_of(definition, types.paths("field_options"))
    paths, labels = types.paths("option_id"), types.paths("option_label")
    return {one.first_text(paths) or "": (one.first_text(labels), id_of(one)) for one in found}


def _places(entry: Entry, then: _Names, now: _Names, named: Iterable[_Name]) -> list[str]:
    is_of_other = entry.action == CREATE and is_passed_on(then.name, now.name, named)
    changed = [one.label for one in entry.changes if now.differ(then, one)]
    return [place_of(entry, name) for name in ([ITS_TYPE, *changed] if is_of_other else changed)]
