"""The members of assessments that name the person who performed them; `performedBy` of the API is no person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from propsync.desk.choices import DeskChoices
from propsync.desk.members import Member, MemberSearch, Part
from propsync.warehouse import TABLES, Warehouse

ASSESSMENTS = "assessments"
_DONE_BY = (
    "assessed_by",
    "inspected_by",
    "surveyed_by",
    "completed_by",
    "conducted_by",
    "carried_out_by",
    "carriedoutby",  # a column of `carriedOutBy`
    "performed_by",
)
_PERSON = ("assessor", "inspector", "surveyor", "auditor", "engineer", "technician", "author", "officer", *_DONE_BY)
_NOT_A_PERSON = ("email", "phone", "company", "organisation", "team", "role", "type", "date", "at", "on", "count")
_PARTS = (
    Part("assessor_name", "person", _PERSON, never=("id", *_NOT_A_PERSON)),
    Part("assessor_id", "text", _PERSON, never=("name", *_NOT_A_PERSON)),
)


class AssessorMembers:
    """The columns that name a person in the assessments of this tenant."""

    def __init__(self, warehouse: Warehouse, choices: DeskChoices, named: Mapping[str, Sequence[str]]) -> None:
        table = f"main.{ASSESSMENTS}"
        self._found = MemberSearch(warehouse, table, TABLES[table].columns, choices).find(_PARTS, named)

    def fragments(self) -> dict[str, str]:
        """The pieces of SQL with which marts read each part."""
        return {part: member.read("assessments") for part, member in self._found.items()}

    def all(self) -> Iterator[tuple[str, Member]]:
        """Each part with the table that has its column."""
        for member in self._found.values():
            yield ASSESSMENTS, member
