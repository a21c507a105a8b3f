"""The days that the counts of compliance are of, and where each required assessment stood at the end of each."""

from __future__ import annotations

from typing import Any

import xxhash

from propsync.desk.inputs import made_by, marks_of_tables
from propsync.warehouse import Models, Warehouse, statement

_COUNTING = (
    "staging/desk/undecided_requirements",
    "staging/desk/counted_days",
    "staging/desk/compliance_then",
    "staging/compliance_on_days",
    "staging/measure_rules",
    "staging/measure_types",
    "marts/compliance_days.open",
    "marts/measures.open",
)
"""The models that make the counts: if a piece of SQL in one changes, so do all counts."""

_VALUES = ("time_zone", "due_soon_days", "fiscal_year_end", "assessment_date", "measure_rules")


class CountedDays:
    """Makes `staging.counted_days` and `staging.compliance_then` for the marts compliance_days and measures.

    An earlier day keeps its counts: its records stay as they were. People's lists, settings and SQL have no history,
    so `basis`, a hash of them, tells whether counts are of the present ones.
    """

    TABLES = ("staging.counted_days", "staging.compliance_then")
    """The tables that it makes."""

    def __init__(self, warehouse: Warehouse, models: Models) -> None:
        self._warehouse = warehouse
        self._models = models

    def stage(self) -> dict[str, str]:
        """Makes both; returns the mark of each."""
        basis = self._basis()
        models = self._models.with_values(basis=basis)
        models.stage("staging/desk/counted_days")
        if self._warehouse.value(statement("desk/counts_earlier_days")):
            models.stage("staging/read_verdicts")
            models.stage("staging/desk/compliance_then")
        else:
            models.stage("staging/desk/compliance_of_no_day", "compliance_then")
        return dict.fromkeys(self.TABLES, basis)

    def _basis(self) -> str:
        values: dict[str, Any] = {name: self._models.values[name] for name in _VALUES}
        shapes = marks_of_tables(self._warehouse, values["time_zone"]).get("ops.shapes")
        rules = [made_by(), shapes, *map(self._models.sql, _COUNTING)]
        lists = self._warehouse.value(statement("desk/lists_hash"))
        return xxhash.xxh3_64_hexdigest(repr((values, rules, lists)).encode())
