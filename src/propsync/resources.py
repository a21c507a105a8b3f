"""Each resource as data: its path, its key, its lists, and the facts that a list gives about its records.

Sections are those of the API's document. propsync trusts a role's `documented` names; its `likely` names only break
ties between members whose values fit equally well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product


@dataclass(frozen=True)
class Role:
    """One thing to find in every record of a resource.

    `documented` are the member names of the API's document, tried in order; `likely` are probable names if the document
    is silent. `known` names the values that identify a member: "unique", "property_ids", "assessment_type_ids" or
    "statuses". propsync cannot read a resource without its `required` roles. `column` is the role's column in the
    resource's table.
    """

    name: str
    documented: tuple[str, ...] = ()
    likely: tuple[str, ...] = ()
    known: str | None = None
    required: bool = False
    column: str | None = None


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
        told = dict(self.filters).get(name)
        return None if told is None else frozenset(told.split(","))


@dataclass(frozen=True)
class Resource:
    """A kind of record that the API lists, with its sweeps and its key."""

    name: str
    path: str
    key: tuple[str, ...]
    key_columns: tuple[str, ...]
    roles: tuple[Role, ...]
    list_member: str | None = None
    is_paged: bool = True
    members: dict[str, str] = field(default_factory=dict)
    """Further documented members: member → column."""
    sets: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    performed: tuple[str, ...] = ()
    status_setting: str | None = None
    """The setting with the statuses to ask for, if lists have a filter of them."""
    flags: tuple[tuple[str, str], ...] = ()
    types: str | None = None
    """The resource that lists this one's types; one step of a run reads both."""
    id_filter: str | None = None
    """The parameter that filters by known keys."""
    held_by: tuple[str, ...] = ("property",)
    """propsync holds all records of one value of these roles if it would delete all of them (correctness.md §2)."""
    is_beside: bool = False
    """Whether pages of what it types repeat these types beside the records."""

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

TYPES_BESIDE = "types"
"""The member of every page of assets that repeats the asset types (section 4.2)."""

_TYPE_ID = ("id", "uid", "_id", "uuid", "guid", "typeid", "assessmenttypeid", "key", "code", "type")

ASSET_TYPES = Resource(
    "asset_types",
    "/properties/assets/types",
    key=("id",),
    key_columns=("asset_type_id",),
    list_member="type",  # section 4.1
    is_paged=False,
    is_beside=True,
    roles=(Role("id", documented=("id",), required=True),),
    members={"name": "name", "nameSingular": "name_singular", "fields": ""},
)

ASSETS = Resource(
    "assets",
    "/properties/assets",
    key=("id",),
    key_columns=("asset_id",),
    list_member="assets",  # section 4.2
    roles=(
        Role("id", documented=("id",), required=True),
        Role("type", documented=("type",), required=True, column="asset_type_id"),
        Role("property", documented=("property",), known="property_ids", column="property_id"),
    ),
    members={"fields": ""},
    id_filter="id",
    held_by=("property", "type"),
    types="asset_types",
)

ASSESSMENT_TYPES = Resource(
    "assessment_types",
    "/assessments/types",
    key=("id",),
    key_columns=("assessment_type_id",),
    is_paged=False,
    roles=(
        Role("id", likely=_TYPE_ID, known="unique", required=True),
        Role("name", likely=("name", "title", "label", "displayname", "namesingular", "description", "text")),
    ),
)

ASSESSMENTS = Resource(
    "assessments",
    "/assessments",
    key=("id",),
    key_columns=("assessment_id",),
    roles=(
        Role(
            "id",
            likely=("id", "uid", "_id", "uuid", "guid", "assessmentid", "assessment", "key", "ref", "reference"),
            known="unique",
            required=True,
        ),
        Role(
            "property",
            likely=("property", "propertyid", "asset", "assetid", "site", "building", "location"),
            known="property_ids",
            column="property_id",
        ),
        Role(
            "type",
            likely=("type", "typeid", "assessmenttype", "assessmenttypeid", "template", "kind", "category"),
            known="assessment_type_ids",
            column="assessment_type_id",
        ),
        Role("status", likely=("status", "state", "stage"), known="statuses", column="status"),
    ),
    members={"scheduleCustomReference": "schedule_custom_reference", "flags": ""},
    performed=("For", "By"),
    status_setting="assessment_statuses",
    flags=(("includeflags", "true"),),
    id_filter="assessment",
    types="assessment_types",
)

SCHEDULES = Resource(
    "schedules",
    "/assessments/schedules",
    key=("property", "type"),
    key_columns=("property_id", "assessment_type_id"),
    roles=(
        # `asset` is the deprecated name of `property` and replaces it if it is missing (section 2.6)
        Role("property", documented=("property", "asset"), known="property_ids", required=True, column="property_id"),
        Role("type", documented=("type",), known="assessment_type_ids", required=True, column="assessment_type_id"),
        Role("status", documented=("status",), column="status"),
    ),
    members={
        "dueDate": "due_date",
        "description": "description",
        "customReference": "custom_reference",
        "assignedUsers": "assigned_users",
    },
    sets=("assignedUsers",),
    dropped=("asset",),
    status_setting="schedule_statuses",
)

RESOURCES: dict[str, Resource] = {
    resource.name: resource for resource in (ASSET_TYPES, ASSETS, ASSESSMENT_TYPES, ASSESSMENTS, SCHEDULES)
}
"""In the order in which a run merges them: types before what they type."""

SYNCED = (ASSETS, ASSESSMENTS, SCHEDULES)
"""The names that `--only` accepts; each is a step of a run, together with its types."""
