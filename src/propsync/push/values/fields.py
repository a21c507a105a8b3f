"""The things that a person can write: the fields of asset types, and the members of schedules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from propsync.push.files.source import BLANKS

WRITABLE = ("text", "number", "option", "date", "time", "qr")
"""The kinds whose writing the API's document shows (API §2.3)."""

USERS = "users"
"""The kind of a schedule's assigned users: several ids, as an option has."""

CHOSEN = ("option", USERS)


@dataclass(frozen=True)
class Field:
    """A field of an asset type, or a member of a schedule. `column` is its name in the tables.

    `choices` are labels by id, None for an id without a label; empty for kinds without any. `former` are those that the
    API no longer offers: a present value may have one, and nobody can choose it. `passed_on` are labels in small
    letters that another choice had when a file was made. `has_passed_label`: another field had this label then.
    """

    id: str
    label: str
    kind: str
    column: str
    choices: Mapping[str, str | None] = field(default_factory=dict)
    is_listed: bool = True
    is_read_only: bool = False
    is_hidden: bool = False
    former: Mapping[str, str | None] = field(default_factory=dict)
    passed_on: frozenset[str] = frozenset()
    has_passed_label: bool = False

    def label_of(self, choice: str) -> str | None:
        """The label of a choice, also of one that is offered no more; None without one."""
        return self.choices.get(choice) or self.former.get(choice)

    def name_of(self, choice: str) -> str | None:
        """The label of a choice for a person who reviews a plan: with its id if another choice has the same label."""
        label = self.label_of(choice)
        return self.whole_name(choice) if label and self.like(label) - {choice} else label

    def whole_name(self, choice: str) -> str:
        """The label of a choice with its id, as people may write it too."""
        return f"{self.label_of(choice) or choice} [{choice}]"

    def named(self, text: str) -> set[str]:
        """The choices with exactly this id or label, or both as their whole name has them."""
        return self._named.get(text, set())

    def like(self, text: str) -> set[str]:
        """The choices with this id or label as people compare them."""
        return self._like.get(folded_name(text), set())

    @cached_property
    def most_semicolons(self) -> int:
        """The most semicolons that a label or an id has."""
        return max((name.count(";") for name in self._named), default=0)

    @cached_property
    def _named(self) -> dict[str, set[str]]:
        return self._names(lambda name: name)

    @cached_property
    def _like(self) -> dict[str, set[str]]:
        return self._names(folded_name)

    def _names(self, form: Callable[[str], str]) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for one, label in self.choices.items():
            for name in {form(one), form(label if label is not None else one), form(self.whole_name(one))} - {""}:
                found.setdefault(name, set()).add(one)
        return found

    @property
    def why_not(self) -> str | None:
        """Why nobody can write it; None if people can."""
        if self.is_hidden:
            return "[privacy] hides it, so propsync cannot compare and does not write it"
        if self.is_read_only:
            return "the API sets it, and nobody can write it"
        if not self.is_listed:
            return "the type no longer has this field"
        if self.kind not in (*WRITABLE, USERS):
            return f"the API's document does not show how to write a field of kind {self.kind}"
        return None


@dataclass(frozen=True)
class RecordType:
    """A type of asset with its fields, or a type of assessment."""

    id: str
    name: str | None
    singular: str | None
    table: str | None
    is_listed: bool
    fields: tuple[Field, ...] = ()

    @property
    def shown(self) -> str:
        """Its name for messages, or its id."""
        return self.name or self.id

    def is_called(self, text: str) -> bool:
        """Whether people may mean it by this text: its id, or a name as people compare it."""
        names = (self.name, self.singular, self.table)
        return text == self.id or folded_name(text) in {folded_name(name) for name in names if name}


def folded_name(text: str) -> str:
    """A label or a name as people compare it: in small letters, with single blanks, and nothing unseen around it."""
    return " ".join(text.strip(BLANKS).split()).casefold()


def is_other_name(then: str | None, now: str | None) -> bool:
    """Whether both are names, and different ones."""
    return bool(then and now and folded_name(then) != folded_name(now))


def is_passed_on(then: str | None, now: str | None, names: Iterable[str | None]) -> bool:
    """Whether one of `names` is the former name of something that has another name now."""
    return is_other_name(then, now) and any(one and not is_other_name(then, one) for one in names)
