"""Values of flags and actions that are no dates or numbers, as rows of `ops.value_issues`."""

from __future__ import annotations

from propsync.desk.choices import DeskChoices
from propsync.warehouse import Models, Warehouse, statement


def note_misfits(warehouse: Warehouse, run_id: str, choices: DeskChoices) -> None:
    """Reports each such value that the marts show; a known one keeps its first run."""
    Models(warehouse, choices.values()).stage("staging/desk/misfits")
    with warehouse.transaction():
        warehouse.execute(statement("desk/forget_misfits"))
        warehouse.execute(statement("desk/note_misfits"), {"run_id": run_id})
