"""The way back: what a plan wrote becomes the plan that writes the values from before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from typing import Any

import msgspec

from propsync.api import FieldKind, check_values
from propsync.errors import InvalidValue
from propsync.push.outcome import STORED_OTHERWISE
from propsync.push.plan import CREATE, DELETE, UPDATE, Entry, FieldChange, Refusal
from propsync.push.planning.row_checks import field_change, first_of
from propsync.push.review.changes import counted
from propsync.push.values.fields import USERS, Field
from propsync.push.values.sameness import as_written, is_same, is_stored
from propsync.push.values.schedule_values import MEMBERS, STATUS, is_begun
from propsync.records import key_of, record_id
from propsync.resources import ASSETS
from propsync.suppression import REPLACEMENT

_EDITED = "somebody edited it since, so the undo leaves it as it is"
_STAYS = "the API has no delete for assets, so the new asset stays"
_ERASED = "the value before, or a part of it, was erased, so nobody can write it back"
_UNFIT = "the value before does not fit its field, so the API would refuse it"
_OFFERED_NO_MORE = "the type no longer has the field, or an option of the value before, so the API would refuse it"
_UNKNOWN = "propsync does not know yet what its write did: apply the plan again, then undo it"
_PARKED = "propsync cannot tell what its write did, so the undo leaves it as it is"
_BEGINS = (
    "A schedule that is created again begins with the status of a new one, and lacks any member that no write may have"
)
_DECODER = msgspec.json.Decoder(float_hook=Decimal)


@dataclass(frozen=True)
class Recorded:
    """A row of `ops.writes` that the API accepted, or that is parked."""

    run_id: str
    row: int | None
    resource: str
    record: str | None
    action: str
    field: str | None
    old: Any
    new: Any
    code: str | None
    is_unread: bool
    """Whether propsync has not read it back yet, so that the tables may be older."""
    is_parked: bool
    """Whether a person must look: the record is None if nobody knows whether a new asset exists."""

    @classmethod
    def of(cls, row: Sequence[Any]) -> Recorded:
        """From the columns of `push/writes_to_undo`, without the plan's id."""
        run_id, file_row, resource, record, action, field, old, new, code, *how = row
        return cls(run_id, file_row, resource, record, action, field, _value(old), _value(new), code, *how)

    @property
    def is_erased(self) -> bool:
        """Whether an erasure took both values: no update writes nothing in place of nothing."""
        return self.action == UPDATE and self.old is None and self.new is None

    @property
    def key(self) -> tuple[str, ...]:
        """The record's key; empty if nobody knows it."""
        if self.record is None:
            return ()
        return (self.record,) if self.resource == ASSETS.name else key_of(self.record)


@dataclass(frozen=True)
class Present:
    """A written record as it is published now; `run_id` saw its last change.

    A schedule has a `status`, and began with one.
    """

    property_id: str
    type_id: str
    values: Mapping[str, Any]
    run_id: str | None
    status: str | None = None
    first_status: str | None = None


@dataclass(frozen=True)
class WayBack:
    """The entries that reverse a plan, what cannot be reversed, and lines about the whole."""

    entries: list[Entry]
    refused: list[Refusal]
    notes: list[str]


Fields = Mapping[tuple[str, str], Field]
"""The fields of assets by type and id; under an empty type those of any, and the members of schedules."""


def way_back(
    recorded: Sequence[Recorded],
    present: Mapping[tuple[str, ...], Present],
    fields: Fields,
    unknown: Sequence[Entry] = (),
) -> WayBack:
    """Reverses what the records still show; an edit by somebody else since is refused, and so is a new asset.

    `unknown` are entries that propsync has sent, and whose effect nothing records.
    """
    found: list[Entry | Refusal | None] = [
        Refusal(one.row, None, record_id(one.key) if one.key else None, _UNKNOWN) for one in unknown
    ]
    for (_, _), of_record in groupby(recorded, key=lambda one: (one.row, one.record)):
        rows = list(of_record)
        found += _of_record(rows, present.get(rows[0].key), fields)
    entries = [one for one in found if isinstance(one, Entry)]
    refused = [one for one in found if isinstance(one, Refusal)]
    return WayBack(entries, refused, [*_notes(entries, refused, found.count(None)), *_otherwise(recorded, entries)])


def _of_record(rows: list[Recorded], there: Present | None, fields: Fields) -> Iterator[Entry | Refusal | None]:
    """The way back for a record; None for a value or a schedule that is as before.

    If propsync has not read it back, the tables show it as before whatever the API has.
    """
    first = rows[0]
    if first.is_parked:
        type_id = there.type_id if there else ""
        yield from (
            Refusal(one.row, one.field and _field(one, type_id, fields).label, one.record, _PARKED) for one in rows
        )
        return
    unknown = Refusal(first.row, None, first.record, _UNKNOWN)
    for one in _reversed(rows, there, fields):
        yield unknown if one is None and first.is_unread else one


def _reversed(rows: list[Recorded], there: Present | None, fields: Fields) -> Iterator[Entry | Refusal | None]:
    first = rows[0]
    if first.action == CREATE and first.resource == ASSETS.name:
        yield Refusal(first.row, None, first.record, _STAYS)
    elif first.action == UPDATE:
        yield from _updated(rows, there, fields)
    elif first.action == CREATE:
        yield _uncreated(rows, there, fields)
    else:
        yield from _undeleted(rows, there, fields)


def _updated(rows: list[Recorded], there: Present | None, fields: Fields) -> Iterator[Entry | Refusal | None]:
    first = rows[0]
    changes = []
    for one in rows:
        field = _field(one, there.type_id if there else "", fields)
        now = there.values.get(str(one.field)) if there else None
        old = as_written(field.kind, one.old)
        if one.is_erased:
            yield Refusal(one.row, field.label, first.record, _ERASED)
        elif there is not None and is_stored(old, now, field.kind):
            yield None
        elif there is None or not _is_ours(one, now, there, field.kind):
            yield Refusal(one.row, field.label, first.record, _EDITED)
        elif _is_erased(one.old):
            yield Refusal(one.row, field.label, first.record, _ERASED)
        elif why := _why_unfit(field, old):
            yield Refusal(one.row, field.label, first.record, why)
        else:
            changes.append(field_change(field, now, old))
    if there is not None and changes:
        yield Entry(first.row, UPDATE, first.key, there.property_id, there.type_id, changes)


def _is_erased(value: Any) -> bool:
    """Whether an erasure replaced a part of a value."""
    parts = value if isinstance(value, list) else [value]
    return any(isinstance(part, str) and REPLACEMENT in part for part in parts)


def _why_unfit(field: Field, value: Any) -> str | None:
    """Why no write may have a value; the API shows some that none may have, such as a date that no calendar has."""
    if field.kind == USERS:
        return None if value is None or isinstance(value, list) else _UNFIT
    try:
        check_values({field.id: FieldKind(field.kind)}, {field.id: value})
    except InvalidValue:
        return _UNFIT
    is_offered = not isinstance(value, list) or not field.choices or field.choices.keys() >= {*value}
    return None if field.is_listed and is_offered else _OFFERED_NO_MORE


def _is_ours(one: Recorded, now: Any, there: Present, kind: str = "") -> bool:
    """Whether the record still has what the run left: its value, or what the API stored in its place."""
    return is_stored(one.new, now, kind) or (one.code == STORED_OTHERWISE and there.run_id == one.run_id)


def _uncreated(rows: list[Recorded], there: Present | None, fields: Fields) -> Entry | Refusal | None:
    """Deletes a schedule that the run created, if it still has what the run gave it, and the same status."""
    first, given = rows[0], {one.field: one for one in rows}
    if there is None:
        return None
    for name in MEMBERS:
        one, now = given.get(name), there.values.get(name)
        if not (is_stored(None, now) if one is None else _is_ours(one, now, there)):
            return Refusal(first.row, fields["", name].label, first.record, _EDITED)
    if is_begun(there.first_status, there.status):
        return Refusal(first.row, fields["", STATUS].label, first.record, _EDITED)
    olds = {name: there.values.get(name) for name in MEMBERS} | {STATUS: there.status}
    changes = [field_change(fields["", name], old, None) for name, old in olds.items()]
    return _entry(first, DELETE, changes)


def _undeleted(rows: list[Recorded], there: Present | None, fields: Fields) -> Iterator[Entry | Refusal | None]:
    """Creates a schedule again that the run deleted, unless somebody has made one since."""
    first, before = rows[0], {one.field: one.old for one in rows}
    if there is not None and all(is_same(there.values.get(name), before.get(name)) for name in MEMBERS):
        yield None
    elif there is not None:
        yield Refusal(first.row, None, first.record, _EDITED)
    elif any(_is_erased(one.old) for one in rows):
        yield Refusal(first.row, None, first.record, _ERASED)
    else:
        given = [(_field(one, "", fields), one.old) for one in rows if one.field in MEMBERS and one.old is not None]
        fit = [(field, old) for field, old in given if not _why_unfit(field, old)]
        yield _entry(first, CREATE, [field_change(field, None, old) for field, old in fit])
        for field, old in given:
            if why := _why_unfit(field, old):
                yield Refusal(first.row, field.label, first.record, why)


def _entry(one: Recorded, action: str, changes: list[FieldChange]) -> Entry:
    """An entry about a schedule, whose key is its property and type."""
    property_id, type_id = one.key
    return Entry(one.row, action, one.key, property_id, type_id, changes)


def _field(one: Recorded, type_id: str, fields: Fields) -> Field:
    """The field of a write, as people know it; one that no type has any more is known by its id."""
    field = str(one.field)
    return fields.get((type_id if one.resource == ASSETS.name else "", field)) or Field(field, field, "text", field)


def _notes(entries: Sequence[Entry], refused: Sequence[Refusal], as_before: int) -> list[str]:
    reasons = (_EDITED, _STAYS, _UNFIT, _OFFERED_NO_MORE, _ERASED, _UNKNOWN, _PARKED)
    edited, stays, unfit, gone, erased, unknown, parked = (sum(one.reason == why for one in refused) for why in reasons)
    lines = [f"{counted(len(entries), 'record')} can be reversed"]
    if as_before:
        lines.append(f"As before already: {counted(as_before, 'value')}. The undo has nothing to do there")
    if unknown:
        lines.append(f"Unknown yet: {counted(unknown, 'write')}. Apply the plan again, then undo it")
    if parked:
        lines.append(
            f"Parked: {counted(parked, 'value')}. propsync cannot tell what its write did: look at the records"
        )
    if edited:
        lines.append(f"Edited by somebody else since: {counted(edited, 'value')}. The undo leaves them as they are")
    if stays:
        lines.append(f"Impossible: {counted(stays, 'new asset')}. The API has no delete for assets")
    if unfit:
        lines.append(f"Impossible: {counted(unfit, 'value')} that the API shows, and would refuse")
    if gone:
        lines.append(f"Impossible: {counted(gone, 'value')} of fields or options that their type no longer has")
    if erased:
        lines.append(f"Impossible: {counted(erased, 'value')}, erased wholly or in part")
    is_again = any(one.action == CREATE for one in entries)
    return [*lines, *([_BEGINS] if is_again else [])]


def _otherwise(recorded: Sequence[Recorded], entries: Sequence[Entry]) -> list[str]:
    """A line about values to replace that are not those sent: somebody may have edited them before the read-back."""
    sent = {(one.key, one.field): one.new for one in recorded}
    places = [
        f"row {entry.row}, {change.label}"
        for entry in entries
        for change in entry.changes
        if (entry.key, change.field) in sent and not is_stored(sent[entry.key, change.field], change.old, change.kind)
    ]
    if not places:
        return []
    what = f"{counted(len(places), 'value')} to replace: the record has another one than propsync sent"
    why = "The API has stored it in another form, or somebody has edited it since. Compare old and new"
    return [f"Otherwise: {what}: {first_of(places)}. {why}"]


def _value(written: str | None) -> Any:
    return None if written is None else _DECODER.decode(written)
