"""The messages about settings: why a value is wrong and what to give instead, and the table of all settings."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from typing import Any, get_args

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from propsync.errors import SettingsError
from propsync.settings.kinds import Accepts
from propsync.settings.model import PREFIX, TABLES, Settings

# Teams and healthchecks addresses contain their own secret, so propsync hides the whole address.
_SECRET = ("token", "push_token", "notify_url", "webhook_secret", "webhook_signing_key")
_PLAIN = {
    "bool_parsing": "it is neither true nor false",
    "bool_type": "it is neither true nor false",
    "dict_type": "it is not a table",
    "finite_number": "it is not a number",
    "float_parsing": "it is not a number",
    "float_type": "it is not a number",
    "greater_than": "it is too small",
    "greater_than_equal": "it is too small",
    "int_from_float": "it is not a whole number",
    "int_parsing": "it is not a whole number",
    "int_parsing_size": "it is too large",
    "int_type": "it is not a whole number",
    "less_than_equal": "it is too large",
    "path_type": "it is not a path",
    "string_type": "it is not text in quotation marks",
    "tuple_type": "it is not a list",
}
"""The fault of a value, by pydantic's name for it."""


def checked(given: dict[str, Any], sources: Mapping[str, str]) -> Settings:
    """The settings from these values. Raises SettingsError for the first value that is wrong."""
    try:
        return Settings(**given)
    except ValidationError as error:
        name, why = str(error.errors(include_url=False)[0]["loc"][0]), reason(error)
    # Raises outside the handler: the original error holds the inputs, and Python would show it too.
    field = Settings.model_fields[name]
    if name not in given:  # only the default of home depends on the machine
        raise SettingsError(f"{PREFIX}{name.upper()}", f"it is not set, and {why}", f"Set it to {_accepted(field)}")
    raise SettingsError(_label(name, sources), _complaint(name, given.get(name), why), _advice(name))


def reason(error: ValidationError) -> str:
    """Why the first wrong value is wrong, in plain words."""
    first = error.errors(include_url=False)[0]
    return _PLAIN.get(first["type"]) or str(first["msg"]).removeprefix("Value error, ")


def _label(name: str, sources: Mapping[str, str]) -> str:
    source = sources.get(name, "default")
    return f"{PREFIX}{name.upper()} (environment)" if source == "environment" else f"{name} in {source}"


def _complaint(name: str, value: object, why: str) -> str:
    why = why[:1].lower() + why[1:]
    # A password may sit before the @ and a key in the query.
    hidden = name in _SECRET or (name in ("base_url", "storage_url") and re.search(r"[@?#]", str(value)) is not None)
    shown = "its value (not shown)" if hidden else textwrap.shorten(repr(value), 120)
    return f"{shown} cannot be used: {why}"


def _advice(name: str) -> str:
    field = Settings.model_fields[name]
    default = f", or leave it out for {_shown(field.default)}" if field.default not in (None, {}) else ""
    return f"Give {_accepted(field)}{default}"


def _accepted(field: FieldInfo) -> str:
    return next((mark.words for mark in _marks(field) if isinstance(mark, Accepts)), "another value")


def _marks(field: FieldInfo) -> list[Any]:
    # In `X | None` the metadata stays inside the union's first member.
    inner = [mark for part in get_args(field.annotation) for mark in getattr(part, "__metadata__", ())]
    return [*field.metadata, *inner]


def _shown(default: object) -> str:
    if isinstance(default, tuple):
        return ",".join(default) or "none"
    return str(default).lower() if isinstance(default, bool) else str(default)


def settings_table() -> list[tuple[str, str, str]]:
    """Rows of (name, meaning, default) as people see them: PROPSYNC_ names first, then the toml's two tables."""
    required = {"base_url": "required", "token": "required", "token_file": "or the token"}
    required |= dict.fromkeys(("push_token", "push_token_file"), "the token")
    required |= {"webhook_secret": "required by `webhook`", "webhook_secret_file": "or the secret"}
    rows = [
        (
            PREFIX + name.upper(),
            field.description or "",
            required.get(name) or _shown("none" if field.default in (None, {}) else field.default),
        )
        for name, field in Settings.plain_fields().items()
    ]
    return rows + [(f"[{name}]", Settings.model_fields[name].description or "", "none") for name in TABLES]


def accepted_values() -> dict[str, str]:
    """The values that each setting takes, in words that can follow "Give", by the names of `settings_table`."""
    return {PREFIX + name.upper(): _accepted(field) for name, field in Settings.plain_fields().items()}
