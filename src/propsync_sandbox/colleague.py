"""An edit by somebody else: a person in the web page of the provider, while a caller of the API is at work.

    {"key": "an asset's id", "values": {"a field's id": "a value", "another": null}}
    {"key": ["a property", "an assessment type"], "values": {"dueDate": "2026-05-01"}}

`values` null deletes the record. An asset's values follow the rules of PATCH, a schedule's those of PUT.
"""

from collections.abc import Mapping
from typing import Any

from .exchange import Refusal
from .shelf import Key, Shelf
from .world import World
from .writes import check_members, check_values


def is_key(value: object) -> bool:
    """An asset's id, or a schedule's property and type."""
    if isinstance(value, list):
        return len(value) == 2 and all(isinstance(one, str) for one in value)
    return isinstance(value, str)


def edit(world: World, wanted: object) -> None:
    """Makes the edit. Raises Refusal if it is malformed, if there is no such record, or if a value does not fit."""
    if not (isinstance(wanted, Mapping) and set(wanted) == {"key", "values"} and is_key(wanted["key"])):
        raise Refusal(400, "EditInvalid", "an edit is an object with a key and its values")
    if not (wanted["values"] is None or isinstance(wanted["values"], Mapping)):
        raise Refusal(400, "EditInvalid", "values must be an object, or null to delete the record")
    key: Key = wanted["key"] if isinstance(wanted["key"], str) else (wanted["key"][0], wanted["key"][1])
    shelf: Shelf = world.assets if isinstance(key, str) else world.schedules
    with world.lock:
        if key not in shelf:
            raise Refusal(404, "RecordNotFound", "There is no such record")
        _carry_out(world, key, wanted["values"])


def _carry_out(world: World, key: Key, values: Mapping[str, Any] | None) -> None:
    if values is None:
        (world.assets if isinstance(key, str) else world.schedules).delete(key)
    elif isinstance(key, str):
        record = world.assets.get(key)
        assert record is not None
        check_values(world, record.type, dict(values))
        world.assets.edit(key, values)
    else:
        world.schedules.set_members(key, **check_members(dict(values)))
