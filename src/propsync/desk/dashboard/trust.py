"""The first line of the page: whether a person can trust what is below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from propsync.desk.dashboard.answer import Answer, Reader
from propsync.desk.dashboard.words import counted, shown
from propsync.desk.faults import AGAINST, UNREAD_DATES
from propsync.warehouse import statement, text

_SENTENCES = {
    "good": "Yes. propsync read every list completely",
    "careful": "Mostly, with the notes below. propsync read the API",
    "bad": "Not all of it: see the notes below. propsync last read the API",
    "unknown": "Unknown: propsync has noted no read of the API",
}

FOUND: Mapping[str, tuple[str, str]] = {
    "approval_dates": (
        "assessment type lost dates of its approvals, so these count from the run that first saw them",
        "assessment types lost dates of their approvals, so these count from the run that first saw them",
    ),
    "assets_have_listed_types": (
        "asset has a type that the API does not list",
        "assets have types that the API does not list",
    ),
    "actions_have_known_states": (
        "status of actions is not a word that propsync knows, so it knows of none whether it is open",
        "statuses of actions are not words that propsync knows, so it knows of none whether it is open",
    ),
    "assessments_have_known_statuses": (
        "status of assessments is not a word that propsync knows, so none counts as approved",
        "statuses of assessments are not words that propsync knows, so none counts as approved",
    ),
    "assessments_have_listed_types": (
        "type of assessments is not one that the API lists, so they count for no type",
        "types of assessments are not ones that the API lists, so they count for no type",
    ),
    "choices_are_offered": (
        "option field has no option that assets choose there, so its choices have no label",
        "option fields have no option that assets choose there, so their choices have no label",
    ),
    "complete_reads": (
        "list has not been read completely for two days",
        "lists have not been read completely for two days",
    ),
    "definitions_have_ids": (
        "asset type defines fields without an id of their own",
        "asset types define fields without an id of their own",
    ),
    "empty_values": ("field or column lost many of its values", "fields or columns lost many of their values"),
    "new_options": ("field offers new options", "fields offer new options"),
    "option_fields_have_options": ("option field has no options", "option fields have no options"),
    "orphans": (
        "list has many more records of types that the API does not list",
        "lists have many more records of types that the API does not list",
    ),
    "properties_are_listed": (
        "list of properties has no id that the API has, so its names and homes count for no record",
        "lists of properties have no id that the API has, so their names and homes count for no record",
    ),
    "properties_are_spelt_alike": (
        "property has its id in other letters in another list, so the two never meet",
        "properties have their ids in other letters in another list, so these never meet",
    ),
    "row_counts": ("table lost a fifth of its rows or more", "tables lost a fifth of their rows or more"),
    "values_in_bulk": ("value came to many records at once", "values came to many records at once"),
}
"""The finding of each check of severity warn, of one row and of several. Those of severity fail are for engineers."""


@dataclass(frozen=True)
class Trust:
    """`level` is good, careful, bad or unknown; `notes` say why it is not good."""

    level: str
    sentence: str
    notes: list[str]
    answer: Answer


def judge(reader: Reader, answer: Answer, as_of: datetime | None, zone: ZoneInfo) -> Trust:
    """The verdict, from the verdicts of tables, unread parts, people's lists, failed marts and checks with findings."""
    tables = answer.dicts()
    notes = [f"{', '.join(names)}: {concern}" for concern, names in _concerns(tables).items()]
    further = [
        *_unread_parts(reader),
        *_mistaken_lists(reader),
        *_unfit_entries(reader),
        *_unread_dates(reader),
        *_failed_marts(reader),
        *_checks(reader),
    ]
    level = _level([str(row["trust"]) for row in tables], has_more=bool(further))
    if level == "good":  # a later run may have read a part alone: a backfill, a push, a sync of one list
        as_of = min(row["last_complete_read"] for row in tables)
    moment = f" on {shown(as_of, zone)}." if as_of and level != "unknown" else "."
    return Trust(level, _SENTENCES[level] + moment, notes + further, answer)


def _concerns(tables: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Each concern with its tables, so that five tables that are late make one note."""
    found: dict[str, list[str]] = {}
    for row in tables:
        if row["concern"]:
            found.setdefault(row["concern"], []).append(row["table"])
    return found


def _level(levels: list[str], *, has_more: bool) -> str:
    if not levels:
        return "unknown"
    worst = max(levels, key=("good", "careful", "bad").index)
    return "careful" if has_more and worst == "good" else worst


def _unread_parts(reader: Reader) -> Iterator[str]:
    for resource, part in reader.rows(statement("desk/dashboard/unread_parts"))[1]:
        effect = "so tables lack it" if part == "name" else "so no number counts them"
        yield f"{resource}: propsync cannot read the {part}, {effect} (propsync doctor)"


def _mistaken_lists(reader: Reader) -> Iterator[str]:
    for name, has_earlier in reader.rows(statement("desk/dashboard/mistaken_lists"))[1]:
        effect = "propsync uses it as it was before" if has_earlier else "nothing of it counts"
        yield f"your list {name} has a mistake, so {effect} (ops.reference_issues)"


def _unfit_entries(reader: Reader) -> Iterator[str]:
    for (setting,) in reader.rows(statement("desk/dashboard/unfit_entries", against=text(AGAINST)))[1]:
        yield f"{setting} of [desk] in propsync.toml fits nothing in the data (ops.desk)"


def _unread_dates(reader: Reader) -> Iterator[str]:
    if reader.rows(statement("desk/dashboard/unread_dates", unread=text(UNREAD_DATES)))[1]:
        effect = "so the run that first saw one approved dates it"
        yield f"assessments: propsync cannot read their dates, {effect} (ops.desk)"


def _failed_marts(reader: Reader) -> Iterator[str]:
    for mart, error in reader.rows(statement("desk/dashboard/failed_marts"))[1]:
        yield f"marts.{mart} has rows of an earlier night, because it could not be built: {error}"


def _checks(reader: Reader) -> Iterator[str]:
    for name, offending in reader.rows(statement("desk/dashboard/checks"))[1]:
        yield f"{found_by(name, offending)} (ops.checks)"


def found_by(check: str, offending: int | None) -> str:
    """The finding of a check, without its example: a record as SQL shows it says nothing to a manager."""
    if offending is None:
        return f"the check {check.replace('_', ' ')} could not run"
    if words := FOUND.get(check):
        return counted(offending, *words)
    return f"the check {check.replace('_', ' ')} found {counted(offending, 'row', 'rows')}"
