"""Builds the tables that people read from history, for the records that changed since they were last built."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from propsync.merge.freshness import FAMILIES, NEVER, Freshness, mark_tables
from propsync.merge.tables.by_type import ByType
from propsync.merge.tables.fragments import (
    definition_fragments,
    exact,
    json_at,
    open_columns,
    record_fragments,
    result_fragments,
    value_fragments,
    value_paths,
)
from propsync.merge.tables.latest_versions import (
    DIRTY_PAYLOADS,
    latest_payloads,
    stage_dirty_versions,
    stage_readable_types,
    stage_readable_versions,
)
from propsync.merge.tables.naming import stage_field_names, stage_type_names
from propsync.merge.tables.open_columns import OpenColumnFinder
from propsync.records import in_copy
from propsync.resources import ASSESSMENT_TYPES, ASSESSMENTS, ASSET_TYPES, ASSETS, SCHEDULES, Resource
from propsync.runs import Run
from propsync.shapes import Shape
from propsync.warehouse import Models, OpenColumns, Warehouse, coalesced, text

_TYPE_TABLES = ("asset_types", "asset_type_fields", "asset_field_options")
_TYPE_CHANGES = "staging/definition_changes"


class Builder:
    """Brings a resource's tables up to date with its history. Building twice is building once.

    What was built is marked in `ops.tables` in the last transaction, so an interrupted build is simply done again.
    """

    def __init__(self, warehouse: Warehouse, run: Run) -> None:
        self._warehouse = warehouse
        self._run = run
        self._marks = Freshness(warehouse, run.run_id)
        self._learner = OpenColumnFinder(warehouse, run.run_id)

    def assets(self, asset_types: Shape, assets: Shape) -> None:
        """Assets, their types, fields and options, their field values, and one wide table a type."""
        models, dirty = self._stage_dirty(ASSETS)
        if not dirty and not self._marks.has_news("asset_types"):
            return
        types = self._learner.resource(ASSET_TYPES, asset_types, latest_payloads(ASSET_TYPES))
        open_types = open_columns(types, "readable")
        open_assets = self._learner.resource(ASSETS, assets, DIRTY_PAYLOADS)
        models, _ = self._stage_dirty(ASSETS)  # a column that was widened has reset the mark
        stage_readable_versions(self._warehouse, ASSETS)
        stage_readable_types(self._warehouse, ASSET_TYPES)
        self._build_types(models, asset_types, open_types)
        self._build_assets(models, assets, open_assets)
        if self._are_types_unlisted():  # once more: assets may name types that no list shows
            self._build_types(models, asset_types, open_types)
        self._build_values(models, asset_types, assets)

    def assessments(self, assessment_types: Shape, assessments: Shape) -> None:
        """Assessments, their types, their flags and the flags' history."""
        self._build_assessment_types(assessment_types)
        models, dirty = self._stage_dirty(ASSESSMENTS)
        if not dirty:
            return
        columns = self._learner.resource(ASSESSMENTS, assessments, DIRTY_PAYLOADS)
        flags, history = self._learner.flags(DIRTY_PAYLOADS, assessments)
        models, _ = self._stage_dirty(ASSESSMENTS)
        stage_readable_versions(self._warehouse, ASSESSMENTS)
        models.stage_for("main/assessment_flags.open", "main/assessment_flag_history.open")
        entries = json_at(assessments.paths("flag_history"), "flag")
        of_history = {"flag_history": entries, "open_columns": open_columns(history, "entry")}
        with self._warehouse.transaction():
            changed = [
                self._renew(models, "assessments", record_fragments(assessments, columns)),
                self._renew(models, "assessment_flags", {"open_columns": open_columns(flags, "flag")}),
                self._renew(models, "assessment_flag_history", of_history),
            ]
            self._marks.mark(FAMILIES["assessments"], changed, ["assessments"])
            keys = "select assessment_id from staging.dirty_assessments"
            self._renew_issues(models, "assessments", keys, "assessment_value_issues")

    def schedules(self, schedules: Shape) -> None:
        """Schedules."""
        models, dirty = self._stage_dirty(SCHEDULES)
        if not dirty:
            return
        columns = self._learner.resource(SCHEDULES, schedules, DIRTY_PAYLOADS)
        models, _ = self._stage_dirty(SCHEDULES)
        stage_readable_versions(self._warehouse, SCHEDULES)
        with self._warehouse.transaction():
            changed = self._renew(models, "schedules", record_fragments(schedules, columns))
            self._marks.mark(FAMILIES["schedules"], [changed], ["schedules"])
            keys = "select record_id from staging.dirty_schedules"
            self._renew_issues(models, "schedules", keys, "schedule_value_issues")

    def _stage_dirty(self, resource: Resource) -> tuple[Models, int]:
        """Makes `staging.dirty_<resource>` and `staging.dirty_versions`; returns how many records are dirty."""
        models = self._models(self._marks.built_through(resource.name))
        dirty = models.stage(f"staging/dirty_{resource.name}")
        stage_dirty_versions(self._warehouse, resource, dirty)
        return models, dirty

    def _are_types_unlisted(self) -> bool:
        """Whether `main.asset_types` lacks a type that assets name by now, or has one that only assets named before."""
        return bool(
            self._warehouse.value(
                "with wanted as (select asset_type_id from history.asset_types where valid_to is null "
                "union select asset_type_id from main.assets where asset_type_id is not null) "
                "select count(*) from wanted full join main.asset_types as made using (asset_type_id) "
                "where wanted.asset_type_id is null or made.asset_type_id is null"
            )
        )

    def _build_types(self, models: Models, shape: Shape, open_types: str) -> None:
        models = models.with_fragments(open_columns=open_types, **definition_fragments(shape))
        tables = [f"main/{table}" for table in _TYPE_TABLES]
        models.stage_for(_TYPE_CHANGES, *tables)
        stage_type_names(self._warehouse, models)
        stage_field_names(self._warehouse)
        self._warehouse.execute("create or replace table staging.previous_fields as from main.asset_type_fields")
        with self._warehouse.transaction():
            models.open(_TYPE_CHANGES, "ops.schema_changes")
            for model in models.in_order(tables):
                models.replace(model)
            self._marks.mark(_TYPE_TABLES, [True] * len(_TYPE_TABLES), ["asset_types"])

    def _build_assets(self, models: Models, shape: Shape, columns: OpenColumns) -> None:
        with self._warehouse.transaction():
            self._renew(models, "assets", record_fragments(shape, columns))

    def _build_values(self, models: Models, types: Shape, assets: Shape) -> None:
        models = models.with_fragments(
            **result_fragments(assets.paths("result_field"), value_paths(assets)), **value_fragments(types)
        )
        models.stage_for("main/asset_field_values.open")
        with self._warehouse.transaction():
            changed = self._renew(models, "asset_field_values", {})
            self._marks.mark(FAMILIES["assets"], [True, changed], ["assets", "asset_types"])
            wide = ByType(self._warehouse, self._run.run_id)
            written = list(wide.write(wide.plan(), models))
            mark_tables(self._warehouse, self._run.run_id, "by_type", [name for name, count in written if count])
            self._renew_issues(models, "assets", "select asset_id from staging.dirty_assets", "asset_value_issues")

    def _renew_issues(self, models: Models, resource: str, records: str, model: str) -> None:
        """Tells anew what is wrong with the values of `records`; an issue that was told before keeps its first run."""
        of_records = f"from ops.value_issues where resource = {text(resource)} and record_id in ({records})"
        before = self._warehouse.rows(f"select record_id, name, issue, value, min(run_id) {of_records} group by all")
        self._warehouse.execute(f"delete {of_records}")
        models.open(f"staging/{model}", "ops.value_issues")
        if before:
            self._keep_first_runs(resource, before)

    def _keep_first_runs(self, resource: str, before: Sequence[tuple[str, str, str, str | None, str]]) -> None:
        columns = [list(values) for values in zip(*before, strict=True)]
        self._warehouse.execute(
            "update ops.value_issues as issues set run_id = before.run_id from (select unnest(?) as record_id, "
            "unnest(?) as name, unnest(?) as issue, unnest(?) as value, unnest(?) as run_id) as before "
            f"where issues.resource = {text(resource)} and issues.record_id = before.record_id "
            "and issues.name = before.name and issues.issue = before.issue "
            "and issues.value is not distinct from before.value",
            columns,
        )

    def _build_assessment_types(self, shape: Shape) -> None:
        if not self._marks.has_news("assessment_types"):
            return
        columns = self._learner.resource(ASSESSMENT_TYPES, shape, latest_payloads(ASSESSMENT_TYPES))
        stage_readable_types(self._warehouse, ASSESSMENT_TYPES)
        models = self._models(NEVER).with_fragments(
            name=exact(coalesced("readable", map(in_copy, shape.paths("name")))),
            open_columns=open_columns(columns, "readable"),
        )
        with self._warehouse.transaction():
            models.replace("main/assessment_types")
            self._marks.mark(["assessment_types"], [True], ["assessment_types"])

    def _models(self, built_through: datetime) -> Models:
        values = {"run_id": self._run.run_id, "built_through": built_through}
        return Models(self._warehouse, values)

    def _renew(self, models: Models, table: str, fragments: dict[str, str]) -> bool:
        models = models.with_fragments(**fragments)
        return bool(models.close(f"main/{table}.close") + models.open(f"main/{table}.open"))
