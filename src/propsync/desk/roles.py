"""The fields that play a role in the marts: those that propsync.toml names by their labels, else the likeliest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import translate
from functools import cache

from propsync.settings import ROLES, DeskSettings
from propsync.warehouse import Warehouse, statement

_KINDS = {
    "installed": ("date",),
    "serial": ("text", "qr", "number"),
    "condition": ("option", "text"),
    "result": ("option", "text"),
    "next_due": ("date",),
}
_LIKELY = {
    role: tuple(patterns.split(", "))
    for role, patterns in {
        "installed": "installed, install*date, date*installed, installation*, installed *, fitted, date*fitted, "
        "commissioned, commission*date, date*commissioned",
        "serial": "serial, serial n*, serial*, s/n, *serial n*",
        "condition": "condition, overall condition, condition *, * condition",
        "result": "result, overall result, test result, inspection result, outcome, pass/fail, pass*fail*, result *, "
        "* result",
        "next_due": "next due, next * due, due date, next *, * due, * due date, *due*",
    }.items()
}
"""Patterns of labels, the likeliest first."""

Row = tuple[str, str, str, str, str]
"""A row of ops.roles."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an asset type; `kind` is that of its definition, or of its values if they are dates."""

    type_id: str
    type_name: str
    field_id: str
    label: str
    kind: str


class Roles:
    """The choice of a field for each type and role; `faults` are entries of `[desk]` that fit no field."""

    def __init__(self, fields: Sequence[Field], settings: DeskSettings) -> None:
        self._by_type: dict[str, list[Field]] = {}
        for one in fields:
            self._by_type.setdefault(one.type_id, []).append(one)
        self._settings = settings
        self._of_types = _by_id(settings, self._by_type)

    def rows(self) -> list[Row]:
        """For ops.roles."""
        chosen = (self._chosen(type_id, role) for type_id in sorted(self._by_type) for role in ROLES)
        return [row for row in chosen if row]

    def faults(self) -> list[str]:
        """A line for each entry that no field fits; none while propsync knows no type."""
        return [*self._general_faults(), *self._type_faults()] if self._by_type else []

    def _chosen(self, type_id: str, role: str) -> Row | None:
        configured = self._of_types.get(type_id, {}).get(role, self._settings.roles.get(role))
        if configured is not None and (not configured or self._fits_somewhere(type_id, role)):
            return self._row(type_id, role, configured, "configured")
        return self._row(type_id, role, _LIKELY[role], "found")

    def _fits_somewhere(self, type_id: str, role: str) -> bool:
        """Whether the entry that counts for a type fits a field at all; a wrong one leaves the likeliest field."""
        if role in self._of_types.get(type_id, {}):
            return _first(self._by_type[type_id], role, self._of_types[type_id][role]) is not None
        return any(_first(fields, role, self._settings.roles[role]) for fields in self._by_type.values())

    def _row(self, type_id: str, role: str, patterns: Sequence[str], source: str) -> Row | None:
        found = _first(self._by_type[type_id], role, patterns)
        if found is None:
            return None
        field, pattern = found
        return (
            type_id,
            role,
            field.field_id,
            source,
            f"its label {field.label!r} fits {pattern!r}, its kind is {field.kind}",
        )

    def _general_faults(self) -> Iterator[str]:
        for role, patterns in self._settings.roles.items():
            if patterns and not any(_first(fields, role, patterns) for fields in self._by_type.values()):
                every = [one for fields in self._by_type.values() for one in fields]
                yield _fault(f"[desk.roles] {role}", role, patterns, every, "no asset type has a field")

    def _type_faults(self) -> Iterator[str]:
        for name, patterns_by_role in self._settings.type_roles.items():
            type_ids = _ids_of(name, self._by_type)
            if not type_ids:
                yield f"[desk.roles.{name!r}]: no asset type has this name or id; asset_types lists them"
            for role, patterns in patterns_by_role.items() if type_ids else ():
                fields = [one for type_id in type_ids for one in self._by_type[type_id]]
                if patterns and not _first(fields, role, patterns):
                    yield _fault(f"[desk.roles.{name!r}] {role}", role, patterns, fields, "the type has no field")


def known_fields(warehouse: Warehouse, settings: DeskSettings) -> list[Field]:
    """The listed fields of every type, in their order; one with a label of a date is of that kind if its values are."""
    fields = [Field(*row) for row in warehouse.rows(statement("desk/fields"))]
    patterns = [*_LIKELY["installed"], *_LIKELY["next_due"], *_configured(settings)]
    unsure = {
        (one.type_id, one.field_id)
        for one in fields
        if one.kind == "text" and any(_is_like(one.label, pattern) for pattern in patterns)
    }
    dated = _dated(warehouse, unsure) if unsure else set()
    return [replace(one, kind="date") if (one.type_id, one.field_id) in dated else one for one in fields]


def _configured(settings: DeskSettings) -> Iterator[str]:
    for roles in (settings.roles, *settings.type_roles.values()):
        yield from (pattern for role in ("installed", "next_due") for pattern in roles.get(role, ()))


def _dated(warehouse: Warehouse, unsure: set[tuple[str, str]]) -> set[tuple[str, str]]:
    type_ids, field_ids = zip(*sorted(unsure), strict=True)
    ids = {"type_ids": list(type_ids), "field_ids": list(field_ids)}
    return {(type_id, field_id) for type_id, field_id in warehouse.rows(statement("desk/dated_fields"), ids)}


def _fault(where: str, role: str, patterns: Iterable[str], fields: Iterable[Field], none: str) -> str:
    shown = " or ".join(map(repr, patterns))
    of_label = next((one for one in fields if any(_is_like(one.label, pattern) for pattern in patterns)), None)
    if of_label is None:
        return f"{where}: {none} with a label like {shown}; asset_type_fields lists them"
    kinds = " or ".join(_KINDS[role])
    return f"{where}: the field {of_label.label!r} is of the kind {of_label.kind}, and {role} needs {kinds}"


def _by_id(settings: DeskSettings, types: Mapping[str, Sequence[Field]]) -> dict[str, Mapping[str, tuple[str, ...]]]:
    return {type_id: roles for name, roles in settings.type_roles.items() for type_id in _ids_of(name, types)}


def _ids_of(name: str, types: Mapping[str, Sequence[Field]]) -> list[str]:
    return [type_id for type_id, fields in types.items() if name == type_id or _is_same(name, fields[0].type_name)]


def _is_same(one: str, other: str) -> bool:
    return one.strip().casefold() == (other or "").strip().casefold()


def _first(fields: Iterable[Field], role: str, patterns: Iterable[str]) -> tuple[Field, str] | None:
    """The first field of a fitting kind, by the order of patterns, then of fields."""
    fitting = [one for one in fields if one.kind in _KINDS[role]]
    return next(((one, pattern) for pattern in patterns for one in fitting if _is_like(one.label, pattern)), None)


def _is_like(label: str, pattern: str) -> bool:
    return _compiled(pattern).fullmatch((label or "").strip().casefold()) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern.casefold()))
