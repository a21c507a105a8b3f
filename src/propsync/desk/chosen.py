"""The choices of `[desk]` for one run: what propsync.toml says, else what the data shows, with the evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from propsync.desk.choices import DeskChoices
from propsync.desk.dates import (
    DateMember,
    dates_any,
    find_date_member,
    find_lost_date_member,
    find_unnamed_date_members,
    find_unread_date_member,
    named_date_member,
    with_former,
)
from propsync.desk.faults import AGAINST, UNREAD_DATES, Row, with_faults
from propsync.desk.former_labels import former_labels
from propsync.desk.found_members import FoundMembers
from propsync.desk.measure_rules import chosen_rules, measure_faults
from propsync.desk.named_columns import named_columns
from propsync.desk.roles import Roles, known_fields
from propsync.desk.words import Words, chosen_words
from propsync.merge import mark_tables
from propsync.settings import DeskSettings
from propsync.shapes import Shape
from propsync.warehouse import Warehouse, statement

_BY_RUN = "the run that first saw an assessment approved dates it"
_FIRST_SEEN = f"no member of the assessments says when they were performed: {_BY_RUN}"
_NONE = "none"
"""The entry of `[desk] assessment_date` for no member."""


@dataclass(frozen=True)
class Chosen:
    """The choices that marts bind, and the member that dates assessments.

    `fragments` are the pieces of SQL that follow from what the columns of this tenant hold. `faults` has a line for
    each entry that fits nothing.
    """

    choices: DeskChoices
    member: DateMember | None
    fragments: dict[str, str]
    faults: list[str]


def choose(
    warehouse: Warehouse, run_id: str, settings: DeskSettings, choices: DeskChoices, asset_types: Shape
) -> Chosen:
    """Makes the choices, and keeps them in ops.desk and ops.roles; `choices` has the defaults.

    `asset_types` is the shape of the definitions that have the labels of fields.
    """
    columns = [(table, path, column) for table, path, column in warehouse.rows(statement("desk/open_columns"))]
    roles = Roles(known_fields(warehouse, settings, former_labels(warehouse, asset_types)), settings)
    _store(warehouse, run_id, "roles", roles.rows)
    members = [(path, column) for table, path, column in columns if table == "assessments"]
    member, dated, wrong = _dated(warehouse, settings.assessment_date, members)
    member = member and with_former(warehouse, member, members)
    named, lacking = named_columns(warehouse, settings.columns, columns)
    words = chosen_words(warehouse, settings, columns, named)
    chosen = _complete(choices, settings, member, words)
    found = FoundMembers(warehouse, chosen, named)
    rows = [dated, *(_row_of_words(name, one) for name, one in words.items()), *_plain(chosen, settings)]
    faults = [*roles.faults(), *measure_faults(warehouse, settings.measures), *lacking]
    _store(warehouse, run_id, "desk", [*with_faults([*rows, *roles.noted(), *found.evidence()], faults)])
    return Chosen(chosen, member, found.fragments(), [*wrong, *(one.line for one in faults)])


def _complete(
    choices: DeskChoices, settings: DeskSettings, member: DateMember | None, words: Mapping[str, Words]
) -> DeskChoices:
    return replace(
        choices,
        assessment_date=member.path if member else None,
        due_soon_days=choices.due_soon_days if settings.due_soon_days is None else settings.due_soon_days,
        fiscal_year_end=settings.fiscal_year_end or choices.fiscal_year_end,
        flag_open=words["flag_open"].words,
        flag_closed=words["flag_closed"].words,
        action_open=words["action_open"].words,
        action_closed=words["action_closed"].words,
        priority_order=words["priority_order"].words,
        fails=words["fails"].words,
        configured=tuple(name for name, one in words.items() if one.source == "configured"),
        measure_rules=chosen_rules(settings.measures),
    )


def _dated(
    warehouse: Warehouse, named: str | None, members: Sequence[tuple[str, str]]
) -> tuple[DateMember | None, Row, list[str]]:
    """The member that dates assessments, its row, and a line if the one that propsync.toml names dates none. There is a
    line too if the likeliest has dates in a form that propsync does not read.
    """
    if named == _NONE:
        return None, ("assessment_date", None, "configured", f"propsync.toml says {_NONE}: {_BY_RUN}"), []
    member = named_date_member(members, named) if named else None
    if member and dates_any(warehouse, member):
        return member, ("assessment_date", member.path, "configured", member.evidence), []
    found = find_date_member(warehouse, members)
    if not found and (lost := find_lost_date_member(warehouse, members, member)):
        return lost, ("assessment_date", lost.path, "found", lost.evidence), _lost(warehouse, lost)
    path, source = (found.path, "found") if found else (None, "default")
    evidence = found.evidence if found else _FIRST_SEEN
    if not named or not members:
        if found or not members:
            return found, ("assessment_date", path, source, evidence), []
        if unread := find_unread_date_member(warehouse, members):
            shown = f"{unread} {UNREAD_DATES}: {_BY_RUN}"
            return None, ("assessment_date", None, source, shown), [f"[desk] assessment_date: {shown}"]
        return None, ("assessment_date", None, source, _unnamed(warehouse, members) or evidence), []
    wrong = f"no approved assessment has a date in {named}" if member else f"no assessment has the member {named}"
    line = f"[desk] assessment_date: {wrong}; propsync uses {path or 'the run that first saw one approved'}"
    return found, ("assessment_date", path, source, f"{AGAINST}{wrong}; {evidence}"), [line]


def _unnamed(warehouse: Warehouse, members: Sequence[tuple[str, str]]) -> str | None:
    """Which members may date assessments under a name that says nothing: the doctor shows them to people."""
    if unnamed := find_unnamed_date_members(warehouse, members):
        return f"{' or '.join(unnamed)} may say when assessments were performed; until the entry names it, {_BY_RUN}"
    return None


def _lost(warehouse: Warehouse, member: DateMember) -> list[str]:
    if dates_any(warehouse, member):  # nothing is approved now
        return []
    seen = "so the run that first saw one approved dates it; ops.value_issues has the days that were there"
    return [f"[desk] assessment_date: no approved assessment has a date in {member.path} any more, {seen}"]


def _row_of_words(name: str, words: Words) -> Row:
    return (name, ", ".join(words.words), words.source, words.evidence)


def _plain(choices: DeskChoices, settings: DeskSettings) -> list[Row]:
    rows: list[Row] = []
    for name in ("due_soon_days", "fiscal_year_end"):
        is_default = getattr(settings, name) is None
        evidence = "propsync.toml does not say" if is_default else "propsync.toml says so"
        rows.append((name, str(getattr(choices, name)), "default" if is_default else "configured", evidence))
    return rows


def _store(warehouse: Warehouse, run_id: str, table: str, rows: Sequence[tuple[str | None, ...]]) -> None:
    """Replaces the rows of ops.desk or ops.roles if they differ."""
    kept = warehouse.rows(statement("desk/kept_choices", table=f"ops.{table}"))
    if sorted(kept, key=repr) == sorted(rows, key=repr):
        return
    with warehouse.transaction():
        warehouse.execute(statement("desk/empty", target=f"ops.{table}"))
        warehouse.add(f"ops.{table}", rows)
        mark_tables(warehouse, run_id, "ops", [table])
