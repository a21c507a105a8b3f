"""From the rows of a file to new, changed and deleted schedules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from propsync.errors import UsageError
from propsync.push.files.source import Row, Source
from propsync.push.plan import CREATE, DELETE, UPDATE, Entry, FieldChange, Plan
from propsync.push.planning.age import FileAge, run_of
from propsync.push.planning.columns import Keys, Layout
from propsync.push.planning.draft import Draft
from propsync.push.planning.row_checks import Aged, RowChecks, RowRefused, field_change, lots_of
from propsync.push.values.exchanged import Exchanged
from propsync.push.values.fields import RecordType
from propsync.push.values.published import Key, Published
from propsync.push.values.sameness import is_same

KEYS = Keys(
    {
        "property_id": ("property_id",),
        "type": ("assessment_type_id", "assessment_type", "type"),
        "delete": ("delete",),
    }
)
_ROWS = 2_000  # whose schedules are in memory at once
_HIDDEN = "[privacy] hides {}, so an undo could not bring it back"
_NO_MEMBERS: Mapping[str, Any] = {}
_WORDS = {"yes": True, "no": False, "": False}


@dataclass(frozen=True)
class Prune:
    """The schedules to delete if the file lacks them: of these properties and of these types; None for all."""

    properties: Sequence[str] | None
    types: Sequence[str] | None


class ScheduleRows:
    """Plans a file of schedules. `of_type` is the assessment type of rows that do not name theirs."""

    def __init__(
        self, published: Published, source: Source, of_type: RecordType | None, prune: Prune | None = None
    ) -> None:
        self._published, self._source, self._type, self._prune = published, source, of_type, prune
        self._types = published.assessment_types
        self._members = Exchanged(published, run_of(source.header)).in_members(published.members)
        self._hidden = ", ".join(one.label for one in self._members if one.is_hidden)
        self._layout = Layout(source, KEYS, self._members)
        if not self._layout.keys["property_id"]:
            raise UsageError(source.name, "it has no column property_id", "Add it, with the property of each schedule")
        self._fields = self._layout.fields_of(self._members, "schedules")
        self._aged = Aged()
        self._age = FileAge(published, source, self._aged)
        self._checks = RowChecks(source, self._aged, is_template=self._age.at is not None)
        self._draft = Draft("schedules", source, published.run)
        self._unread = 0

    def plan(self) -> Plan:
        """The plan. Raises UsageError if the file as a whole cannot be used."""
        for lot in lots_of(self._source.rows, _ROWS):
            self._plan_lot(lot)
        if self._prune is not None:
            self._plan_prune(self._prune)
        self._draft.notes += [*self._age.notes, *self._checks.notes]
        return self._draft.finished(self._published.sizes("schedules"), self._published.types("schedules"))

    def _plan_lot(self, lot: Sequence[Row]) -> None:
        named = [(row, key) for row in lot if (key := self._key(row))]
        properties = sorted({key[0] for _, key in named})
        known, then = self._published.schedules(properties), self._age.schedules(properties)
        for row, key in named:
            try:
                if self._draft.note_row(row.number, key):
                    self._draft.plan_row(row.number, self._entry(row, key, known.get(key), then.get(key, {})))
            except RowRefused as error:
                self._draft.refuse(error.refusals)
        self._age.look_back([one for row in lot if (one := self._draft.entry(row.number))], "schedules")

    def _key(self, row: Row) -> Key | None:
        """The schedule that a row names; None for a row that it refuses."""
        try:
            self._checks.check_width(row)
            return self._property(row), self._type_of(row).id
        except RowRefused as error:
            self._draft.refuse(error.refusals)
            self._unread += 1
            return None

    def _property(self, row: Row) -> str:
        property_id, place = self._checks.key(row, self._layout.keys["property_id"])
        if place is None:
            raise self._checks.refused(row, None, "it has no property_id")
        if property_id not in self._published.properties:
            raise self._checks.unknown_property(row, place, property_id)
        return property_id

    def _type_of(self, row: Row) -> RecordType:
        found = self._type
        for place in self._layout.keys["type"]:
            text, at = self._checks.key(row, [place])
            if at is None:
                continue
            one = self._checks.only_type(row, place, text, self._types)
            self._checks.refuse_second_type(row, place, found, one)
            found = one
        if found is None:
            raise self._checks.refused(
                row, None, "it needs an assessment type: fill assessment_type_id, or give --type"
            )
        return found

    def _entry(self, row: Row, key: Key, before: dict[str, Any] | None, then: Mapping[str, Any]) -> Entry | None:
        """The wish of a row. `then` are the members that the file was made from, if somebody has changed them since."""
        if before is None and then and not self._is_deleted(row):
            return self._created_again(row, key, then)
        newer = {name: value for name, value in then.items() if not is_same(value, (before or {}).get(name))}
        changes = self._checks.changes(row, self._fields, (before or {}).get, newer)
        if self._is_deleted(row):
            return self._deleted(row, key, before, changes)
        if before is not None:
            return Entry(row.number, UPDATE, key, *key, changes) if changes else None
        return self._created(row, key, changes)

    def _created_again(self, row: Row, key: Key, then: Mapping[str, Any]) -> Entry | None:
        """A row of a schedule that somebody has deleted since: nothing if the row shows what it was, else a new one."""
        place = f"row {row.number}, which somebody has deleted"
        if not self._checks.changes(row, self._fields, then.get):
            self._aged.stale.append(place)
            return None
        self._aged.unseen.append(place)
        return self._created(row, key, self._checks.changes(row, self._fields, _NO_MEMBERS.get))

    def _created(self, row: Row, key: Key, changes: list[FieldChange]) -> Entry:
        of_type = next(one for one in self._types if one.id == key[1])
        if not of_type.is_listed:
            raise self._checks.refused(row, None, f"the API no longer lists the type {of_type.shown}")
        return Entry(row.number, CREATE, key, *key, changes)

    def _is_deleted(self, row: Row) -> bool:
        text, place = self._checks.key(row, self._layout.keys["delete"])
        if text.casefold() not in _WORDS:
            raise self._checks.refused(row, place, "write yes to delete the schedule, or leave it empty")
        return _WORDS[text.casefold()]

    def _deleted(self, row: Row, key: Key, before: dict[str, Any] | None, changes: list[FieldChange]) -> Entry:
        place = self._layout.keys["delete"][0]
        if before is None:
            raise self._checks.refused(row, place, "no such schedule exists")
        if self._hidden:
            raise self._checks.refused(row, place, _HIDDEN.format(self._hidden))
        if changes:
            raise self._checks.refused(row, place, f"the row also changes {changes[0].label}; do only one of the two")
        self._checks.note_deleted(row)
        return self._removal(row.number, key, before)

    def _removal(self, row: int | None, key: Key, before: dict[str, Any]) -> Entry:
        olds = [field_change(field, before[field.id], None) for field in self._members]
        return Entry(row, DELETE, key, *key, olds)

    def _plan_prune(self, scope: Prune) -> None:
        named = set(self._draft.keys)
        if self._unread:
            rows = "a row names" if self._unread == 1 else f"{self._unread:,} rows name"
            what = f"{rows} no known property and type, and may stand for a schedule to keep"
            self._draft.notes.append(f"--prune deletes nothing, because {what}")
        elif self._hidden:
            self._draft.notes.append(f"--prune deletes nothing: {_HIDDEN.format(self._hidden)}")
        elif not named:
            self._draft.notes.append("--prune deletes nothing, because the file has no rows")
        else:
            self._plan_lacking(scope, named)

    def _plan_lacking(self, scope: Prune, named: set[tuple[str, ...]]) -> None:
        known = self._published.schedules(scope.properties, scope.types)
        lacking = [key for key in known if key not in named]
        newer = self._age.unknown_schedules().intersection(lacking)
        if len(lacking) == len(known) > len(newer):
            self._draft.notes.append("--prune deletes all schedules of its part, because the file has none of them")
        for key in lacking:
            if key not in newer:
                self._draft.plan_more(self._removal(None, key, known[key]))
        if newer:
            kept = "1 schedule that is" if len(newer) == 1 else f"{len(newer):,} schedules that are"
            self._draft.notes.append(f"--prune keeps {kept} newer than the file")
