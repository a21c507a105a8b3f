"""The member that dates an assessment: the one that propsync.toml names, else the one that the data shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from propsync.warehouse import Warehouse, quoted, statement

_LIKELY = (
    "performed_date",
    "performed_on",
    "performed_at",
    "date_performed",
    "performed",
    "completed_date",
    "completed_on",
    "completed_at",
    "date_completed",
    "completed",
    "assessment_date",
    "assessed_on",
    "assessed_at",
    "inspection_date",
    "inspected_on",
    "inspected_at",
    "date",
)
"""Columns by likelihood; that of a record's creation or last change is none."""
_OTHER_DAYS = (
    *("created", "creation", "updated", "update", "modified", "changed"),
    *("edited", "seen", "last", "first", "from", "to"),
    *("due", "next", "expiry", "expires", "expired", "expiration"),
    *("valid", "deadline", "until", "planned", "scheduled"),
    *("start", "started", "begin", "began", "submitted", "approved", "reviewed", "signed", "issued", "published"),
    *("received", "sent", "assigned", "archived", "deleted", "synced", "imported", "exported", "uploaded"),
)
"""Words of names that say another day than that of the assessment."""
_SEVERAL = 5  # approved assessments that a member dates, hardly by chance
_ATTRIBUTES = "attributes_"
"""In front of each, if records are resources of JSON:API."""


@dataclass(frozen=True, slots=True)
class DateMember:
    """A member of assessments: its path in the API, its column in main.assessments, and why propsync chose it.

    `former` is the column that it had before the API renamed it.
    """

    path: str
    column: str
    evidence: str
    former: str | None = None

    @property
    def columns(self) -> list[str]:
        """Its column, and the former one."""
        return [one for one in (self.column, self.former) if one]


def find_date_member(warehouse: Warehouse, members: Sequence[tuple[str, str]]) -> DateMember | None:
    """The likeliest column that dates half of the approved assessments, else the likeliest that dates any.

    `members` are the paths and columns of main.assessments that only the data makes.
    """
    named = _likely(members)
    likely = [*named]
    if not likely:
        return None
    total, *dated = _counts(warehouse, likely)
    by_column = {column: count for column, count in zip(likely, dated, strict=True) if count}
    most = next((column for column, count in by_column.items() if count * 2 >= total), next(iter(by_column), None))
    if most is None:
        return None
    share = "most" if by_column[most] * 2 >= total else "some"
    return DateMember(named[most], most, f"its name says so, and {share} approved assessments have a date there")


def find_lost_date_member(
    warehouse: Warehouse, members: Sequence[tuple[str, str]], named: DateMember | None
) -> DateMember | None:
    """The member that dated approved assessments in earlier versions: the one `named`, else the likeliest.

    The API no longer sends it. Earlier days rest on it, and would all count as undated without it.
    """
    likely = ({named.column: named.path} if named else {}) | _likely(members)
    if not likely:
        return None
    _, *dated = _counts(warehouse, [*likely], "history.assessments_earlier")
    lost = next((column for column, count in zip(likely, dated, strict=True) if count), None)
    return (
        DateMember(likely[lost], lost, "approved assessments had a date there, and none has one now") if lost else None
    )


def with_former(warehouse: Warehouse, member: DateMember, members: Sequence[tuple[str, str]]) -> DateMember:
    """The member with its former column: a likely one that dates no approved assessment now, and dated earlier ones.

    No version has dates in both. Earlier days rest on it, and would count as undated once the API renamed the member.
    """
    others = [column for column in _likely(members) if column != member.column]
    if others:
        _, *now = _counts(warehouse, others)
        others = [column for column, count in zip(others, now, strict=True) if not count]
    if not others:
        return member
    here = _day(member.column)
    counts = [f"if(count({here}) filter ({_day(one)} is not null) = 0, count({_day(one)}), 0)" for one in others]
    _, *dated = _approved(warehouse, counts, "history.assessments_earlier")
    return replace(member, former=next((column for column, count in zip(others, dated, strict=True) if count), None))


def find_unread_date_member(warehouse: Warehouse, members: Sequence[tuple[str, str]]) -> str | None:
    """The path of a likely column whose texts or numbers look like dates in a form that propsync does not read.

    An assessment without any date is no reason to look: `completed` may be yes or no, or a share.
    """
    likely = _likely(members)
    looks = r"count(*) filter (where regexp_matches({}::varchar, '\d{{4}}|\d[./-]\d'))"
    counts = _approved(warehouse, [looks.format(quoted(column)) for column in likely]) if likely else (0,)
    return next((path for path, count in zip(likely.values(), counts[1:], strict=True) if count), None)


def find_unnamed_date_members(warehouse: Warehouse, members: Sequence[tuple[str, str]]) -> list[str]:
    """The paths of the members that date most approved assessments, and whose names say no other day: `pruefdatum`."""
    free = {column: path for path, column in members if set(_OTHER_DAYS).isdisjoint(column.split("_"))}
    if not free:
        return []
    dated = ", ".join(f"count({_day(column)})" for column in free)
    [(total, *counts)] = warehouse.rows(statement("desk/count_sampled_dates", dated=dated))
    return [free[column] for column, count in zip(free, counts, strict=True) if count >= max(_SEVERAL, total / 2)]


def named_date_member(members: Sequence[tuple[str, str]], name: str) -> DateMember | None:
    """The member that propsync.toml names, by its path in the API or its column; None if no assessment has it."""
    fitting = (DateMember(path, column, "propsync.toml names it") for path, column in members if name in (path, column))
    return next(fitting, None)


def dates_any(warehouse: Warehouse, member: DateMember) -> bool:
    """Whether the member dates any approved assessment, or none is approved yet."""
    total, dated = _counts(warehouse, [member.column])
    return bool(dated) or not total


def _likely(members: Sequence[tuple[str, str]]) -> dict[str, str]:
    """The columns that may date assessments, the likeliest first, and the path of each."""
    named = {column: path for path, column in members}
    columns = [column for name in _LIKELY for column in (name, _ATTRIBUTES + name)]
    return {column: named[column] for column in columns if column in named}


def _counts(warehouse: Warehouse, columns: list[str], source: str = "main.assessments") -> tuple[int, ...]:
    """How many assessments are approved, and how many of these each column dates."""
    return _approved(warehouse, [f"count({_day(one)})" for one in columns], source)


def _day(column: str) -> str:
    return f"staging.day_written(trim({quoted(column)}::varchar), 'UTC')"


def _approved(warehouse: Warehouse, counts: Sequence[str], source: str = "main.assessments") -> tuple[int, ...]:
    (found,) = warehouse.rows(statement("desk/count_dates", dated=", ".join(counts), source=source))
    return tuple(found)
