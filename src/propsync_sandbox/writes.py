"""The rules of POST, PATCH and PUT (API §2.3, 4.3, 4.4, 4.11), and the codes of their refusals (API §7).

Where no document says which code wins, the order is: ids missing, `values` malformed, things not found, then the
values field by field.
"""

import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

from .exchange import Refusal, Request
from .jsontext import JsonObject
from .world import World

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d", re.ASCII)


def is_day(value: object) -> bool:
    """Y-m-d, and a day that exists."""
    if not (isinstance(value, str) and _DAY.fullmatch(value)):
        return False
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_clock(value: object) -> bool:
    return isinstance(value, str) and _CLOCK.fullmatch(value) is not None


def _is_number(value: object) -> bool:
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


def _is_choice(value: object, definition: JsonObject) -> bool:
    known = {option["id"] for option in definition["options"]}
    return isinstance(value, list) and all(isinstance(one, str) and one in known for one in value)


_TESTS: dict[str, Callable[[object], bool]] = {
    "text": _is_text,
    "number": _is_number,
    "date": is_day,
    "time": _is_clock,
    "qr": _is_text,
}


def required_id(value: str, code: str) -> str:
    if not value:
        raise Refusal(400, code, f"{code.removesuffix('Required')} is required")
    return value


def body_object(request: Request, code: str) -> JsonObject:
    """The body as a JSON object; refuses anything else with the code."""
    try:
        body = request.json_body()
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise Refusal(400, code, "The body must be a JSON object")
    return body


def values_object(body: JsonObject, required: bool) -> JsonObject:
    """`values` as an object keyed by field id (API §2.3)."""
    values = body.get("values", None if required else {})
    if not isinstance(values, dict):
        raise Refusal(400, "PropertyAssetValuesInvalidFormat", "values must be an object keyed by field ID")
    return values


def check_values(world: World, type_id: str, values: JsonObject) -> None:
    """FieldInvalidNotSupported for unknown, image, file and pin fields; PropertyAssetValuesInvalid for bad values."""
    definitions = {definition["id"]: definition for definition in world.asset_types.fields(type_id)}
    for field_id, value in values.items():
        definition = definitions.get(field_id)
        if definition is None or definition["type"] in ("image", "file", "pin"):
            raise Refusal(400, "FieldInvalidNotSupported", f"Field {field_id} cannot be written")
        if value is not None and not _fits(definition, value):
            raise Refusal(400, "PropertyAssetValuesInvalid", f"Field {field_id} does not accept this value")


def _fits(definition: JsonObject, value: Any) -> bool:
    if definition["type"] == "option":
        return _is_choice(value, definition)
    return _TESTS[definition["type"]](value)


def schedule_members(request: Request) -> JsonObject:
    """The members of a PUT body (API §4.11), all optional. A body may be missing."""
    return check_members(body_object(request, "ScheduleInvalidFormat") if request.body.strip() else {})


def check_members(body: JsonObject) -> JsonObject:
    """A schedule's members that a caller may set; null clears a date or a text. Others are ignored."""
    tests: dict[str, Callable[[object], bool]] = {
        "dueDate": lambda value: value is None or is_day(value),
        "description": lambda value: value is None or _is_text(value),
        "customReference": lambda value: value is None or _is_text(value),
        "assignedUsers": lambda value: isinstance(value, list) and all(_is_text(one) for one in value),
    }
    for name, fits in tests.items():
        if name in body and not fits(body[name]):
            raise Refusal(400, "ScheduleInvalid", f"{name} does not accept this value")
    return {name: body[name] for name in tests if name in body}
