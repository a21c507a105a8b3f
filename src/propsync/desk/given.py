"""The staging tables that rest on what people give: their lists with real numbers, what is required, and dates."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from propsync.desk.chosen import Chosen
from propsync.merge import StagedLists, api_lists
from propsync.warehouse import Models, Warehouse, quoted, statement

_LISTS = {
    "staging.api_properties": (),
    "staging.listed_properties": ("properties",),
    "staging.listed_users": ("users",),
    "staging.required": ("properties", "requirements"),
    "staging.undecided_requirements": ("properties", "requirements"),
    "staging.dated_assessments": (),
    "staging.seen_approvals": (),
}
_TABLES = {
    "staging.api_properties": ("main.assets", "main.assessments", "main.schedules"),
    "staging.required": ("main.assets", "main.assessments", "main.schedules"),
    "staging.undecided_requirements": ("main.assets", "main.assessments", "main.schedules"),
    "staging.dated_assessments": ("main.assessments",),
    "staging.seen_approvals": ("main.assessments",),
}
"""The sources of each table: people's lists, and tables of the API."""

_DATED = frozenset({"staging.dated_assessments", "staging.seen_approvals"})
"""Made with the member that dates an assessment, and with the time zone."""

_PROPERTIES = frozenset({"staging.api_properties", "staging.required", "staging.undecided_requirements"})
"""Made of every list of properties that the API has, too."""

_REQUIRED = frozenset({"staging.required", "staging.undecided_requirements"})
"""Made together: the second has what the first cannot decide."""

_SCHEMAS = ("main", "reference")
"""Where people's rows are: in the second if the API has a list of the same name."""

STAGED = frozenset(_LISTS)
"""The tables that `Given` makes."""


class Given:
    """Makes the tables that marts read, once for each run. `files` are the lists that propsync.toml names."""

    def __init__(self, warehouse: Warehouse, run_id: str, chosen: Chosen, files: Mapping[str, Path]) -> None:
        self._warehouse = warehouse
        self._chosen = chosen
        self._files = files
        member = chosen.member
        said = [f"staging.said({quoted(one)}::varchar)" for one in member.columns] if member else []
        written = f"coalesce({', '.join(said)})" if said else "null::varchar"
        values = chosen.choices.values() | {"run_id": run_id}
        self._models = Models(warehouse, values, {"assessment_date": written})
        self._made: set[str] = set()
        self._lists = StagedLists(warehouse, self._models, files)

    @property
    def models(self) -> Models:
        """Models with the choices and with the text that dates an assessment."""
        return self._models

    def sources(self, table: str) -> frozenset[str]:
        """The tables that one of `STAGED` is made of; none for any other table."""
        named = [name for name in _LISTS.get(table, ()) if name in self._files]
        lists = api_lists(self._warehouse, "property_id") if table in _PROPERTIES else ()
        own = {f"{schema}.{name}" for name in named for schema in _SCHEMAS}
        return frozenset({*_TABLES.get(table, ()), *own, *(f"main.{one.name}" for one in lists)})

    def mark(self, table: str, marks: Mapping[str, str]) -> str:
        """Changes with everything that a table is made of; `marks` are those of the tables of the warehouse."""
        dated_by = (self._chosen.member, self._chosen.choices.time_zone) if table in _DATED else None
        return repr(([(one, marks.get(one)) for one in sorted(self.sources(table))], dated_by))

    def stage(self, wanted: Collection[str]) -> None:
        """Makes the tables of `wanted` that it has not made yet."""
        lacking = {*wanted} - self._made
        if _REQUIRED & lacking:
            lacking |= _REQUIRED | {"staging.seen_approvals"}
        if {"staging.listed_properties", "staging.required"} & lacking:
            self._lists.stage_properties()
        if {"staging.api_properties", "staging.required"} & lacking:
            self._lists.stage_api_properties()
        if "staging.listed_users" in lacking:
            self._lists.stage_users()
        for table in sorted(_DATED & lacking):
            self._models.stage(table.replace("staging.", "staging/desk/"))
        if "staging.required" in lacking:
            self._stage_required()
        self._made |= lacking

    def note_unread_dates(self) -> None:
        """Keeps in ops.value_issues the dates of assessments that nobody can read."""
        with self._warehouse.transaction():
            self._warehouse.execute(statement("desk/forget_unread_dates"))
            if self._chosen.member:
                self._models.open("staging/desk/undated_assessments", "ops.value_issues")

    def _stage_required(self) -> None:
        if self._lists.stage_requirements():
            self._models.stage("staging/desk/required_by_list", "required")
        else:
            self._models.stage("staging/desk/required_by_sight", "required")
        self._models.stage("staging/desk/undecided_requirements")
