"""The journal after a loss: the old journal, and the runs that only landing shows."""

from __future__ import annotations

from collections.abc import Iterable

from propsync.landing import Manifest
from propsync.runs.journal import Journal
from propsync.runs.run import Run, run_status, time_of
from propsync.warehouse import Warehouse, quoted, statement


def has_failed(warehouse: Warehouse, run_id: str, resource: str) -> bool:
    """Whether a resource failed in a run, as far as the journal knows."""
    return bool(warehouse.value(statement("runs/has_failed"), {"run_id": run_id, "resource": resource}))


def note_landed(journal: Journal, warehouse: Warehouse, manifests: Iterable[Manifest]) -> None:
    """Adds runs that only landing shows; it does not show when they ended."""
    known = {run_id for (run_id,) in warehouse.rows(statement("runs/run_ids"))}
    flows = {one.run_id: one.flow for one in manifests if one.run_id not in known}
    rows = [
        (run_id, flow, time_of(run_id), None, run_status(journal.verdicts(run_id), journal.held(run_id)), None)
        for run_id, flow in sorted(flows.items())
    ]
    warehouse.add("ops.runs", rows)


def mark_all(warehouse: Warehouse, run: Run) -> None:
    """Notes that a run made every table, so that propsync checks and publishes each; the built marks stay."""
    with warehouse.transaction():
        marked = set(warehouse.rows(statement("runs/marked_tables")))
        for schema, table in warehouse.rows(statement("runs/all_tables")):
            if (schema, table) not in marked:
                count = warehouse.value(statement("warehouse/count_rows", table=f"{quoted(schema)}.{quoted(table)}"))
                warehouse.add("ops.tables", [(schema, table, None, run.run_id, count)])
        warehouse.execute(statement("runs/mark_all_changed"), {"run_id": run.run_id})
