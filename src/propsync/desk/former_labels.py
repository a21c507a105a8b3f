"""The labels that fields had before: a field that was renamed may still play the role that one of them had."""

from __future__ import annotations

from collections.abc import Mapping

from propsync.merge import definition_fragments, stage_readable
from propsync.shapes import Shape
from propsync.warehouse import Models, Warehouse, statement


def former_labels(warehouse: Warehouse, asset_types: Shape) -> Mapping[tuple[str, str], tuple[str, ...]]:
    """The former labels of each field that had another one, the latest first, by the ids of type and field."""
    models = Models(warehouse, {}, definition_fragments(asset_types))
    if not models.stage("staging/desk/former_types"):
        return {}
    stage_readable(warehouse, "readable_types", "staging.former_types", ["asset_type_id", "valid_from"])
    models.stage("staging/field_versions")
    rows = warehouse.rows(statement("desk/former_labels"))
    return {(type_id, field_id): tuple(labels) for type_id, field_id, labels in rows}
