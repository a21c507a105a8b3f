"""Property assets (API §2.2) and their events."""

import threading
from collections.abc import Mapping
from datetime import date, timedelta
from random import Random

from .calendar import Calendar
from .catalogue import asset_type_sketches
from .identity import new_uid
from .jsontext import JsonObject
from .people import Properties
from .shelf import Key, Record, Shelf
from .typebook import AssetTypes
from .values import Past, field_result, first_label, is_due, is_seen, made_up_results, made_up_value

_IN_BLOCKS = {sketch.name for sketch in asset_type_sketches()} - {"Boilers", "Playground equipment"}


class Assets(Shelf):
    """Keyed by asset id."""

    resource = "assets"

    def __init__(
        self, lock: threading.RLock, rng: Random, types: AssetTypes, properties: Properties, calendar: Calendar
    ) -> None:
        super().__init__(lock, rng)
        self.types = types
        self.properties = properties
        self.calendar = calendar

    def add(
        self,
        property: str | None = None,
        type: str | None = None,
        values: Mapping[str, object] | None = None,
        *,
        id: str | None = None,
        rng: Random | None = None,
    ) -> str:
        """Adds an asset and makes up any member not given. Returns its id."""
        rng = rng or self.rng
        with self.lock:
            type_id = type or self.types.pick(rng)
            fields = self._made_up_fields(type_id, rng) if values is None else self._given_fields(type_id, values)
            key = id or new_uid(rng)
            property_id = property or self._pick_property(type_id, rng)
            self._put(key, {"id": key, "property": property_id, "type": type_id, "fields": fields})
            return key

    def edit(self, key: str, values: Mapping[str, object]) -> Record:
        """Sets values by field id; None removes (API §2.3). It does not check fields: see `writes` for the rules of
        PATCH.

        To show a null as null, set a field result with `edit_result`.
        """
        with self.lock:
            record = self._standing[key]
            members = record.members()
            results = {result["field"]: result for result in members["fields"]}
            for field_id, value in values.items():
                if value is None:
                    results.pop(field_id, None)
                else:
                    results[field_id] = field_result(self.types.field(record.type, field_id), value)
            return self._replace(record, members | {"fields": list(results.values())})

    def edit_result(self, key: str, field_id: str, value: object) -> Record:
        """Writes one field result as given, including null or a value of the wrong kind."""
        with self.lock:
            record = self._standing[key]
            members = record.members()
            others = [result for result in members["fields"] if result["field"] != field_id]
            result = field_result(self.types.field(record.type, field_id), value)
            return self._replace(record, members | {"fields": [*others, result]})

    def set_members(self, key: str, **members: object) -> Record:
        """Overwrites or adds any top-level members."""
        with self.lock:
            record = self._standing[key]
            return self._replace(record, record.members() | members)

    def scribble(self, key: Key, rng: Random | None = None) -> Record:
        """Changes one random value to a different one."""
        rng = rng or self.rng
        with self.lock:
            record = self._standing[key]
            definition = rng.choice(self.types.fields(record.type))
            before = record.members()
            for _ in range(20):
                after = self._with_result(before, field_result(definition, made_up_value(definition, rng, self.today)))
                if after != before:
                    break
            return self._replace(record, after)

    def inspect(self, key: str, rng: Random) -> Record:
        """Somebody looks at the asset today: the date, the result or condition and the next date change."""
        with self.lock:
            record = self._standing[key]
            past = Past(rng, self.today)
            past.seen, past.due = self.today, self.today + timedelta(days=365)
            after = record.members()
            for definition in self.types.fields(record.type):
                if _changes_at_a_visit(definition):
                    value = made_up_value(definition, rng, self.today, past)
                    after = self._with_result(after, field_result(definition, value))
            return self._replace(record, after)

    def move(self, key: str, property: str) -> Record:
        return self.set_members(key, property=property)

    def change_type(self, key: str, type: str, rng: Random | None = None) -> Record:
        """Gives an asset another type, and so other fields."""
        with self.lock:
            return self.set_members(key, type=type, fields=self._made_up_fields(type, rng or self.rng))

    @staticmethod
    def _with_result(members: JsonObject, result: JsonObject) -> JsonObject:
        results = {known["field"]: known for known in members["fields"]}
        results[result["field"]] = result
        return members | {"fields": list(results.values())}

    def _given_fields(self, type_id: str, values: Mapping[str, object]) -> list[JsonObject]:
        return [
            field_result(self.types.field(type_id, field_id), value)
            for field_id, value in values.items()
            if value is not None
        ]

    def _made_up_fields(self, type_id: str, rng: Random) -> list[JsonObject]:
        return made_up_results(self.types.fields(type_id), rng, self.today)

    def _pick_property(self, type_id: str, rng: Random) -> str:
        """Lifts are where a property has one, and a house of its own has neither stairs nor risers."""
        name = self.types.get(type_id)["name"]
        if name in _IN_BLOCKS:
            return self.properties.pick_block(rng, with_lift=name == "Passenger lifts")
        return self.properties.pick(rng)

    @property
    def today(self) -> date:
        return self.calendar.today


def _changes_at_a_visit(definition: JsonObject) -> bool:
    label = first_label(definition["label"])
    return is_seen(label) or is_due(label) or label in ("Result", "Condition", "Time of inspection")
