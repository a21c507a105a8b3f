"""Names that meant another field, option or user when a file or a plan was made.

Somebody may exchange two labels, or give a label to a new field. A file from before uses them in their former sense,
and a person has reviewed a plan by them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from propsync.push.files.damage import CellRefused
from propsync.push.files.source import BLANKS, Cell
from propsync.push.plan import CREATE, Entry, FieldChange, Plan
from propsync.push.values.fields import USERS, Field, RecordType, folded_name, is_other_name, is_passed_on
from propsync.push.values.published import Published
from propsync.records import key_of
from propsync.resources import ASSETS

_PARTS = "; "
_OF_FIELDS = ("label renamed", "field new", "field defined again")
_OF_USERS = "user name passed on"
ITS_TYPE = "its type"


@dataclass
class _Names:
    """Names in small letters that changed since: `then` has the ids that first gave each up, `taken` those taken on."""

    then: dict[str, set[str]] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)

    def note(self, before: str | None, after: str | None, ids: Iterable[str]) -> None:
        """Notes a change; of a name that several changes give up, the first one counts."""
        if before:
            self.then.setdefault(folded_name(before), set(ids))
        if after:
            self.taken.add(folded_name(after))

    def passed_on(self, holders: Callable[[str], set[str]]) -> frozenset[str]:
        """The names of which somebody else is a holder now."""
        return frozenset(one for one in self.taken & self.then.keys() if not holders(one) <= self.then[one])


class Exchanged:
    """The names that somebody else has since a run; none if a file names no run."""

    def __init__(self, published: Published, run: str | None) -> None:
        self._users = _Names()
        self._labels: defaultdict[str, _Names] = defaultdict(_Names)
        self._options: defaultdict[tuple[str, ...], _Names] = defaultdict(_Names)
        for change, name, before, after in published.names_since(run) if run else ():
            self._add(change, name, before, after)

    def _add(self, change: str, name: str, before: str | None, after: str | None) -> None:
        given = before if change.endswith("renamed") else None
        if change == _OF_USERS:
            self._users.note(name, name, (before or "").split(_PARTS))
        elif change in _OF_FIELDS:
            type_id, field_id = key_of(name)
            self._labels[type_id].note(given, after, [field_id])
        else:  # labels without the ids of their options
            for one in (given or "").split(_PARTS):
                self._options[key_of(name)].note(one, None, [])
            for one in (after or "").split(_PARTS):
                self._options[key_of(name)].note(None, one, [])

    def in_type(self, one: RecordType) -> RecordType:
        """The type, whose fields know these names."""
        labels = self._labels[one.id].passed_on(lambda name: {each.id for each in one.fields if _is(name, each.label)})
        fields = (
            replace(
                each,
                passed_on=self._options[one.id, each.id].passed_on(each.like),
                has_passed_label=folded_name(each.label) in labels,
            )
            for each in one.fields
        )
        return replace(one, fields=tuple(fields))

    def in_members(self, members: Iterable[Field]) -> tuple[Field, ...]:
        """The members of a schedule; that of users knows these names."""
        return tuple(
            replace(one, passed_on=self._users.passed_on(one.like)) if one.kind == USERS else one for one in members
        )


def check_passed_on(cell: Cell, of_field: Field) -> None:
    """Raises CellRefused for a cell with a name that another option or user had when the file was made."""
    if not of_field.passed_on or not isinstance(cell, str):
        return
    for text in _parts(cell, of_field.most_semicolons):
        if folded_name(text) in of_field.passed_on and text not in of_field.choices:
            noun = "user" if of_field.kind == USERS else "option"
            raise CellRefused(
                f"{text} was the name of another {noun} when the file was made: write the id, or make a new template"
            )


def renamed_since(published: Published, plan: Plan) -> list[str]:
    """The places of a plan whose new options or users, field or type no longer have the names that it shows."""
    of_types = {one.id: {each.id: each for each in one.fields} for one in published.asset_types}
    members = {one.id: one for one in published.members}
    types = published.types(plan.resource)
    return [
        place_of(entry, name)
        for entry in plan.entries
        for name in (
            *_renamed_type(entry, plan, types),
            *_renamed_fields(entry, of_types.get(entry.type_id, {}) if plan.resource == ASSETS.name else members),
        )
    ]


def place_of(entry: Entry, name: str) -> str:
    """A field of an entry for a message, with the row of the file if it has one."""
    return f"row {entry.row}, {name}" if entry.row else name


def _renamed_type(entry: Entry, plan: Plan, types: Mapping[str, str]) -> list[str]:
    then, now = plan.types.get(entry.type_id), types.get(entry.type_id)
    return [ITS_TYPE] if entry.action == CREATE and is_passed_on(then, now, types.values()) else []


def _renamed_fields(entry: Entry, fields: Mapping[str, Field]) -> list[str]:
    return [change.label for change in entry.changes if _has_other_names(change, fields)]


def _has_other_names(change: FieldChange, fields: Mapping[str, Field]) -> bool:
    of_field = fields.get(change.field)
    if of_field is None:
        return False
    ids = change.new if isinstance(change.new, list) else []
    return is_passed_on(change.label, of_field.label or of_field.column, (one.label for one in fields.values())) or any(
        is_other_name(change.names.get(one), of_field.name_of(one)) for one in ids
    )


def _parts(text: str, most_semicolons: int) -> Iterator[str]:
    """Each name that the text may have; a name may itself have semicolons."""
    parts = text.split(";")
    for start in range(len(parts)):
        for end in range(start + 1, min(len(parts), start + 1 + most_semicolons) + 1):
            yield ";".join(parts[start:end]).strip(BLANKS)


def _is(name: str, label: str) -> bool:
    return folded_name(label) == name
