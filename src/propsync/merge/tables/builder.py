"""Builds the tables that people read from history, for the records that changed since the last build."""

from __future__ import annotations

from collections.abc import Mapping

from propsync.merge.reference.list_table import add_list_columns
from propsync.merge.tables.assessment_tables import AssessmentTables
from propsync.merge.tables.asset_tables import AssetTables
from propsync.merge.tables.record_tables import RecordTables
from propsync.resources import ASSESSMENTS, ASSETS, Resource
from propsync.runs import Run
from propsync.shapes import Shape
from propsync.warehouse import Warehouse

WITH_PARTS: Mapping[str, type[RecordTables]] = {ASSETS.name: AssetTables, ASSESSMENTS.name: AssessmentTables}
"""The resources whose records have parts with tables of their own."""


def build_tables(warehouse: Warehouse, run: Run, resource: Resource, shapes: Mapping[str, Shape]) -> None:
    """Updates a resource's tables from its history; `shapes` are those of the resource and of its types."""
    with warehouse.joins_as_written():
        WITH_PARTS.get(resource.name, RecordTables)(warehouse, run, resource).build(shapes)
    add_list_columns(warehouse, run.run_id, resource.name)
