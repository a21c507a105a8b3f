"""The checks of a run, and the resources that they keep from being published."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass, field

from propsync.merge import tables_of_family, unbuilt_tables
from propsync.publish import published_through
from propsync.runbooks.workspace import Workspace
from propsync.runs import Run
from propsync.warehouse import CORRECT_IT, Findings, run_checks, run_mart_checks

_log = logging.getLogger("propsync.run")
_HOLDS_NOTHING = "It reads no table of a resource alone, so propsync publishes everything"


@dataclass(frozen=True)
class Withheld:
    """The tables that keep their published rows; a line for each reason and mistake; and for each check that warns."""

    tables: frozenset[str] = frozenset()
    lines: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def check(workspace: Workspace, run: Run) -> Withheld:
    """Checks the changes since the last publication, also those of tables that propsync has withheld since.

    Raises CheckFailed if a broken rule is about no resource, or if no earlier tables could stay.
    """
    note = workspace.publisher.note()
    findings = run_checks(
        workspace.warehouse,
        run.run_id,
        since=published_through(note),
        folder=workspace.settings.checks_folder,
        also=note.get("withheld", ()),
        is_in_between=run.is_in_between,
    )
    for line in (*findings.warnings, *findings.unusable):
        _log.warning("%s", line)
    return _withheld(workspace, findings)


def _withheld(workspace: Workspace, findings: Findings) -> Withheld:
    families = {one.name: tables_of_family(workspace.warehouse, one) for one in workspace.catalogue.families}
    # of a build that did not end, some tables are tonight's: without earlier ones, they are better than none
    tables = set(unbuilt_tables(workspace.warehouse)) if workspace.publisher.is_whole() else set[str]()
    lines = []
    for found in findings.broken:
        names = [name for name, of_family in families.items() if of_family & found.check.reads]
        if found.check.is_own and not names:
            lines.append(f"{found}. {_HOLDS_NOTHING}. {CORRECT_IT}")
            continue
        if not names or not workspace.publisher.is_whole():
            findings.refuse()
        tables |= _of(families, names)
        words = " and ".join(name.replace("_", " ") for name in names)
        lines.append(f"{words} keep their earlier rows: {found}. {CORRECT_IT}")
    for line in lines:
        _log.error("%s", line)
    return Withheld(frozenset(tables), lines + findings.unusable, _told(findings))


def check_marts(workspace: Workspace, run: Run) -> Withheld:
    """Runs the checks that read a mart, which hold nothing back; a line for each broken or unusable one."""
    folder = workspace.settings.checks_folder
    findings = run_mart_checks(workspace.warehouse, run.run_id, folder, is_in_between=run.is_in_between)
    for warning in findings.warnings:
        _log.warning("%s", warning)
    lines = [f"{found}. {_HOLDS_NOTHING}. {CORRECT_IT}" for found in findings.broken] + findings.unusable
    for line in lines:
        _log.error("%s", line)
    return Withheld(lines=lines, warnings=_told(findings))


def _told(findings: Findings) -> list[str]:
    """The warnings for people who read no log, such as those of a timetable."""
    return [f'{one}. Look at them: propsync query "from ops.checks"' for one in findings.warnings]


def refuse_broken(workspace: Workspace, findings: Findings) -> list[str]:
    """Raises CheckFailed if a rule is broken, also one of people's own on a resource; a line for each other one."""
    tables = frozenset[str]().union(
        *(tables_of_family(workspace.warehouse, one) for one in workspace.catalogue.families)
    )
    minor = [one for one in findings.broken if one.check.is_own and not one.check.reads & tables]
    Findings([one for one in findings.broken if one not in minor]).refuse()
    return [f"{found}. {_HOLDS_NOTHING}. {CORRECT_IT}" for found in minor]


def _of(families: dict[str, frozenset[str]], names: Collection[str]) -> frozenset[str]:
    return frozenset[str]().union(*(families[name] for name in names))
