"""Builds the tables of one resource from its history, for the records that changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import ClassVar

from propsync.merge.freshness import NEVER, Freshness
from propsync.merge.tables.earlier_versions import EarlierVersions
from propsync.merge.tables.fragments import exact, open_columns, record_fragments
from propsync.merge.tables.latest_versions import (
    DIRTY_PAYLOADS,
    dirty_versions,
    latest_payloads,
    show_versions,
    stage_readable_types,
    stage_readable_versions,
)
from propsync.merge.tables.open_columns import OpenColumnFinder
from propsync.records import in_copy
from propsync.resources import Resource
from propsync.runs import Run
from propsync.shapes import Shape
from propsync.warehouse import (
    Models,
    OpenColumns,
    Warehouse,
    coalesced,
    quoted,
    resource_fragments,
    statement,
    text,
)


class RecordTables:
    """One table with a row a record, which suffices for a resource without parts of its own.

    Building twice equals building once: `ops.tables` notes up to which version propsync built each table, in the
    transaction that built it. So propsync repeats an interrupted build.
    """

    further: ClassVar[tuple[str, ...]] = ()
    """Tables with parts of a record, several rows each."""
    dirty_model: ClassVar[str] = "staging/dirty_records"
    """The query for the records to build again."""

    def __init__(self, warehouse: Warehouse, run: Run, resource: Resource) -> None:
        self._warehouse = warehouse
        self._run = run
        self._resource = resource
        self._freshness = Freshness(warehouse, run.run_id)
        self._finder = OpenColumnFinder(warehouse, run.run_id)
        self._tables = (resource.name, *self.further)
        self._earlier = EarlierVersions(warehouse, run.run_id, resource)
        self._of_resource = resource_fragments(resource)
        self._staged_through: datetime | None = None
        self._dirty = 0
        self._dirty_versions = ""

    def build(self, shapes: Mapping[str, Shape]) -> None:
        """Updates the tables from history; `shapes` are those of the resource and of its types."""
        if types := self._warehouse.catalogue.types_of(self._resource):
            self._build_listed_types(types, shapes[types.name])
        models, dirty = self._stage_dirty()
        if not dirty:
            return
        shape = shapes[self._resource.name]
        columns = self._find_columns(shape)
        fragments = self._further_fragments(shape)
        self._stage_earlier(record_fragments(shape, columns))
        models, _ = self._stage_dirty()
        stage_readable_versions(self._warehouse, self._resource)
        self._stage_parts(models)
        with self._warehouse.transaction():
            changed = [self._renew(models, self._resource.name, record_fragments(shape, columns))]
            changed += [self._renew(models, table, fragments[table]) for table in self.further]
            self._earlier.renew()
            self._freshness.mark(self._tables, changed, [self._resource.name])
            self._renew_issues(models)

    def _find_columns(self, shape: Shape) -> OpenColumns:
        """The open columns of the records to build, for their earlier versions too."""
        since = self._freshness.built_through(self._tables)
        moment = f"timestamptz {text(since.isoformat())}"
        passed = statement("merge/tables/passed_payloads", table=self._of_resource["table"], built_through=moment)
        columns = self._finder.resource(self._resource, shape, DIRTY_PAYLOADS, passed)
        self._earlier.follow_columns()
        return columns

    def _stage_earlier(self, fragments: dict[str, str]) -> None:
        """Stages the versions that the table no longer shows; it leaves no staging table for the present ones."""
        self._earlier.stage(self._stage_dirty_records(), fragments)

    def _further_fragments(self, shape: Shape) -> dict[str, dict[str, str]]:  # noqa: ARG002 - for those with parts
        """Finds the columns of further tables; what each one's model needs, by table."""
        return {}

    def _stage_parts(self, models: Models) -> None:
        """Stages the parts of the dirty records."""

    def _build_listed_types(self, types: Resource, shape: Shape) -> None:
        if not self._freshness.has_news(types.name):
            return
        columns = self._finder.resource(types, shape, latest_payloads(types))
        stage_readable_types(self._warehouse, types)
        models = self._models(NEVER).with_fragments(
            name=exact(coalesced("readable", map(in_copy, shape.paths("name")))),
            open_columns=open_columns(columns, "readable"),
        )
        changes = f"staging/type_changes/{types.name}"
        with self._warehouse.transaction():
            if models.has(changes):
                models.open(changes, "ops.schema_changes")
            models.replace(f"main/{types.name}")
            self._freshness.mark([types.name], [True], [types.name])

    def _stage_dirty(self) -> tuple[Models, int]:
        """Makes `staging.dirty_records` and `staging.dirty_versions`; returns how many records are dirty."""
        models = self._stage_dirty_records()
        show_versions(self._warehouse, self._dirty_versions)
        return models, self._dirty

    def _stage_dirty_records(self) -> Models:
        """Makes `staging.dirty_records`, again only if a widened column has reset the mark meanwhile."""
        built_through = self._freshness.built_through(self._tables)
        models = self._models(built_through)
        if built_through != self._staged_through:
            self._dirty = models.with_fragments(**self._of_resource).stage(self.dirty_model, "dirty_records")
            self._dirty_versions = dirty_versions(self._warehouse, self._resource, self._dirty)
            self._staged_through = built_through
        return models

    def _models(self, built_through: datetime) -> Models:
        values = {"run_id": self._run.run_id, "built_through": built_through}
        return Models(self._warehouse, values)

    def _renew(self, models: Models, table: str, fragments: dict[str, str]) -> bool:
        models = models.with_fragments(**self._of_resource | fragments)
        target, own = f"main.{quoted(table)}", f"main/{table}.open"
        removed = models.close("main/records.close", target)
        return bool(removed + models.open(own if models.has(own) else "main/records.open", target))

    def _renew_issues(self, models: Models) -> None:
        """Finds faults in the values of dirty records; a known issue keeps its first run."""
        model = f"staging/value_issues/{self._resource.name}"
        if not models.has(model):
            return
        of_resource = {"resource": self._resource.name}
        before = self._warehouse.rows(statement("merge/tables/issues_before"), of_resource)
        self._warehouse.execute(statement("merge/tables/forget_issues"), of_resource)
        models.open(model, "ops.value_issues")
        if before:
            self._keep_first_runs(before)

    def _keep_first_runs(self, before: Sequence[tuple[str, str, str, str | None, str]]) -> None:
        columns = ("record_ids", "names", "issues", "written", "run_ids")
        known = dict(zip(columns, map(list, zip(*before, strict=True)), strict=True))
        self._warehouse.execute(statement("merge/tables/keep_first_runs"), known | {"resource": self._resource.name})
