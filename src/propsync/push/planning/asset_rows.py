"""From the rows of a file to changes of assets and new assets."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from propsync.errors import UsageError
from propsync.push.files.source import Row, Source
from propsync.push.plan import CREATE, UPDATE, Entry, Plan
from propsync.push.planning.age import FileAge, run_of
from propsync.push.planning.codes import codes_note
from propsync.push.planning.columns import Keys, Layout
from propsync.push.planning.copies import copies_note, repeats_note
from propsync.push.planning.created_before import CreatedBefore
from propsync.push.planning.draft import Draft
from propsync.push.planning.row_checks import Aged, RowChecks, RowRefused, lots_of
from propsync.push.values.exchanged import Exchanged
from propsync.push.values.fields import Field, RecordType
from propsync.push.values.published import Published

KEYS = Keys(
    {"asset_id": ("asset_id",), "property_id": ("property_id",), "type": ("type", "asset_type", "asset_type_id")}
)
_ROWS = 2_000  # whose present values are in memory at once


@dataclass(frozen=True)
class _Lot:
    """The assets of some rows in the tables: their places, present values, and what was before where newer came."""

    known: Mapping[str, tuple[str | None, str | None]]
    values: Mapping[tuple[str, str], Any]
    then: Mapping[str, Mapping[str, Any]]
    properties_then: Mapping[str, str | None]
    deleted: Collection[str]


@dataclass
class _Columns:
    """The columns of a file for one type: its fields, and those of other types."""

    fields: dict[int, Field]
    others: list[int]


class AssetRows:
    """Plans a file of assets. `of_type` is the type of rows that do not name theirs."""

    def __init__(self, published: Published, source: Source, of_type: RecordType | None) -> None:
        exchanged = Exchanged(published, run_of(source.header))
        self._published, self._source = published, source
        self._types = {one.id: exchanged.in_type(one) for one in published.asset_types}
        self._type = self._types[of_type.id] if of_type else None
        self._layout = Layout(source, KEYS, [field for one in self._types.values() for field in one.fields])
        if not self._layout.keys["asset_id"]:
            next_step = "Add it: the ids of the assets to change, empty for new ones"
            raise UsageError(source.name, "it has no column asset_id", next_step)
        self._columns: dict[str, _Columns] = {}
        self._aged = Aged()
        self._age = FileAge(published, source, self._aged)
        self._checks = RowChecks(source, self._aged, is_template=self._age.at is not None)
        self._draft = Draft("assets", source, published.run)

    def plan(self) -> Plan:
        """The plan. Raises UsageError if the file as a whole cannot be used."""
        for lot in lots_of(self._source.rows, _ROWS):
            self._plan_lot(lot)
        if self._columns:
            self._layout.check_used([self._types[one] for one in self._columns])
        created = self._draft.with_action(CREATE)
        self._draft.notes += [*copies_note(self._published, created), *repeats_note(created)]
        self._draft.notes += codes_note(self._published, [*self._draft.with_action(UPDATE), *created])
        self._draft.notes += [*self._age.notes, *self._checks.notes]
        return self._draft.finished(self._published.sizes("assets"), self._published.types("assets"))

    def _plan_lot(self, lot: Sequence[Row]) -> None:
        named = [(row, asset_id) for row in lot if (asset_id := self._asset_id(row)) is not None]
        ids = [asset_id for _, asset_id in named if asset_id]
        known = self._published.assets(ids)
        types = {type_id for _, type_id in known.values() if type_id in self._types}
        fields = {field.id for one in types for field in self._columns_of(self._types[one]).fields.values()}
        values = self._published.asset_values(ids, fields) if fields else {}
        then, properties_then = self._age.asset_values(ids, sorted(fields)), self._age.properties(ids)
        deleted = self._published.deleted_assets([one for one in ids if one not in known])
        of_lot = _Lot(known, values, then, properties_then, deleted)
        for row, asset_id in named:
            try:
                self._plan_row(row, asset_id, of_lot)
            except RowRefused as error:
                self._draft.refuse(error.refusals)
        self._age.look_back([one for row in lot if (one := self._draft.entry(row.number))], "assets")

    def _asset_id(self, row: Row) -> str | None:
        """The asset that a row names, an empty text for a new one; None for a row that it refuses."""
        try:
            self._checks.check_width(row)
            return self._checks.key(row, self._layout.keys["asset_id"])[0]
        except RowRefused as error:
            self._draft.refuse(error.refusals)
            return None

    def _plan_row(self, row: Row, asset_id: str, of_lot: _Lot) -> None:
        if not asset_id:
            self._draft.plan_row(row.number, self._created(row))
        elif asset_id not in of_lot.known:
            raise self._unknown(row, asset_id, of_lot)
        elif self._draft.note_row(row.number, (asset_id,)):
            self._draft.plan_row(row.number, self._updated(row, asset_id, of_lot))

    def _unknown(self, row: Row, asset_id: str, of_lot: _Lot) -> RowRefused:
        place = self._checks.key(row, self._layout.keys["asset_id"])[1] or 0
        if asset_id in of_lot.deleted:
            return self._checks.refused(row, place, "the API no longer has this asset; delete the row")
        run = self._published.run
        reason = f"no asset has this id in the tables of run {run}; run `propsync sync` if it is new"
        return self._checks.unknown(row, place, asset_id, reason)

    def _updated(self, row: Row, asset_id: str, of_lot: _Lot) -> Entry | None:
        property_id, type_id = of_lot.known[asset_id]
        of_type = self._types.get(type_id or "")
        if of_type is None or property_id is None:
            raise self._checks.refused(row, None, "the API shows no type or no property of this asset")
        moved = self._moved(row, property_id, of_lot.properties_then.get(asset_id))
        named = self._check_type(row, of_type)
        columns = self._columns_of(of_type)
        self._checks.refuse_others(row, [one for one in columns.others if one not in named], of_type.shown)
        fields = {at: field for at, field in columns.fields.items() if at not in named}
        then = of_lot.then.get(asset_id, {})
        changes = self._checks.changes(row, fields, lambda field: of_lot.values.get((asset_id, field)), then)
        self._aged.moved += moved
        return Entry(row.number, UPDATE, (asset_id,), property_id, of_type.id, changes) if changes else None

    def _moved(self, row: Row, property_id: str, then: str | None) -> list[str]:
        """The cell that shows the property of the asset `then`, if it has moved. Raises RowRefused for another one."""
        given, place = self._checks.key(row, self._layout.keys["property_id"])
        if place is None or given == property_id:
            return []
        if given != then:
            reason = (
                f"the asset belongs to property {property_id}, and no write moves it: write that id, or empty the cell"
            )
            raise self._checks.refused(row, place, reason)
        return [f"row {row.number}, {self._source.column(place, row.number)}"]

    def _check_type(self, row: Row, of_type: RecordType) -> set[int]:
        """The places whose cells name the asset's own type. Raises RowRefused for one that names a different type."""
        fields = self._columns_of(of_type).fields
        named: set[int] = set()
        for place in self._layout.keys["type"]:
            text, at = self._checks.key(row, [place])
            if at is None or of_type.is_called(text):
                named.add(place)
            elif place not in fields:
                self._checks.only_type(row, place, text, self._types.values())
                raise self._checks.refused(
                    row, place, f"the asset is of the type {of_type.shown}, and nobody can change it"
                )
        if self._type is not None and self._type is not of_type:
            raise self._checks.refused(row, None, f"the asset is of the type {of_type.shown}, not {self._type.shown}")
        return named

    def _created(self, row: Row) -> Entry:
        property_id, place = self._checks.key(row, self._layout.keys["property_id"])
        if place is None:
            raise self._checks.refused(row, None, "it has no asset_id; a new asset needs property_id and type")
        if property_id not in self._published.properties:
            raise self._checks.unknown_property(row, place, property_id)
        of_type, named = self._type_of_new(row)
        columns = self._columns_of(of_type)
        self._checks.refuse_others(row, [one for one in columns.others if one not in named], of_type.shown)
        fields = {at: field for at, field in columns.fields.items() if at not in named}
        changes = self._checks.changes(row, fields, lambda _: None)
        if before := self._before.take(property_id, of_type.id, changes):
            raise self._checks.refused(row, None, before.reason)
        return Entry(row.number, CREATE, (), property_id, of_type.id, changes)

    def _type_of_new(self, row: Row) -> tuple[RecordType, set[int]]:
        """The type of a new asset, and the places of the cells that name it."""
        found = self._type
        named: set[int] = set()
        for place in self._layout.keys["type"]:
            text, at = self._checks.key(row, [place])
            if at is None or self._is_field(place, text):
                continue
            one = self._checks.only_type(row, place, text, self._types.values())
            self._checks.refuse_second_type(row, place, found, one)
            found, named = one, {*named, place}
        if found is None:
            raise self._checks.refused(
                row, None, "a new asset needs a type: fill the column asset_type, or give --type"
            )
        if not found.is_listed:
            raise self._checks.refused(row, None, f"the API no longer lists the type {found.shown}")
        return found, named

    @cached_property
    def _before(self) -> CreatedBefore:
        return CreatedBefore(self._published, self._source.name)

    def _is_field(self, place: int, text: str) -> bool:
        """Whether a column that may name the type is a field of the type that --type gives."""
        of_type = self._type
        return of_type is not None and place in self._columns_of(of_type).fields and not of_type.is_called(text)

    def _columns_of(self, of_type: RecordType) -> _Columns:
        if of_type.id not in self._columns:
            fields = self._layout.fields_of(of_type.fields, of_type.shown)
            keys = {place for places in self._layout.keys.values() for place in places}
            others = [place for place in self._layout.others if place not in fields and place not in keys]
            self._columns[of_type.id] = _Columns(fields, others)
        return self._columns[of_type.id]
