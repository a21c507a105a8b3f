"""The days that the counts of compliance are of, and where each required assessment stood at the end of each."""

from __future__ import annotations

from typing import Any

import xxhash

from propsync.desk.inputs import made_by, marks_of_tables
from propsync.merge import mark_tables, stage_readable_types
from propsync.records import in_copy
from propsync.resources import ASSESSMENT_TYPES
from propsync.shapes import Shape
from propsync.warehouse import Models, Warehouse, coalesced, statement

_COUNTING = (
    "staging/desk/undecided_requirements",
    "staging/desk/counted_days",
    "staging/desk/requirements_then",
    "staging/desk/compliance_then",
    "staging/compliance_on_days",
    "staging/desk/assessment_type_versions",
    "staging/type_names_on_days",
    "staging/measure_rules",
    "staging/chosen_types",
    "staging/measure_types",
    "staging/reads_on_days",
    "marts/compliance_days.open",
    "marts/compliance_then.open",
    "marts/measures.open",
)
"""The models that make the counts: if a piece of SQL in one changes, so do all counts."""

_VALUES = ("time_zone", "due_soon_days", "fiscal_year_end", "assessment_date", "measure_rules")


class CountedDays:
    """Makes `staging.counted_days`, and what these days required and had, for the marts of compliance and measures.

    An earlier day keeps its counts: its records, and the names of its types, stay as they were. People's lists,
    settings and SQL have no history, so `basis`, a hash of them, tells whether counts are of the present ones.
    """

    TABLES = (
        "staging.counted_days",
        "staging.requirements_then",
        "staging.compliance_then",
        "staging.assessment_type_versions",
    )
    """The tables that it makes."""

    def __init__(self, warehouse: Warehouse, models: Models, assessment_types: Shape) -> None:
        self._warehouse = warehouse
        name = coalesced("readable", map(in_copy, assessment_types.paths("name")))
        self._models = models.with_fragments(name=f"staging.exact_text({name})")

    def stage(self) -> dict[str, str]:
        """Makes them; returns the mark of each."""
        self._stage_names()
        basis = self._basis()
        models = self._models.with_values(basis=basis)
        models.stage("staging/desk/counted_days")
        self._rename()
        if self._warehouse.value(statement("desk/counts_earlier_days")):
            models.stage("staging/read_verdicts")
            models.stage("staging/desk/requirements_then")
            models.stage("staging/desk/compliance_then")
        else:
            models.stage("staging/desk/requirements_of_no_day", "requirements_then")
            models.stage("staging/desk/compliance_of_no_day", "compliance_then")
        return dict.fromkeys(self.TABLES, basis)

    def _stage_names(self) -> None:
        """Makes `staging.assessment_type_versions`, and `staging.chosen_types`, which is part of the basis."""
        stage_readable_types(self._warehouse, ASSESSMENT_TYPES)
        self._models.stage("staging/desk/assessment_type_versions")
        self._models.stage_for("staging/chosen_types")
        self._models.stage("staging/chosen_types")

    def _rename(self) -> None:
        """Gives counts that stay the present names of their types, as every table has them."""
        with self._warehouse.transaction():
            renamed = {
                "compliance_days": self._warehouse.value(statement("desk/rename_compliance_days")),
                "compliance_then": self._warehouse.value(statement("desk/rename_compliance_then")),
                "measures": self._warehouse.value(statement("desk/rename_measures")),
            }
            marts = [mart for mart, count in renamed.items() if count]
            mark_tables(self._warehouse, self._models.values["run_id"], "marts", marts)

    def _basis(self) -> str:
        values: dict[str, Any] = {name: self._models.values[name] for name in _VALUES}
        shapes = marks_of_tables(self._warehouse, values["time_zone"]).get("ops.shapes")
        rules = [made_by(), shapes, *map(self._models.sql, _COUNTING)]
        lists = self._warehouse.value(statement("desk/lists_hash"))
        return xxhash.xxh3_64_hexdigest(repr((values, rules, lists)).encode())
