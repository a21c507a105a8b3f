"""The checks of a run, and the resources that they keep from being published."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass, field

from propsync.merge import tables_of_family
from propsync.runbooks.workspace import Workspace
from propsync.runs import Run
from propsync.warehouse import Findings, run_checks

_log = logging.getLogger("propsync.run")
_NEXT = 'Correct the data or the check; `propsync query "from ops.checks"` shows what it found'


@dataclass(frozen=True)
class Withheld:
    """The tables that propsync does not publish, so that yesterday's stay; and a line for each reason and mistake."""

    tables: frozenset[str] = frozenset()
    lines: list[str] = field(default_factory=list)


def check(workspace: Workspace, run: Run) -> Withheld:
    """Checks the changes since the last publication, also those of tables that propsync has withheld since.

    Raises CheckFailed if a broken rule is about no resource, or if no earlier tables could stay.
    """
    note = workspace.publisher.note()
    findings = run_checks(
        workspace.warehouse,
        run.run_id,
        since=str(note.get("run", "")),
        folder=workspace.settings.checks_folder,
        also=note.get("withheld", ()),
    )
    for line in (*findings.warnings, *findings.unusable):
        _log.warning("%s", line)
    return _withheld(workspace, findings)


def _withheld(workspace: Workspace, findings: Findings) -> Withheld:
    families = {one.name: tables_of_family(workspace.warehouse, one) for one in workspace.catalogue.families}
    lines, tables = [], set[str]()
    for found in findings.broken:
        names = [name for name, of_family in families.items() if of_family & found.check.reads]
        if not names or not workspace.publisher.is_whole():
            findings.refuse()
        tables |= _of(families, names)
        words = " and ".join(name.replace("_", " ") for name in names)
        lines.append(f"{words} keep yesterday's rows: {found}. {_NEXT}")
    for line in lines:
        _log.error("%s", line)
    return Withheld(frozenset(tables), lines + findings.unusable)


def _of(families: dict[str, frozenset[str]], names: Collection[str]) -> frozenset[str]:
    return frozenset[str]().union(*(families[name] for name in names))
