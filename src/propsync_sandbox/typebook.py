"""Asset types with their fields (API §2.1) and assessment types (API §2.5), which can be renamed at any time.

Of a field definition, only `type` is documented. Here a definition is `{"id", "type", "label", "options":
[{"id", "label"}]}`, with the undocumented kinds `date` and `time` for fields that results have and documented
definitions do not.
"""

import threading
from random import Random

from .catalogue import FieldSketch, TypeSketch, asset_type_sketches
from .duties import ASSESSMENT_TYPES
from .identity import new_uid
from .jsontext import JsonObject, encode


def _field_definition(sketch: FieldSketch, rng: Random) -> JsonObject:
    definition: JsonObject = {"id": new_uid(rng), "type": sketch.kind, "label": sketch.label}
    if sketch.options:
        definition["options"] = [{"id": new_uid(rng), "label": label} for label in sketch.options]
    return definition


def _asset_type(sketch: TypeSketch, rng: Random) -> JsonObject:
    fields = [_field_definition(field, rng) for field in sketch.fields]
    return {"id": new_uid(rng), "name": sketch.name, "nameSingular": sketch.name_singular, "fields": fields}


class TypeBook:
    """Types by id. `listed_json` is the API's view of them; hidden types stay valid but no longer appear."""

    def __init__(self, lock: threading.RLock, rng: Random, types: list[JsonObject], weights: list[int]) -> None:
        self.lock = lock
        self.rng = rng
        self._by_id: dict[str, JsonObject] = {kind["id"]: kind for kind in types}
        self._weights = weights
        self._ids = list(self._by_id)
        self._hidden: set[str] = set()
        self._listed: bytes | None = None

    def __contains__(self, type_id: object) -> bool:
        return type_id in self._by_id

    def ids(self) -> list[str]:
        with self.lock:
            return list(self._ids)

    def get(self, type_id: str) -> JsonObject:
        """The live definition: change it through this class only. KeyError when unknown."""
        return self._by_id[type_id]

    def truth(self) -> list[JsonObject]:
        """The types that the API lists now."""
        with self.lock:
            return [kind for type_id, kind in self._by_id.items() if type_id not in self._hidden]

    def pick(self, rng: Random | None = None) -> str:
        """A type id, common types more often."""
        chosen: str = (rng or self.rng).choices(self._ids, self._weights)[0]
        return chosen

    def named(self, names: set[str]) -> set[str]:
        """The ids meant by ids or plural names (API §4.2, query parameter `type`)."""
        with self.lock:
            return {type_id for type_id, kind in self._by_id.items() if type_id in names or kind["name"] in names}

    def listed_json(self) -> bytes:
        """The JSON array of the listed types, encoded once until something changes."""
        with self.lock:
            if self._listed is None:
                self._listed = encode(self.truth())
            return self._listed

    def rename(self, type_id: str, name: str) -> None:
        self._change(self._by_id[type_id], "name", name)

    def hide(self, type_id: str, hidden: bool = True) -> None:
        """Hides a type: lists no longer show it, though records may still refer to it."""
        with self.lock:
            (self._hidden.add if hidden else self._hidden.discard)(type_id)
            self._listed = None

    def add(self, name: str, **members: object) -> str:
        with self.lock:
            type_id = new_uid(self.rng)
            self._by_id[type_id] = {"id": type_id, "name": name, **members}
            self._ids.append(type_id)
            self._weights.append(1)
            self._listed = None
            return type_id

    def _change(self, definition: JsonObject, member: str, value: object) -> None:
        with self.lock:
            definition[member] = value
            self._listed = None


class AssetTypes(TypeBook):
    """Asset types, with edits of their fields."""

    def field(self, type_id: str, field_id: str) -> JsonObject:
        """The definition of one field; KeyError when the type has no such field."""
        for definition in self.fields(type_id):
            if definition["id"] == field_id:
                return definition
        raise KeyError(field_id)

    def fields(self, type_id: str) -> list[JsonObject]:
        definitions: list[JsonObject] = self.get(type_id)["fields"]
        return definitions

    def rename_field(self, type_id: str, field_id: str, label: str) -> None:
        self._change(self.field(type_id, field_id), "label", label)

    def rename_option(self, type_id: str, field_id: str, option_id: str, label: str) -> None:
        options = self.field(type_id, field_id)["options"]
        self._change(next(option for option in options if option["id"] == option_id), "label", label)

    def add_field(self, type_id: str, kind: str, label: str, options: tuple[str, ...] = ()) -> str:
        with self.lock:
            definition = _field_definition(FieldSketch(kind, label, options), self.rng)
            self._change(self.get(type_id), "fields", [*self.fields(type_id), definition])
            field_id: str = definition["id"]
            return field_id

    def remove_field(self, type_id: str, field_id: str) -> None:
        """Removes the definition; results already in assets stay, as in any live system."""
        with self.lock:
            left = [definition for definition in self.fields(type_id) if definition["id"] != field_id]
            self._change(self.get(type_id), "fields", left)


def seeded_asset_types(lock: threading.RLock, rng: Random) -> AssetTypes:
    sketches = asset_type_sketches()
    return AssetTypes(lock, rng, [_asset_type(s, rng) for s in sketches], [s.weight for s in sketches])


def seeded_assessment_types(lock: threading.RLock, rng: Random) -> TypeBook:
    """`{"id", "name", "isActive"}`; the API's document shows no field of an assessment type (§2.5)."""
    types = [{"id": new_uid(rng), "name": name, "isActive": True} for name in ASSESSMENT_TYPES]
    return TypeBook(lock, rng, types, [1] * len(types))
