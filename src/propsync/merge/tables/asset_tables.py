"""The tables of assets: a row each, their types, fields and options, a row a field value, and a wide table a type."""

from __future__ import annotations

from collections.abc import Mapping

from propsync.merge.freshness import mark_tables
from propsync.merge.tables.by_type import ByType, comment_on_types
from propsync.merge.tables.earlier_values import EarlierValues
from propsync.merge.tables.fragments import (
    definition_fragments,
    open_columns,
    record_fragments,
    result_fragments,
    value_fragments,
)
from propsync.merge.tables.latest_versions import (
    latest_payloads,
    stage_readable_types,
    stage_readable_versions,
)
from propsync.merge.tables.naming import stage_field_names, stage_type_names
from propsync.merge.tables.record_tables import RecordTables
from propsync.resources import ASSET_TYPES, ASSETS, Resource
from propsync.runs import Run
from propsync.shapes import Shape
from propsync.shapes.results.shape import value_paths
from propsync.warehouse import Models, Warehouse, statement

_TYPE_TABLES = ("asset_types", "asset_type_fields", "asset_field_options")
_TYPE_CHANGES = "staging/definition_changes"


class AssetTables(RecordTables):
    """Assets, their types, fields and options, their field values, and one wide table a type."""

    further = ("asset_field_values",)
    dirty_model = "staging/dirty_assets"

    def __init__(self, warehouse: Warehouse, run: Run, resource: Resource) -> None:
        super().__init__(warehouse, run, resource)
        self._values = EarlierValues(warehouse, run.run_id)

    def build(self, shapes: Mapping[str, Shape]) -> None:
        """Builds types first, and once more if assets name types that no list shows."""
        asset_types, assets = shapes[ASSET_TYPES.name], shapes[ASSETS.name]
        models, dirty = self._stage_dirty()
        if not dirty and not self._freshness.has_news("asset_types"):
            return
        types = self._finder.resource(ASSET_TYPES, asset_types, latest_payloads(ASSET_TYPES))
        open_types = open_columns(types, "readable")
        open_assets = self._find_columns(assets)
        stage_readable_types(self._warehouse, ASSET_TYPES)
        self._build_types(models, asset_types, open_types)
        self._stage_earlier(record_fragments(assets, open_assets))
        models = self._stage_dirty_records()
        self._values.stage(self._value_models(models, asset_types, assets), record_fragments(assets, open_assets))
        models, _ = self._stage_dirty()
        stage_readable_versions(self._warehouse, ASSETS)
        with self._warehouse.transaction():
            self._renew(models, "assets", record_fragments(assets, open_assets))
        if self._are_types_unlisted():
            self._build_types(models, asset_types, open_types)
        self._build_values(models, asset_types, assets)

    def _are_types_unlisted(self) -> bool:
        """Whether `main.asset_types` lacks a type that assets now name, or has one that only assets named before."""
        return bool(self._warehouse.value(statement("merge/tables/count_unlisted_types")))

    def _build_types(self, models: Models, shape: Shape, open_types: str) -> None:
        models = models.with_fragments(open_columns=open_types, **definition_fragments(shape))
        tables = [f"main/{table}" for table in _TYPE_TABLES]
        models.stage_for(_TYPE_CHANGES, *tables)
        stage_type_names(self._warehouse, models)
        stage_field_names(self._warehouse)
        with self._warehouse.transaction():
            models.open(_TYPE_CHANGES, "ops.schema_changes")
            for model in models.in_order(tables):
                models.replace(model)
            self._freshness.mark(_TYPE_TABLES, [True] * len(_TYPE_TABLES), ["asset_types"])

    def _build_values(self, models: Models, types: Shape, assets: Shape) -> None:
        models = self._value_models(models, types, assets)
        models.stage_for("main/asset_field_values.open")
        with self._warehouse.transaction():
            changed = self._renew(models, "asset_field_values", {})
            wide = ByType(self._warehouse, self._run.run_id, self._values.staged)
            written = list(wide.write(wide.plan(), models))
            mark_tables(self._warehouse, self._run.run_id, "by_type", [name for name, count in written if count])
            self._renew_issues(models)
        comment_on_types(self._warehouse)
        self._values.stage_intervals(models, assets)
        with self._warehouse.transaction():  # the mark comes last: a killed build is repeated whole
            self._earlier.renew()
            self._values.renew(models.values["built_through"])
            self._freshness.mark(self._tables, [True, changed], ["assets", "asset_types"])

    def _value_models(self, models: Models, types: Shape, assets: Shape) -> Models:
        """The models of field values, on the assets as they are now."""
        results = result_fragments(assets.paths("result_field"), value_paths(assets))
        return models.with_fragments(**results, **value_fragments(types), placed="main.assets")
