"""The list of properties, of which the API's document shows the path alone (API §6): served only if asked for."""

import threading
from random import Random

from .jsontext import JsonObject
from .people import Properties, Property
from .shelf import Key, Record, Shelf


class PropertyList(Shelf):
    """Each property as a record: id, name, a nested address, and the provider's own reference."""

    resource = "properties"

    def __init__(self, lock: threading.RLock, rng: Random, properties: Properties) -> None:
        super().__init__(lock, rng)
        self._properties = properties
        for place in properties.all():
            self._list(place)

    def add(self, rng: Random | None = None) -> str:
        """Adds a new property, which has no record of any other kind yet; returns its id."""
        with self.lock:
            made = self._properties.get(self._properties.add(rng or self.rng))
            assert made is not None
            self._list(made)
            return made.id

    def scribble(self, key: Key, rng: Random | None = None) -> Record:
        """Gives a property another reference."""
        with self.lock:
            record = self._standing[key]
            return self._put(key, record.members() | {"customReference": f"R{(rng or self.rng).randrange(10**6):06}"})

    def set_members(self, key: Key, **members: object) -> Record:
        """Overwrites or adds any top-level members."""
        with self.lock:
            record = self._standing[key]
            return self._replace(record, record.members() | members)

    def _list(self, place: Property) -> Record:
        line = place.address.removeprefix(f"{place.name}, ")
        members: JsonObject = {
            "id": place.id,
            "name": place.name,
            "address": {"line1": line, "postcode": place.postcode},
            "customReference": f"P{len(self) + len(self.gone_keys()) + 1:04}",
        }
        return self._put(place.id, members)
