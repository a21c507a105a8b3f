"""The fields that play a role in the marts: those that propsync.toml names by their labels, else the likeliest.

A field whose label changed, so that it fits no role any more, keeps the role of its former label. Another field takes
it over if its present label fits that role.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import translate
from functools import cache, cached_property

from propsync.desk.faults import Fault
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
        "installed": "installed, install*date, date*installed, date of install*, installation*, installed *, fitted, "
        "date*fitted, commissioned, commission*date, date*commissioned",
        "serial": "serial, serial n*, serial*, s/n, *serial n*",
        "condition": "condition, overall condition, condition *, * condition",
        "result": "result, overall result, test result, inspection result, outcome, pass/fail, pass*fail*, result *, "
        "* result, * outcome",
        "next_due": "next due, next * due, due date, next *, * due, * due date, *due*",
    }.items()
}
"""Patterns of labels, the likeliest first."""

FORMER = "former"
"""The source of a role that a field keeps though its label has changed."""
_KEPT = "the labels of these fields fit no role any more, so they keep that of a former label; ops.roles names each"
_FEW = "half of the values of these fields, or more, are not dates, so they are NULL in marts.asset_register"
_MOST_SHOWN = 10

Row = tuple[str, str, str, str, str]
"""A row of ops.roles."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an asset type; `kind` is that of its definition, or of its values if most are dates.

    `has_dates` tells that some of its values are dates. `former` are the labels that it had before, the latest first.
    """

    type_id: str
    type_name: str
    field_id: str
    label: str
    kind: str
    former: tuple[str, ...] = ()
    has_dates: bool = False

    def formerly(self) -> list[Field]:
        """The field with each of its former labels."""
        return [replace(self, label=label) for label in self.former]


class Roles:
    """The choice of a field for each type and role; `faults` are entries of `[desk]` that fit no field."""

    def __init__(self, fields: Sequence[Field], settings: DeskSettings) -> None:
        self._by_type: dict[str, list[Field]] = {}
        for one in fields:
            self._by_type.setdefault(one.type_id, []).append(one)
        self._settings = settings
        self._of_types = _by_id(settings, self._by_type)

    @cached_property
    def rows(self) -> list[Row]:
        """For ops.roles."""
        chosen = (self._chosen(type_id, role) for type_id in sorted(self._by_type) for role in ROLES)
        return [row for row in chosen if row]

    def noted(self) -> list[tuple[str, str, str, str]]:
        """Rows of ops.desk for roles that fields keep by labels which they had before, and for dates that are few."""
        fields = {(one.type_id, one.field_id): one for fields in self._by_type.values() for one in fields}
        kept: dict[str, list[Field]] = {}
        few: dict[str, list[Field]] = {}
        for type_id, role, field_id, source, _ in self.rows:
            field = fields[type_id, field_id]
            if source == FORMER:
                kept.setdefault(role, []).append(field)
            if field.kind not in _KINDS[role]:
                few.setdefault(role, []).append(field)
        return [
            *((f"roles.{role}", _shown(those), FORMER, _KEPT) for role, those in kept.items()),
            *((f"roles.{role}.dates", _shown(those), "found", _FEW) for role, those in few.items()),
        ]

    def faults(self) -> list[Fault]:
        """The entries that no field fits; none while propsync knows no type."""
        return [*self._general_faults(), *self._type_faults()] if self._by_type else []

    def _chosen(self, type_id: str, role: str) -> Row | None:
        patterns, source = self._patterns(type_id, role)
        if found := _first(self._by_type[type_id], role, patterns):
            field, pattern = found
            kind = f"its kind is {field.kind}" if field.kind in _KINDS[role] else "some of its values are dates"
            evidence = f"its label {field.label!r} fits {pattern!r}, {kind}"
            return type_id, role, field.field_id, source, evidence
        if found := _first(_formerly(self._renamed_without_role(type_id)), role, patterns):
            field, pattern = found
            evidence = f"its label was {field.label!r}, which fits {pattern!r}; its present label fits no role"
            return type_id, role, field.field_id, FORMER, evidence
        return None

    def _patterns(self, type_id: str, role: str) -> tuple[Sequence[str], str]:
        """The patterns of labels that count for a type, and their source."""
        configured = self._of_types.get(type_id, {}).get(role, self._settings.roles.get(role))
        if configured is not None and (not configured or self._fits_somewhere(type_id, role)):
            return configured, "configured"
        return _LIKELY[role], "found"

    def _fits_somewhere(self, type_id: str, role: str) -> bool:
        """Whether the entry that counts for a type fits a field at all, now or by a label that the field had before.

        A wrong one leaves the likeliest field.
        """
        if role in self._of_types.get(type_id, {}):
            return _first_ever(self._by_type[type_id], role, self._of_types[type_id][role]) is not None
        return any(_first_ever(fields, role, self._settings.roles[role]) for fields in self._by_type.values())

    def _renamed_without_role(self, type_id: str) -> list[Field]:
        """The fields of a type with former labels, whose present label fits no role."""
        patterns = {role: self._patterns(type_id, role)[0] for role in ROLES}
        return [
            field
            for field in self._by_type[type_id]
            if field.former and not any(_first([field], role, patterns[role]) for role in ROLES)
        ]

    def _general_faults(self) -> Iterator[Fault]:
        for role, patterns in self._settings.roles.items():
            if patterns and not any(_first(fields, role, patterns) for fields in self._by_type.values()):
                every = [one for fields in self._by_type.values() for one in fields]
                line = _fault(f"[desk.roles] {role}", role, patterns, every, "no asset type has a field")
                yield Fault(f"roles.{role}", line)

    def _type_faults(self) -> Iterator[Fault]:
        for name, patterns_by_role in self._settings.type_roles.items():
            type_ids = _ids_of(name, self._by_type)
            if not type_ids:
                line = f"[desk.roles.{name!r}]: no asset type has this name or id; asset_types lists them"
                yield Fault(f"roles.{name}", line)
            for role, patterns in patterns_by_role.items() if type_ids else ():
                fields = [one for type_id in type_ids for one in self._by_type[type_id]]
                if patterns and not _first(fields, role, patterns):
                    line = _fault(f"[desk.roles.{name!r}] {role}", role, patterns, fields, "the type has no field")
                    yield Fault(f"roles.{name}.{role}", line)


def known_fields(
    warehouse: Warehouse, settings: DeskSettings, former: Mapping[tuple[str, str], tuple[str, ...]]
) -> list[Field]:
    """The listed fields of every type, in their order, with their `former` labels by the ids of type and field.

    One with a label of a date, now or before, is of that kind if most of its values are.
    """
    fields = [Field(*row) for row in warehouse.rows(statement("desk/fields"))]
    fields = [replace(one, former=former.get((one.type_id, one.field_id), ())) for one in fields]
    patterns = [*_LIKELY["installed"], *_LIKELY["next_due"], *_configured(settings)]
    unsure = {
        (one.type_id, one.field_id)
        for one in fields
        if one.kind == "text" and any(_is_like(label, p) for label in (one.label, *one.former) for p in patterns)
    }
    dated = _dated(warehouse, unsure) if unsure else {}
    return [_with_dates(one, dated.get((one.type_id, one.field_id))) for one in fields]


def _with_dates(field: Field, is_mostly: bool | None) -> Field:
    if is_mostly is None:
        return field
    return replace(field, kind="date" if is_mostly else field.kind, has_dates=True)


def _configured(settings: DeskSettings) -> Iterator[str]:
    for roles in (settings.roles, *settings.type_roles.values()):
        yield from (pattern for role in ("installed", "next_due") for pattern in roles.get(role, ()))


def _dated(warehouse: Warehouse, unsure: set[tuple[str, str]]) -> dict[tuple[str, str], bool]:
    """The fields with dates, and whether most of their values are."""
    type_ids, field_ids = zip(*sorted(unsure), strict=True)
    ids = {"type_ids": list(type_ids), "field_ids": list(field_ids)}
    rows = warehouse.rows(statement("desk/dated_fields"), ids)
    return {(type_id, field_id): bool(is_mostly) for type_id, field_id, is_mostly in rows}


def _fault(where: str, role: str, patterns: Iterable[str], fields: Iterable[Field], none: str) -> str:
    shown = " or ".join(map(repr, patterns))
    of_label = next((one for one in fields if any(_is_like(one.label, pattern) for pattern in patterns)), None)
    if of_label is None and _first(_formerly(fields), role, tuple(patterns)):
        return f"{where}: {none} with a label like {shown} any more; one that had it before may keep the role"
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


def _shown(fields: Sequence[Field]) -> str:
    named = [f"{one.type_name}: {one.label}" for one in fields]
    return "; ".join(named[:_MOST_SHOWN]) + ("; …" if len(named) > _MOST_SHOWN else "")


def _formerly(fields: Iterable[Field]) -> list[Field]:
    return [former for one in fields for former in one.formerly()]


def _first_ever(fields: Sequence[Field], role: str, patterns: Iterable[str]) -> tuple[Field, str] | None:
    return _first([*fields, *_formerly(fields)], role, patterns)


def _first(fields: Iterable[Field], role: str, patterns: Iterable[str]) -> tuple[Field, str] | None:
    """The first field of a fitting kind, by the order of patterns, then of fields; else one that has some dates.

    If half of its values become words, a field keeps its role: its dates are dates.
    """
    fitting = [one for one in fields if one.kind in _KINDS[role]]
    partly = [one for one in fields if one.has_dates and "date" in _KINDS[role] and one.kind != "date"]
    pairs = ((one, pattern) for of in (fitting, partly) for pattern in patterns for one in of)
    return next(((one, pattern) for one, pattern in pairs if _is_like(one.label, pattern)), None)


def _is_like(label: str, pattern: str) -> bool:
    return _compiled(pattern).fullmatch((label or "").strip().casefold()) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern.casefold()))
