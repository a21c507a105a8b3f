"""Names that meant another field, option or user when a file was made.

Somebody may exchange two labels, or give a label to a new field. A file from before uses them in their former sense.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from propsync.push.damage import CellRefused
from propsync.push.fields import USERS, Field, RecordType
from propsync.push.published import Published
from propsync.push.source import BLANKS, Cell
from propsync.records import key_of

_PARTS = "; "
_OF_FIELDS = ("label renamed", "field new", "field defined again")
_OF_OPTIONS = ("option renamed", "option new", "option offered again")
_OF_USERS = "user name passed on"


@dataclass
class _Changes:
    """The names that were given up, and those that were taken on."""

    given: set[str] = field(default_factory=set)
    taken: set[str] = field(default_factory=set)


class Exchanged:
    """The names that somebody else has since a run; none if a file names no run."""

    def __init__(self, published: Published, run: str | None) -> None:
        self._users: set[str] = set()
        self._labels: dict[str, _Changes] = {}
        self._options: dict[tuple[str, ...], _Changes] = {}
        for change, name, before, after in published.names_since(run) if run else ():
            self._add(change, name, before, after)

    def _add(self, change: str, name: str, before: str | None, after: str | None) -> None:
        if change == _OF_USERS:
            self._users.add(_folded(name))
            return
        key = key_of(name)
        if change in _OF_FIELDS:
            changes, parts = self._labels.setdefault(key[0], _Changes()), 1
        else:
            changes, parts = self._options.setdefault(key, _Changes()), -1
        if change in (_OF_FIELDS[0], _OF_OPTIONS[0]):
            changes.given.update(_names(before, parts))
        changes.taken.update(_names(after, parts))

    def in_type(self, one: RecordType) -> RecordType:
        """The type, whose fields know these names."""
        labels = _passed(self._labels.get(one.id))
        fields = (
            replace(
                each,
                passed_on=frozenset(_passed(self._options.get((one.id, each.id)))),
                has_passed_label=_folded(each.label) in labels,
            )
            for each in one.fields
        )
        return replace(one, fields=tuple(fields))

    def in_members(self, members: Iterable[Field]) -> tuple[Field, ...]:
        """The members of a schedule; that of users knows these names."""
        return tuple(replace(one, passed_on=frozenset(self._users)) if one.kind == USERS else one for one in members)


def check_passed_on(cell: Cell, of_field: Field) -> None:
    """Raises CellRefused for a cell with a name that another option or user had when the file was made."""
    if not of_field.passed_on or not isinstance(cell, str):
        return
    for text in _parts(cell, of_field.most_semicolons):
        if _folded(text) in of_field.passed_on and text not in of_field.choices:
            noun = "user" if of_field.kind == USERS else "option"
            raise CellRefused(
                f"{text} was the name of another {noun} when the file was made: write the id, or make a new template"
            )


def _parts(text: str, most_semicolons: int) -> Iterator[str]:
    """Each name that the text may have; a name may itself have semicolons."""
    parts = text.split(";")
    for start in range(len(parts)):
        for end in range(start + 1, min(len(parts), start + 1 + most_semicolons) + 1):
            yield ";".join(parts[start:end]).strip(BLANKS)


def _names(text: str | None, most: int) -> Iterator[str]:
    """The names in a cell of `ops.schema_changes`: options are several, with a semicolon between."""
    yield from map(_folded, [text or ""] if most == 1 else (text or "").split(_PARTS))


def _passed(changes: _Changes | None) -> set[str]:
    return (changes.given & changes.taken) - {""} if changes else set()


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
