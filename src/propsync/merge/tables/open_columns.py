"""Learns from payloads which columns open tables need, before the transaction that fills them."""

from __future__ import annotations

from collections.abc import Iterable

from propsync.merge.tables.flag_history import history_at
from propsync.merge.tables.latest_versions import latest_payloads
from propsync.records import Path
from propsync.resources import Resource
from propsync.shapes import Shape
from propsync.warehouse import LONGEST, MOST, MOST_BELOW, OpenColumns, Warehouse, statement

_WITH_TABLES = ("fields", "flags")
"""Members whose contents have tables of their own."""
_FULL = "further members stay in payload"
_UNFIT = "members with such names stay in payload"


def _place(member: Path) -> str:
    return ".".join(member) or "(record)"


class OpenColumnFinder:
    """Makes and widens columns for the members in a query of payloads, and notes in `ops.schema_changes` what moved."""

    def __init__(self, warehouse: Warehouse, run_id: str) -> None:
        self._warehouse = warehouse
        self._run_id = run_id

    def flags(self, payloads: str, shape: Shape) -> tuple[OpenColumns, OpenColumns]:
        """Columns of flags and of their history."""
        self._warehouse.execute(statement("merge/tables/make_flag_payloads", payloads=payloads))
        flags = statement("merge/tables/flag_payloads")
        entries = statement("merge/tables/flag_entries", entries=history_at(shape.paths("flag_history")))
        history = {(*path, "*") for path in shape.paths("flag_history")}
        return (
            self._learn_table("assessment_flags", history, flags),
            self._learn_table("assessment_flag_history", set(), entries),
        )

    def resource(self, resource: Resource, shape: Shape, payloads: str, passed: str | None = None) -> OpenColumns:
        """Columns of a resource's own table; `passed` is a query for payloads that no build has seen as the latest."""
        roles = {path for role in resource.roles for path in shape.paths(role.name)}
        members = {(name,) for name in resource.members} | {(name,) for name in resource.dropped}
        with_tables = () if resource.is_further else _WITH_TABLES
        whole = {(name, "*") for name in (*with_tables, *resource.dropped, *resource.sets)}
        excluded = roles | members | whole
        columns = self._learn_table(resource.name, excluded, payloads)
        self._note_absent(resource, columns.members, payloads)
        return self._learn_table(resource.name, excluded, passed) if passed and self._count(passed) else columns

    def _note_absent(self, resource: Resource, seen: set[str], payloads: str) -> None:
        """Notes documented members that no record has; their columns are NULL throughout."""
        optional = {name for role in resource.roles if not role.required for name in role.documented}
        absent = sorted((optional | resource.members.keys()) - seen)
        if not absent or self._count(payloads) < self._count(latest_payloads(resource)):
            return
        for name in absent:
            self._note_once(resource.name, "documented member absent", name)

    def _count(self, payloads: str) -> int:
        return int(self._warehouse.value(statement("scalars/count_payloads", payloads=payloads)))

    def _learn_table(self, table: str, excluded: Iterable[Path], payloads: str) -> OpenColumns:
        columns = OpenColumns(self._warehouse, self._warehouse.tables[f"main.{table}"], set(excluded))
        moved = columns.learn(payloads, self._run_id)
        rows = [(self._run_id, table, change, name, None, kind) for change, name, kind in moved]
        self._warehouse.add("ops.schema_changes", rows)
        for member in columns.full:
            self._note_once(table, _FULL, _place(member), f"{MOST_BELOW if member else MOST} columns")
        for member in columns.unfit:
            self._note_once(table, _UNFIT, _place(member), f"a dot, or more than {LONGEST} letters")
        return columns

    def _note_once(self, resource: str, change: str, name: str, after: str | None = None) -> None:
        noted = {"run_id": self._run_id, "resource": resource, "change": change, "name": name, "after": after}
        self._warehouse.execute(statement("merge/note_change_once"), noted)
