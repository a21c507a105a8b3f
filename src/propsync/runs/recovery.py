"""The journal of tables that are made anew: what it knew, and what landing tells of runs that it does not know."""

from __future__ import annotations

from collections.abc import Iterable

from propsync.landing import Manifest
from propsync.runs.journal import Journal
from propsync.runs.run import Run, Verdict, run_status, time_of
from propsync.warehouse import Warehouse, quoted

_TABLES = (
    "select schema_name, table_name from duckdb_tables() where database_name = current_database() "
    "and schema_name in ('main', 'history', 'by_type') order by all"
)


def has_failed(warehouse: Warehouse, run_id: str, resource: str) -> bool:
    """Whether a resource failed in a run, as far as the journal knows."""
    query = "select count(*) from ops.run_resources where run_id = ? and resource = ? and verdict = ?"
    return bool(warehouse.value(query, [run_id, resource, Verdict.FAILED.value]))


def note_landed(journal: Journal, warehouse: Warehouse, manifests: Iterable[Manifest]) -> None:
    """Adds runs that only landing tells of; when they ended it does not tell."""
    known = {run_id for (run_id,) in warehouse.rows("select run_id from ops.runs")}
    flows = {one.run_id: one.flow for one in manifests if one.run_id not in known}
    rows = [
        (run_id, flow, time_of(run_id), None, run_status(journal.verdicts(run_id), journal.held(run_id)), None)
        for run_id, flow in sorted(flows.items())
    ]
    warehouse.add("ops.runs", rows)


def mark_all(warehouse: Warehouse, run: Run) -> None:
    """Notes that a run made every table, so that each is checked and published; up to where it was built stays."""
    with warehouse.transaction():
        marked = set(warehouse.rows("select table_schema, table_name from ops.tables"))
        for schema, table in warehouse.rows(_TABLES):
            if (schema, table) not in marked:
                count = warehouse.value(f"select count(*) from {quoted(schema)}.{quoted(table)}")
                warehouse.add("ops.tables", [(schema, table, None, run.run_id, count)])
        warehouse.execute("update ops.tables set changed_run_id = ?", [run.run_id])
