"""Builds the marts at the end of a run, before the checks; one that fails costs no other table."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import replace

from propsync.desk import CountedDays, DeskChoices, Given, Marts, choose, inputs_of_all, note_misfits
from propsync.documents.ledger import DocumentChoice, Ledger
from propsync.errors import MergeFailed
from propsync.merge import unbuilt_tables
from propsync.resources import ASSESSMENT_TYPES, ASSET_TYPES
from propsync.runbooks.workspace import Workspace
from propsync.warehouse import Warehouse, statement

_log = logging.getLogger("propsync.desk")


def build_desk(workspace: Workspace, run_id: str, withheld: Collection[str] = ()) -> list[str]:
    """Brings the marts up to date that read no table in `withheld`, and none that shows two runs at once.

    Returns a line for each that failed, and for each entry of [desk] that fits nothing in the data.
    """
    warehouse, settings = workspace.warehouse, workspace.settings
    note_setting(warehouse, "time_zone", settings.time_zone)
    defaults = DeskChoices.of(warehouse, settings.time_zone)
    if defaults is None:
        return []
    given = (settings.desk, settings.reference, settings.resources)
    withheld = {*withheld, *unbuilt_tables(warehouse)}
    if not withheld and _value(warehouse, "marts_inputs") == inputs_of_all(warehouse, defaults, given):
        return []
    note_setting(warehouse, "marts_inputs", "")  # a killed build is repeated, whatever people set until then
    lines = _build(workspace, run_id, withheld, defaults)
    inputs = "" if lines or withheld else inputs_of_all(warehouse, defaults, given)
    note_setting(warehouse, "marts_inputs", inputs)
    return lines


def _build(workspace: Workspace, run_id: str, withheld: Collection[str], defaults: DeskChoices) -> list[str]:
    warehouse, settings = workspace.warehouse, workspace.settings
    if settings.archive_kinds and "main.assessments" not in withheld:
        wanted = DocumentChoice(settings.archive_kinds, settings.archive_statuses)
        Ledger(warehouse).cover(wanted, run_id)  # also if the run fetches none
    chosen = choose(warehouse, run_id, settings.desk, defaults, workspace.shapes.get(ASSET_TYPES.name))
    given = Given(warehouse, run_id, chosen, settings.reference)
    given.note_unread_dates()
    counted, uncounted = _count_days(workspace, given)
    chosen = replace(chosen, choices=replace(chosen.choices, lists=counted))
    failed = Marts(warehouse, run_id, chosen, given).build({*withheld, *CountedDays.TABLES} if uncounted else withheld)
    note_misfits(warehouse, run_id, chosen.choices)
    where = settings.source("desk")
    # without [desk], only what propsync found by itself can be wrong
    advice = "Name another under [desk] in propsync.toml" if where == "default" else f"Correct {where}"
    wrong = [f"{fault}. {advice}; the next run reads it" for fault in chosen.faults]
    return wrong + uncounted + failed


def _count_days(workspace: Workspace, given: Given) -> tuple[dict[str, str], list[str]]:
    """The marks of the days to count; a line if that fails, which costs only the marts that count days."""
    try:
        given.stage({"staging.listed_properties", "staging.required"})
        types = workspace.shapes.get(ASSESSMENT_TYPES.name)
        return CountedDays(workspace.warehouse, given.models, types).stage(), []
    except MergeFailed as error:
        _log.error("the days of compliance: %s", error)
        return {}, [f"the marts compliance_days, compliance_then and measures keep their earlier rows: {error.what}"]


def _value(warehouse: Warehouse, setting: str) -> str | None:
    found: str | None = warehouse.value(statement("warehouse/setting"), {"setting": setting})
    return found


def note_setting(warehouse: Warehouse, setting: str, value: str) -> None:
    """Remembers a setting, in place of its earlier value."""
    noted = {"setting": setting, "value": value}
    with warehouse.transaction():
        warehouse.execute(statement("warehouse/forget_setting"), noted)
        warehouse.execute(statement("warehouse/note_setting"), noted)
