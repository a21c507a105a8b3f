"""The published tables as a plan needs them: types with their fields, present values, names from people's lists."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import Any

from propsync.merge.reference.list_table import NAMES
from propsync.merge.tables.wide_table import effective_kind
from propsync.push.values.asset_values import from_json, from_table
from propsync.push.values.fields import USERS, Field, RecordType
from propsync.push.values.schedule_values import DESCRIPTION, DUE, REFERENCE, STATUS
from propsync.push.values.schedule_values import USERS as ASSIGNED
from propsync.warehouse import PublishedReader, quoted, statement

Key = tuple[str, str]
"""A schedule's property and type."""

_MEMBERS = (STATUS, DUE, DESCRIPTION, REFERENCE, ASSIGNED)


class Published:
    """The tables of one published file. It reads what a file names, not every record."""

    def __init__(self, reader: PublishedReader, hidden: Collection[str] = ()) -> None:
        """`hidden` are the members of schedules that `[privacy]` hides."""
        self._reader, self._hidden = reader, frozenset(hidden)

    @cached_property
    def run(self) -> str:
        """The run that published the tables."""
        return str(self._rows("push/latest_run")[0][0] or "")

    @cached_property
    def api(self) -> str | None:
        """The address of the API that the tables are from; None if no run has noted it."""
        rows = self._rows("push/api")
        return str(rows[0][0]) if rows else None

    @cached_property
    def asset_types(self) -> list[RecordType]:
        """The types of assets with their fields; those that the API no longer lists too."""
        fields = self._fields()
        return [
            RecordType(key, name, singular, table, is_listed, tuple(fields[key]))
            for key, name, singular, table, is_listed in self._rows("push/types")
        ]

    @cached_property
    def assessment_types(self) -> list[RecordType]:
        """The types of assessment; those that schedules alone show too, which nobody knows by name."""
        rows = self._rows("push/assessment_types")
        found = {key: RecordType(key, name, None, None, is_listed) for key, name, is_listed in rows}
        others = {key: RecordType(key, None, None, None, True) for (key,) in self._rows("push/types_of_schedules")}
        return list((others | found).values())

    @cached_property
    def properties(self) -> dict[str, str | None]:
        """The known properties with their names, if a list of yours has these."""
        ids: dict[str, str | None] = {key: None for (key,) in self._rows("push/property_ids")}
        return ids | self._listed("properties", "property_id")

    @cached_property
    def users(self) -> dict[str, str | None]:
        """The known users with their names, if a list of yours has these."""
        ids: dict[str, str | None] = {key: None for (key,) in self._rows("push/user_ids") if key is not None}
        return ids | self._listed("users", "user_id")

    def sizes(self, resource: str) -> dict[str, int]:
        """The number of known records of each type."""
        name = "push/count_assets" if resource == "assets" else "push/count_schedules"
        return {key: count for key, count in self._rows(name) if key is not None}

    def types(self, resource: str) -> dict[str, str]:
        """The names of the types."""
        return {one.id: one.shown for one in (self.asset_types if resource == "assets" else self.assessment_types)}

    def assets(self, ids: Sequence[str]) -> dict[str, tuple[str | None, str | None]]:
        """The property and the type of each known asset."""
        rows = self._rows("push/assets", {"ids": list(ids)})
        return {key: (property_id, type_id) for key, property_id, type_id in rows}

    def deleted_assets(self, ids: Sequence[str]) -> set[str]:
        """Those that the API no longer has."""
        return {key for (key,) in self._rows("push/deleted_assets", {"ids": list(ids)})} if ids else set()

    def marks(self, ids: Sequence[str]) -> dict[str, str]:
        """The serial number of each asset, or else its QR code."""
        return dict(self._rows("push/marks_of_assets", {"ids": list(ids)})) if ids else {}

    def assets_with_codes(self, codes: Collection[str]) -> list[tuple[str, str, str]]:
        """QR codes that assets have, each with its asset and field."""
        return [
            (code, key, field) for code, key, field in self._rows("push/assets_with_codes", {"codes": sorted(codes)})
        ]

    def asset_values(self, ids: Sequence[str], fields: Iterable[str]) -> dict[tuple[str, str], Any]:
        """The present values by asset and field, as in `plan.FieldChange`."""
        rows = self._rows("push/asset_values", {"ids": list(ids), "fields": list(fields)})
        return {
            (key, field_id): from_table(kind, text, options, written, fits=fits)
            for key, field_id, kind, text, options, written, fits in rows
        }

    def has_run(self, run: str) -> bool:
        """Whether these tables know a run."""
        return bool(self._rows("push/has_run", {"run": run})[0][0])

    def names_since(self, run: str) -> list[tuple[str, str, str | None, str | None]]:
        """The changes of labels and names after a run: the kind of change, what it is about, before and after."""
        return [(row[0], row[1], row[2], row[3]) for row in self._rows("push/names_since", {"run": run})]

    def earlier_values(
        self, ids: Sequence[str], fields: Sequence[str], at: datetime | None
    ) -> Iterator[tuple[tuple[str, str], Any, datetime, datetime]]:
        """Values that hold no longer, by asset and field, with their times; those that held after a moment, if any."""
        given = {"ids": list(ids), "fields": list(fields), "at": at}
        for key, field_id, kind, text, options, written, fits, begin, end in self._rows("push/earlier_values", given):
            yield (key, field_id), from_table(kind, text, options, written, fits=fits), begin, end

    def earlier_properties(self, ids: Sequence[str], at: datetime) -> dict[str, str | None]:
        """The properties that assets had at a moment, of those that have changed since."""
        return dict(self._rows("push/earlier_properties", {"ids": list(ids), "at": at}))

    def values_begun(self, ids: Sequence[str], fields: Sequence[str], at: datetime) -> list[tuple[str, str]]:
        """Assets and fields whose present value began after a moment."""
        given = {"ids": list(ids), "fields": list(fields), "at": at}
        return [(key, field_id) for key, field_id in self._rows("push/values_begun", given)]

    def earlier_schedules(
        self, properties: Sequence[str], at: datetime | None
    ) -> Iterator[tuple[Key, dict[str, Any], datetime, datetime]]:
        """Earlier versions of schedules, as `earlier_values`."""
        for row in self._rows("push/earlier_schedules", {"properties": list(properties), "at": at}):
            yield (row[0], row[1]), dict(zip(_MEMBERS, row[2:7], strict=True)), row[7], row[8]

    def schedules_since(self, at: datetime) -> set[Key]:
        """The schedules that were first seen after a moment."""
        return {(property_id, type_id) for property_id, type_id in self._rows("push/schedules_since", {"at": at})}

    def created(self, file: str) -> list[tuple[Any, ...]]:
        """The values of new assets from a file of this name, also of those that propsync may have created.

        Each has its plan, row, asset, run, whether a person must look, the message, field and value.
        """
        return [(*row[:-1], from_json(row[-1])) for row in self._rows("push/created", {"file": file})]

    def assets_of_type(self, type_id: str, properties: Sequence[str] | None) -> list[tuple[str, str | None]]:
        """The ids and properties of a type's assets, of all properties for None."""
        given = {"type": type_id, "properties": None if properties is None else list(properties)}
        return [(key, property_id) for key, property_id in self._rows("push/assets_of_type", given)]

    def assets_known_at(self, at: datetime, types: Collection[str], properties: Collection[str]) -> set[str]:
        """The ids of assets of these types and properties that were seen by then."""
        given = {"at": at, "types": sorted(types), "properties": sorted(properties)}
        return {asset_id for (asset_id,) in self._rows("push/assets_known_at", given)}

    def assets_seen_since(
        self, at: datetime, types: Collection[str], properties: Collection[str]
    ) -> list[tuple[str, str, str]]:
        """The assets of these types and properties that were first seen later, gone or not: id, property and type."""
        given = {"at": at, "types": sorted(types), "properties": sorted(properties)}
        return [(key, place, kind) for key, place, kind in self._rows("push/assets_seen_since", given)]

    def schedules(
        self, properties: Sequence[str] | None, types: Sequence[str] | None = None
    ) -> dict[Key, dict[str, Any]]:
        """The members of schedules by property and type, of all for None."""
        given = {"properties": properties, "types": types}
        bound = {name: None if ids is None else list(ids) for name, ids in given.items()}
        rows = self._rows("push/schedules", bound)
        return {(row[0], row[1]): dict(zip(_MEMBERS, row[2:], strict=True)) for row in rows}

    @cached_property
    def members(self) -> tuple[Field, ...]:
        """The members of a schedule."""
        members = (
            Field(STATUS, "Status", "text", "status", is_read_only=True),
            Field(DUE, "Due date", "date", "due_date"),
            Field(DESCRIPTION, "Description", "text", "description"),
            Field(REFERENCE, "Custom reference", "text", "custom_reference"),
            Field(ASSIGNED, "Assigned users", USERS, "assigned_users", self.users),
        )
        return tuple(replace(one, is_hidden=one.id in self._hidden) for one in members)

    def _fields(self) -> Mapping[str, list[Field]]:
        options: dict[tuple[str, str, bool], dict[str, str | None]] = defaultdict(dict)
        for type_id, field_id, option_id, label, is_listed in self._rows("push/options"):
            options[type_id, field_id, is_listed][option_id] = label
        recorded = self._rows("merge/tables/by_type/recorded_kinds", values="main.asset_field_values")
        kinds = {row[:2]: frozenset(row[2]) for row in recorded}
        found: dict[str, list[Field]] = defaultdict(list)
        for type_id, field_id, label, defined, column, is_listed in self._rows("push/fields"):
            kind = effective_kind(defined, kinds.get((type_id, field_id), frozenset()))
            offered, former = (options.get((type_id, field_id, is_offered), {}) for is_offered in (True, False))
            found[type_id].append(Field(field_id, label, kind, column, offered, is_listed, former=former))
        return found

    def _listed(self, table: str, key: str) -> dict[str, str | None]:
        """Names by id from people's list; nothing without such a list."""
        columns = [name for (name,) in self._rows("reference/columns_of", {"schema": "main", "table": table})]
        if key not in columns:
            return {}
        name = next((one for one in NAMES if one in columns), key)
        named = statement("push/names", key=quoted(key), name=quoted(name), table=quoted(table))
        return {one: None if name == key else shown for one, shown in self._reader.rows(named)[1] if one is not None}

    def _rows(self, name: str, given: Mapping[str, Any] | None = None, **fragments: str) -> list[tuple[Any, ...]]:
        return self._reader.rows(statement(name, **fragments), given)[1]
