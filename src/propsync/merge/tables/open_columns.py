"""Learns from payloads which columns open tables need, before the transaction that fills them."""

from __future__ import annotations

from collections.abc import Iterable

from propsync.merge.tables.fragments import json_at
from propsync.merge.tables.latest_versions import latest_payloads
from propsync.records import Path
from propsync.resources import Resource
from propsync.shapes import Shape
from propsync.warehouse import MOST, MOST_BELOW, TABLES, OpenColumns, Warehouse

_WITH_TABLES = ("fields", "flags")
"""Members whose contents have tables of their own."""
_FULL = "further members stay in payload"


class OpenColumnFinder:
    """Makes and widens columns for the members in a query of payloads, and notes in `ops.schema_changes` what moved."""

    def __init__(self, warehouse: Warehouse, run_id: str) -> None:
        self._warehouse = warehouse
        self._run_id = run_id

    def flags(self, payloads: str, shape: Shape) -> tuple[OpenColumns, OpenColumns]:
        """Columns of flags and of their history."""
        shown = f"select unnest(staging.entries(payload->'$.\"flags\"')) as payload from ({payloads})"
        self._warehouse.execute(f"create or replace table staging.flag_payloads as {shown}")
        flags = "select payload from staging.flag_payloads"
        path = json_at(shape.paths("flag_history"))
        entries = f"select unnest(from_json({path}, '[\"JSON\"]')) as payload from ({flags})"
        history = {(*path, "*") for path in shape.paths("flag_history")}
        return (
            self._learn_table("assessment_flags", history, flags),
            self._learn_table("assessment_flag_history", set(), entries),
        )

    def resource(self, resource: Resource, shape: Shape, payloads: str) -> OpenColumns:
        """Columns of a resource's own table."""
        roles = {path for role in resource.roles for path in shape.paths(role.name)}
        members = {(name,) for name in resource.members} | {(name,) for name in resource.dropped}
        whole = {(name, "*") for name in (*_WITH_TABLES, *resource.dropped, *resource.sets)}
        columns = self._learn_table(resource.name, roles | members | whole, payloads)
        self._tell_absent(resource, columns.members, payloads)
        return columns

    def _tell_absent(self, resource: Resource, seen: set[str], payloads: str) -> None:
        """Notes documented members that no record has; their columns are NULL throughout (correctness.md §5)."""
        optional = {name for role in resource.roles if not role.required for name in role.documented}
        absent = sorted((optional | resource.members.keys()) - seen)
        looked_at = self._warehouse.value(f"select count(*) from ({payloads})")
        if not absent or looked_at < self._warehouse.value(f"select count(*) from ({latest_payloads(resource)})"):
            return
        for name in absent:
            self._tell_once(resource.name, "documented member absent", name)

    def _learn_table(self, table: str, excluded: Iterable[Path], payloads: str) -> OpenColumns:
        columns = OpenColumns(self._warehouse, TABLES[f"main.{table}"], set(excluded))
        moved = columns.learn(payloads, self._run_id)
        rows = [(self._run_id, table, change, name, None, kind) for change, name, kind in moved]
        self._warehouse.add("ops.schema_changes", rows)
        for member in columns.full:
            self._tell_once(table, _FULL, ".".join(member) or "(record)", f"{MOST_BELOW if member else MOST} columns")
        return columns

    def _tell_once(self, resource: str, change: str, name: str, after: str | None = None) -> None:
        self._warehouse.execute(
            "insert into ops.schema_changes select $1, $2, $3, $4, null, $5 where not exists "
            "(from ops.schema_changes where resource = $2 and change = $3 and name = $4)",
            [self._run_id, resource, change, name, after],
        )
