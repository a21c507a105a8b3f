"""Which column of a file is which: the columns of keys, notes of people, and fields by id, column name or label."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from propsync.errors import UsageError
from propsync.push.files.source import Source
from propsync.push.values.fields import Field, RecordType, folded_name
from propsync.push.values.shown import may_be_lossy, without_quote

NOTE = "#"
_KEY_OF = {"asset_id": "assets", "assessment_type_id": "schedules"}
_BRACKETS = re.compile(r"(?P<label>.*)\[(?P<column>[^\[\]]+)\]", re.DOTALL)
_NEXT = "Correct the header, or begin a column's name with # for propsync to ignore it"


class Ambiguous(ValueError):
    """A name that fits several fields."""

    def __init__(self, fields: Sequence[Field]) -> None:
        super().__init__("several fields")
        self.fields = fields


def find_field(heading: str, fields: Sequence[Field]) -> Field | None:
    """The field that a column's name means; the first rule that fits any decides. Raises Ambiguous."""
    heading = without_quote(heading)
    for fits in _rules(heading):
        found = [one for one in fields if fits(one)]
        if len(found) > 1:
            raise Ambiguous(found)
        if found:
            return found[0]
    return None


def _rules(heading: str) -> Iterator[Callable[[Field], bool]]:
    brackets, folded = _BRACKETS.fullmatch(heading), folded_name(heading)
    yield lambda one: one.id == heading
    yield lambda one: one.column == heading
    yield lambda one: one.label == heading
    if brackets:
        yield lambda one: one.column == brackets["column"].strip().lower()
    yield lambda one: bool(folded) and folded_name(one.label) == folded
    yield lambda one: one.column.casefold() == folded
    if "?" in heading:  # Windows-1252 has it for a character that it lacks
        yield lambda one: may_be_lossy(folded, folded_name(one.label))


@dataclass(frozen=True)
class Keys:
    """The names that columns of keys may have: the field of a record's key, and the names of its column."""

    names: dict[str, tuple[str, ...]]

    def of(self, heading: str) -> str | None:
        """The key that a name means, in any case and with blanks for underscores."""
        plain = heading.strip().lower().replace(" ", "_")
        return next((key for key, names in self.names.items() if plain in names), None)


class Layout:
    """The columns of one file. `keys` has the places of each key; `others` may be fields."""

    def __init__(self, source: Source, keys: Keys, all_fields: Sequence[Field]) -> None:
        self._source = source
        self.keys: dict[str, list[int]] = {key: [] for key in keys.names}
        self.others: list[int] = []
        self._used: set[int] = set()
        for place, heading in enumerate(source.header):
            if heading.startswith(NOTE):
                continue
            self._sort_in(place, heading, keys, all_fields)
        self._check_known(all_fields)
        self._check_keys()

    def _sort_in(self, place: int, heading: str, keys: Keys, all_fields: Sequence[Field]) -> None:
        key = keys.of(heading)
        is_exact = key is not None and heading in keys.names[key]
        if key is not None and (is_exact or not _means_any(heading, all_fields)):
            self.keys[key].append(place)
        if heading and (key is None or key == "type" or not is_exact):
            self.others.append(place)

    def fields_of(self, fields: Sequence[Field], of: str) -> dict[int, Field]:
        """The field of each column, for records of one type. Raises UsageError for a name that fits two fields."""
        found: dict[int, Field] = {}
        for place in self.others:
            try:
                one = find_field(self._source.header[place], fields)
            except Ambiguous as error:
                raise self._refused(place, _candidates(error.fields, of)) from error
            if one is not None:
                self._check_once(found, place, one)
                self._check_passed_on(place, one)
                found[place] = one
        self._used |= found.keys()
        return found

    def check_used(self, types: Sequence[RecordType]) -> None:
        """Raises UsageError for a column that no record's type has, such as one whose label is new."""
        names, fields = " or ".join(one.shown for one in types), [field for one in types for field in one.fields]
        keys = {place for places in self.keys.values() for place in places}
        for place in self.others:
            if place not in self._used | keys:
                heading = self._source.header[place]
                raise self._refused(place, f"no field of {names} is called {heading!r}{_near(heading, fields)}")

    def _check_known(self, all_fields: Sequence[Field]) -> None:
        keys = {place for places in self.keys.values() for place in places}
        for place in self.others:
            heading = self._source.header[place]
            if place not in keys and not _means_any(heading, all_fields):
                if of := _KEY_OF.get(heading.lower()):
                    step = f"Run `propsync push plan {of}` with it"
                    raise UsageError(self._source.name, f"its column {heading} is that of a file of {of}", step)
                raise self._refused(
                    place, f"nothing that propsync can write is called {heading!r}{_near(heading, all_fields)}"
                )

    def _check_keys(self) -> None:
        for key, places in self.keys.items():
            if key != "type" and len(places) > 1:
                raise self._refused(places[1], f"{len(places)} columns are called {key}")

    def _check_once(self, found: dict[int, Field], place: int, one: Field) -> None:
        before = next((other for other, field in found.items() if field is one), None)
        if before is not None:
            first, second = (self._source.column(at) for at in (before, place))
            raise self._refused(place, f"the columns {first} and {second} are both the field {one.label or one.column}")

    def _check_passed_on(self, place: int, one: Field) -> None:
        heading = without_quote(self._source.header[place])
        if (
            one.has_passed_label
            and heading not in (one.id, one.column)
            and folded_name(heading) == folded_name(one.label)
        ):
            step = f"Write the name of the column that you mean, such as {one.column}, or make a new template"
            what = f"{one.label} was the label of another field when the file was made"
            raise self._refused(place, what, step)

    def _refused(self, place: int, what: str, next_step: str = _NEXT) -> UsageError:
        return UsageError(f"{self._source.name}, column {self._source.column(place)}", what, next_step)


def _means_any(heading: str, fields: Sequence[Field]) -> bool:
    try:
        return find_field(heading, fields) is not None
    except Ambiguous:
        return True


def _candidates(fields: Sequence[Field], of: str) -> str:
    named = " and ".join(f"{one.label} [{one.column}]" for one in fields)
    return f"{len(fields)} fields of {of} have this name: write {named}"


def _near(heading: str, fields: Sequence[Field]) -> str:
    labels = {name.casefold(): name for one in fields for name in (one.label, one.column) if name}
    near = get_close_matches(heading.casefold(), labels, 3)
    return f"; did you mean {' or '.join(labels[name] for name in near)}?" if near else ""
