"""Checks: queries that return the rows that break a rule. `ops.checks` has their findings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from propsync.errors import CheckFailed
from propsync.resources import SYNCED
from propsync.shipped import shipped
from propsync.warehouse.connection import Warehouse
from propsync.warehouse.declared_tables import TABLES, Table, quoted
from propsync.warehouse.macros import filled
from propsync.warehouse.model_order import sources
from propsync.warehouse.resource_sql import resource_fragments
from propsync.warehouse.statements import statement

_SEVERITY = re.compile(r"^-- severity: (fail|warn)$", re.MULTILINE)


@dataclass(frozen=True)
class Check:
    """One rule on the tables `reads`. With severity "fail", propsync publishes nothing while it finds a row."""

    name: str
    severity: str
    sql: str
    reads: frozenset[str]


class Checks:
    """All checks, read once: a check's text determines its tables, so any warehouse can find them."""

    def __init__(self) -> None:
        self._declared: tuple[Check, ...] = ()

    def declared(self, warehouse: Warehouse) -> tuple[Check, ...]:
        """The checks under `sql/checks/`, and one for the key of each table that has one."""
        if not self._declared:
            written = [_written(warehouse, name, sql) for name, sql in sorted(check_files())]
            self._declared = (*written, *(_unique(table) for table in TABLES.values() if table.key))
        return self._declared


_CHECKS = Checks()


def run_checks(warehouse: Warehouse, run_id: str, since: str | None = None) -> list[str]:
    """Runs the checks on tables that a run changed, or any run after `since`; returns a line for each warning.

    Raises CheckFailed if the tables break a rule that published tables must keep.
    """
    changed = {
        f"{schema}.{table}"
        for schema, table in warehouse.rows(
            statement("checks/changed_tables"), {"run_id": run_id, "since": run_id if since is None else since}
        )
    }
    if not changed:
        return []
    due = [check for check in _CHECKS.declared(warehouse) if check.reads & changed]
    found = [(check, *_offending(warehouse, check)) for check in due]
    with warehouse.transaction():
        names = [check.name for check in due]
        warehouse.execute(statement("checks/forget_found"), {"names": names})
        rows = [(check.name, check.severity, count, example, run_id) for check, count, example in found]
        warehouse.add("ops.checks", rows)
    broken = [(check, count, example) for check, count, example in found if count]
    for check, count, example in broken:
        if check.severity == "fail":
            raise CheckFailed(f"check {check.name}", f"{count} rows break it, such as {example}")
    return [f"check {check.name}: {count} rows, such as {example}" for check, count, example in broken]


def check_files() -> Iterator[tuple[str, str]]:
    """Name and SQL of each check: those that stand alone, and the templates for each resource."""
    folder = shipped("sql") / "checks"
    for path in folder.glob("*.sql"):
        yield path.stem, path.read_text(encoding="utf-8")
    for path, resource in product((folder / "each_resource").glob("*.sql"), SYNCED):
        yield f"{resource.name}_{path.stem}", filled(path.read_text(encoding="utf-8"), resource_fragments(resource))


def _offending(warehouse: Warehouse, check: Check) -> tuple[int, str | None]:
    count, example = warehouse.rows(statement("checks/offending", check=check.sql))[0]
    return int(count), example


def _written(warehouse: Warehouse, name: str, sql: str) -> Check:
    severity = _SEVERITY.search(sql)
    if severity is None:
        raise ValueError(f"sql/checks/{name}.sql has no severity")
    return Check(name, severity[1], sql, frozenset(sources(warehouse, sql)))


def _unique(table: Table) -> Check:
    key = ", ".join(quoted(column) for column in table.key)
    sql = statement("checks/keys_that_come_twice", key=key, table=table.full_name)
    return Check(f"{table.full_name}_key_is_unique", "fail", sql, frozenset({table.full_name}))
