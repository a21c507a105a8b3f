"""Builds the bodies of the writing endpoints, by the rules of API §2.3 and 4.11; it sends nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import TypedDict

import msgspec

from propsync.api.answers import Answer
from propsync.errors import AnswerLost, InvalidValue
from propsync.records import encode

_ACCEPTED = {
    "text": "a text, or null to remove it",
    "number": "a number, or null to remove it",
    "option": "a list of the field's option ids, or null to remove it",
    "date": "a real date as text, such as 2026-01-31, or null to remove it",
    "time": "a time of the 24-hour day as text, such as 23:59, or null to remove it",
    "qr": "a text, or null to remove it",
}


@dataclass(frozen=True, slots=True)
class FieldKind:
    """A field's kind as the API names it, in lower case; `options` are its option ids, None if propsync does not
    know them.
    """

    name: str
    options: Collection[str] | None = None


class ScheduleChanges(TypedDict, total=False):
    """The members that PUT of a schedule may have (API §4.11); propsync sends only those that are set.

    None removes one. The document does not show null, nor what a server does with a member that is absent.
    """

    due_date: date | str | None
    description: str | None
    custom_reference: str | None
    assigned_users: list[str]


def check_values(fields: Mapping[str, FieldKind], values: Mapping[str, object]) -> None:
    """Checks values by field id against the kinds of their fields (API §2.3). Raises InvalidValue for the first
    wrong one.

    None removes a value. propsync cannot write image, file and pin fields: the document does not show how.
    """
    for field_id, value in values.items():
        kind = fields.get(field_id)
        if kind is None:
            raise InvalidValue(f"field {field_id}", "the asset's type has no such field", "Leave it out")
        _check_value(field_id, kind, value)


def _check_value(field_id: str, kind: FieldKind, value: object) -> None:
    where = f"field {field_id} ({kind.name})"
    if kind.name not in _ACCEPTED:
        raise InvalidValue(where, "the API's document does not show how such a field is written", "Leave it out")
    if value is not None and (problem := _problem(kind, value)):
        raise InvalidValue(where, problem, f"Give {_ACCEPTED[kind.name]}")


def _problem(kind: FieldKind, value: object) -> str | None:
    shown = repr(value)[:80]
    if kind.name == "option":
        return _option_problem(kind, value)
    if kind.name == "number":
        return None if _is_number(value) else f"{shown} is not a number"
    if not isinstance(value, str) or not _is_unicode(value):
        return f"{shown} is not a text"
    if kind.name == "date" and not is_date(value):
        return f"{shown} is not a date"
    if kind.name == "time" and not re.fullmatch(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]", value):
        return f"{shown} is not a time"
    return None


def _option_problem(kind: FieldKind, value: object) -> str | None:
    if not isinstance(value, list) or not all(isinstance(option, str) for option in value):
        return f"{value!r:.80} is not a list of texts"
    unknown = [option for option in value if kind.options is not None and option not in kind.options]
    return f"{unknown[0]!r} is not one of its options" if unknown else None


def _is_number(value: object) -> bool:
    # True is an int to Python; NaN and Infinity are no JSON.
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool) and math.isfinite(value)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_date(text: str) -> bool:
    """Whether a text is a real date in the format Y-m-d."""
    try:
        return re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) is not None and bool(date.fromisoformat(text))
    except ValueError:
        return False


def new_asset_body(type_id: str, values: Mapping[str, object] | None) -> bytes:
    """API §4.3. Raises InvalidValue for values of a type that no field takes."""
    return _json({"type": type_id} if values is None else {"type": type_id, "values": _plain(values)})


def values_body(values: Mapping[str, object]) -> bytes:
    """API §4.4. Raises InvalidValue for values of a type that no field takes."""
    return _json({"values": _plain(values)})


def _plain(values: Mapping[str, object]) -> dict[str, object]:
    for field_id, value in values.items():
        texts = isinstance(value, list) and all(isinstance(part, str) for part in value)
        if not (value is None or isinstance(value, str) or _is_number(value) or texts):
            raise InvalidValue(f"field {field_id}", f"{value!r:.80} is of a type that no field takes")
    return dict(values)


def schedule_body(changes: ScheduleChanges) -> bytes:
    """API §4.11, with only the members given. Raises InvalidValue for one that does not fit or is unknown."""
    checks = {
        "due_date": ("dueDate", _due_date),
        "description": ("description", _text_or_none),
        "custom_reference": ("customReference", _text_or_none),
        "assigned_users": ("assignedUsers", _texts),
    }
    body = {}
    for name, value in changes.items():
        if name not in checks:
            raise InvalidValue(f"schedule {name}", "a schedule has no such member", f"Give one of {', '.join(checks)}")
        api_name, check = checks[name]
        body[api_name] = check(f"schedule {name}", value)
    return _json(body)


def _due_date(where: str, value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, str) and is_date(value):
        return value
    raise InvalidValue(where, f"{value!r:.80} is not a date", "Give a real date such as 2026-01-31")


def _text_or_none(where: str, value: object) -> str | None:
    return None if value is None else _text(where, value)


def _text(where: str, value: object) -> str:
    if isinstance(value, str) and _is_unicode(value):
        return value
    raise InvalidValue(where, f"{value!r:.80} is not a text", "Give a text")


def _texts(where: str, value: object) -> list[str]:
    if isinstance(value, list):
        return [_text(where, part) for part in value]
    raise InvalidValue(where, f"{value!r:.80} is not a list", "Give a list of user ids")


def _json(body: Mapping[str, object]) -> bytes:
    """Keeps every digit of a Decimal. NaN would become null, which removes a value: `_plain` refuses NaN before."""
    try:
        return encode(body)
    except (ValueError, TypeError) as error:
        reason = str(error)
    raise InvalidValue("values", f"they cannot be written as JSON: {reason}")


class _Created(msgspec.Struct):
    id: str


def created_id(answer: Answer) -> str:
    """The id in the answer of API §4.3. Raises AnswerLost if there is none: the asset exists, but its id is unknown."""
    try:
        asset_id = msgspec.json.decode(answer.body, type=_Created).id
    except (msgspec.DecodeError, RecursionError):
        asset_id = ""
    if asset_id:
        return asset_id
    what = "the asset was created, but the answer does not give its id"
    raise AnswerLost(str(answer.request), what, status=answer.status, attempts=answer.attempts)
