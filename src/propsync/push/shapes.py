"""How answers of the API are read, by the shapes that the last published run knew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from propsync.merge import overridden, stored_shape
from propsync.push.asset_values import AssetShape
from propsync.push.fields import WRITABLE
from propsync.push.option_ids import OptionIds, names_no_ids
from propsync.push.plan import Entry
from propsync.records import Cutter, Path
from propsync.resources import ASSET_TYPES, ASSETS, BUILT_IN
from propsync.shapes import Shape, configured, cutter_of
from propsync.suppression import Suppression
from propsync.warehouse import PublishedReader, statement

Kinds = Mapping[str, Mapping[str, str]]
"""The kind of each field, by asset type and field."""


@dataclass(frozen=True)
class AssetReading:
    """An asset as an answer shows it: where it is, and its values by field id."""

    asset_id: str
    property_id: str
    type_id: str
    values: Mapping[str, Any]


class AssetAnswers:
    """Reads pages of assets, as the tables show them: without what was erased. It knows how a write names options."""

    def __init__(
        self, assets: Shape, types: Shape, kinds: Kinds, suppression: Suppression, definitions: Mapping[str, str]
    ) -> None:
        """`definitions` are asset types in JSON by id; none are needed if assets name options by their ids."""
        self._suppression = suppression
        self._option_ids = OptionIds.of(types, definitions)
        self._shape = AssetShape.of(assets, types)
        self._kinds = kinds
        page = cutter_of(assets, ASSETS)
        roles: tuple[tuple[Path, ...], ...] = tuple(assets.paths(role) for role in ("id", "property", "type"))
        self._cutter = Cutter(page.list_path, roles)

    @classmethod
    def published(cls, reader: PublishedReader, overrides: Mapping[str, Any], suppression: Suppression) -> AssetAnswers:
        """By the shapes and types of a published file, and what propsync.toml says instead."""
        _, rows = reader.rows(statement("merge/shapes"))

        def shape(resource: str) -> Shape:
            stored = stored_shape(resource, [row[1:] for row in rows if row[0] == resource])
            return overridden(stored, configured(overrides, resource, BUILT_IN))

        kinds: dict[str, dict[str, str]] = {}
        for type_id, field_id, kind in reader.rows(statement("push/kinds_of_fields"))[1]:
            kinds.setdefault(type_id, {})[field_id] = kind
        types = shape(ASSET_TYPES.name)
        definitions = dict(reader.rows(statement("push/definitions"))[1]) if names_no_ids(types) else {}
        return cls(shape(ASSETS.name), types, kinds, suppression, definitions)

    def cut(self, body: bytes) -> tuple[int | None, list[AssetReading]]:
        """The total and the assets of a page; those without an id, a property or a type are left out,
        and so are erased assets."""
        page = self._cutter.cut(self._suppression.json(body))
        found = ((self._cutter.key(record), record) for record in page.records)
        return page.total, [self._reading(key, record) for key, record in found if key]

    def _reading(self, key: tuple[str, ...], record: msgspec.Raw) -> AssetReading:
        asset_id, property_id, type_id = key
        return AssetReading(asset_id, property_id, type_id, self.values_of(record, type_id))

    def may_write(self, type_id: str, field_id: str) -> bool:
        """Whether a write may have this field: none can have an image, a file or a pin."""
        kind = self._kinds.get(type_id, {}).get(field_id)
        return kind is None or kind in WRITABLE

    def written(self, entry: Entry) -> dict[str, Any]:
        """The new values of an entry by field, as a write has them (API §2.3). Raises InvalidValue."""
        return {one.field: self._option_ids.written(entry.type_id, one) for one in entry.changes}

    def values_of(self, record: bytes | msgspec.Raw, type_id: str) -> dict[str, Any]:
        """The values of one asset by field id."""
        return self._shape.values_of(record, self._kinds.get(type_id, {}))
