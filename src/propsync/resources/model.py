"""Each resource as data: its path, its key, its lists, and the facts that a list gives about its records.

Sections are those of the API's document. propsync trusts a role's `documented` names; its `likely` names only break
ties between members whose values fit equally well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product


@dataclass(frozen=True)
class Role:
    """One thing to find in every record of a resource.

    `documented` are the member names of the API's document, tried in order; `likely` are probable names if the document
    is silent. `known` names the values that identify a member: "unique", "property_ids", "assessment_type_ids" or
    "statuses". `matches` names known values that the right one of several members has, where `known` does not. propsync
    cannot read a resource without its `required` roles. `column` is the role's column in the resource's table.
    """

    name: str
    documented: tuple[str, ...] = ()
    likely: tuple[str, ...] = ()
    known: str | None = None
    required: bool = False
    column: str | None = None
    matches: str | None = None


@dataclass(frozen=True)
class ListQuery:
    """One list: a query with fixed filters, and the facts that it gives about its records."""

    name: str
    filters: tuple[tuple[str, str], ...] = ()
    status: str | None = None
    performed: str | None = None

    def narrowed(self, *filters: tuple[str, Sequence[str]]) -> ListQuery:
        """The same list with further filters: names of the API's parameters, each with its values.

        A new value replaces that of a parameter that the list has already.
        """
        more = {name: ",".join(values) for name, values in filters if values}
        return replace(self, filters=tuple((dict(self.filters) | more).items()))

    def values(self, name: str) -> frozenset[str] | None:
        """The values of a parameter that narrows the list, None if it does not."""
        given = dict(self.filters).get(name)
        return None if given is None else frozenset(given.split(","))


@dataclass(frozen=True)
class Resource:
    """A kind of record that the API lists, with its sweeps and its key."""

    name: str
    path: str
    key: tuple[str, ...]
    """The roles that together identify a record, at most two."""
    key_columns: tuple[str, ...]
    roles: tuple[Role, ...]
    list_member: str | None = None
    """The documented member of a page that has the records; without it, propsync finds the array."""
    is_paged: bool = True
    members: dict[str, str] = field(default_factory=dict)
    """Further documented members: member → column."""
    sets: tuple[str, ...] = ()
    """The members that are arrays in which order and repeats mean nothing."""
    dropped: tuple[str, ...] = ()
    """The members that are no part of a version, such as a second name of another member."""
    performed: tuple[str, ...] = ()
    """The values of the parameter `performed`; each has a list of its own."""
    status_setting: str | None = None
    """The setting with the statuses to ask for, if lists have a filter of them."""
    flags: tuple[tuple[str, str], ...] = ()
    """Further parameters of every list, each with its value."""
    types: str | None = None
    """The resource that lists this one's types; one step of a run reads both."""
    id_filter: str | None = None
    """The parameter that filters by known keys."""
    held_by: tuple[str, ...] = ("property",)
    """propsync holds all records of one value of these roles if it would delete all of them (docs/completeness.md)."""
    is_beside: bool = False
    """Whether pages of what it types repeat these types beside the records."""
    scope: Mapping[str, str] = field(default_factory=dict)
    """The ids that a backfill may narrow it by: kind of id (see `backfill.Scope`) → parameter of the API."""
    is_further: bool = False
    """Whether only propsync.toml names it: the API's document does not describe it."""

    @property
    def words(self) -> str:
        """Its name for people: "asset types"."""
        return self.name.replace("_", " ")

    def role(self, name: str) -> Role:
        """The role called `name`; raises KeyError."""
        return next(role for role in self.roles if role.name == name)

    def column(self, role: str) -> str | None:
        """The column of the resource's table that holds a role; None if it lacks the role."""
        return next((one.column for one in self.roles if one.name == role), None)

    @property
    def path_setting(self) -> str:
        """The next step if the API has nothing at its path."""
        return f"Check path in [resources.{self.name}]" if self.is_further else "Check the path in PROPSYNC_BASE_URL"

    @property
    def may_have_errors(self) -> bool:
        """Whether a record that is an error is none: a further list may be one of errors."""
        return not self.is_further

    @property
    def is_by_pair(self) -> bool:
        """Whether a property and a type identify a record, so that the API shows each under its own path."""
        return self.key == ("property", "type")

    @property
    def is_parted(self) -> bool:
        """Whether propsync can read the list in parts that each fit in one response."""
        has_places = any(self.column(role) for role in ("property", "type"))
        return self.is_paged and (has_places or self.is_parted_by_ids_alone)

    @property
    def is_parted_by_ids_alone(self) -> bool:
        """Whether nothing but ids can narrow the list."""
        return self.id_filter is not None and not any(self.column(role) for role in ("property", "type"))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of its table with ids and facts: those of the key, and those of its roles."""
        of_roles = (role.column for role in self.roles if role.column and role.column not in self.key_columns)
        return (*self.key_columns, *of_roles)

    @property
    def has_statuses(self) -> bool:
        """Whether propsync asks for its lists by status."""
        return self.status_setting is not None

    def lists(self, statuses: Sequence[str], *, by_status: bool = False) -> tuple[ListQuery, ...]:
        """The lists to sweep; `by_status` if only the list gives the status, or the API heeds only one at a time."""
        if not self.has_statuses:
            return (ListQuery("all", self.flags),)
        groups = [(status,) for status in statuses] if by_status else [tuple(statuses)]
        lists = (self._list(performed, group) for performed, group in product(self.performed or (None,), groups))
        if not by_status or self.performed:
            return tuple(lists)
        return tuple(replace(one, name=status) for one, status in zip(lists, statuses, strict=True))

    def _list(self, performed: str | None, statuses: tuple[str, ...]) -> ListQuery:
        filters = [("performed", performed)] if performed else []
        # a schedule has its own status; one from the list would only make other versions of the same record
        alone = statuses[0] if len(statuses) == 1 and performed else None
        name = " ".join(part for part in (performed, alone) if part) or "all"
        return ListQuery(name, (*filters, ("status", ",".join(statuses)), *self.flags), alone, performed)

    def combined(self, statuses: Sequence[str]) -> ListQuery:
        """The query whose `total` is that of all the lists together."""
        filters = [("performed", ",".join(self.performed))] if self.performed else []
        return ListQuery(COMBINED, (*filters, ("status", ",".join(statuses)), *self.flags))


COMBINED = "combined"
"""The name of the query whose total is that of several lists."""
