"""Builds the tables that people read from history, for the records that changed since they were last built."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from propsync.merge.by_type import ByType
from propsync.merge.exact import MARK, stage_exact_numbers
from propsync.merge.naming import stage_field_names, stage_type_names
from propsync.merge.tables import mark_tables
from propsync.records import Path
from propsync.resources import ASSESSMENT_TYPES, ASSESSMENTS, ASSET_TYPES, ASSETS, SCHEDULES, Resource
from propsync.runs import Run
from propsync.shapes import Shape
from propsync.shapes.fields import KIND
from propsync.warehouse import TABLES, Models, OpenColumns, Warehouse, coalesced, json_path, text

_NEVER = datetime(1970, 1, 1, tzinfo=UTC)
_DOCUMENTED_VALUE: Path = ("value",)
FAMILIES: dict[str, tuple[str, ...]] = {
    "assets": ("assets", "asset_field_values"),
    "assessments": ("assessments", "assessment_flags", "assessment_flag_history"),
    "schedules": ("schedules",),
}
"""Incremental tables that are built together from one resource's history."""
_TYPE_TABLES = ("asset_types", "asset_type_fields", "asset_field_options")


class Builder:
    """Brings a resource's tables up to date with its history. Building twice is building once.

    What was built is marked in `ops.tables` in the last transaction, so an interrupted build is simply done again.
    """

    def __init__(self, warehouse: Warehouse, run: Run) -> None:
        self._warehouse = warehouse
        self._run = run

    def assets(self, asset_types: Shape, assets: Shape) -> None:
        """Assets, their types, fields and options, their field values, and one wide table a type."""
        models = self._models(self._built_through("assets"))
        if not models.stage("staging/dirty_assets") and not self._has_news("asset_types"):
            return
        open_types = self._learn(ASSET_TYPES, asset_types, "asset_types", _latest("asset_types"))
        open_assets = self._learn(ASSETS, assets, "assets", _latest_dirty("assets", "asset_id"))
        models = self._models(self._built_through("assets"))  # a column that was widened has reset the mark
        models.stage("staging/dirty_assets")
        self._build_types(models, asset_types, open_types)
        self._build_assets(models, assets, open_assets)
        self._build_types(models, asset_types, open_types)  # once more: assets may name types that no list shows
        self._build_values(models, asset_types, assets)

    def assessments(self, assessment_types: Shape, assessments: Shape) -> None:
        """Assessments, their types, their flags and the flags' history."""
        self._build_assessment_types(assessment_types)
        models = self._models(self._built_through("assessments"))
        if not models.stage("staging/dirty_assessments"):
            return
        payloads = _latest_dirty("assessments", "assessment_id")
        columns = self._learn(ASSESSMENTS, assessments, "assessments", payloads)
        flags, history = self._learn_flags(payloads, assessments)
        models = self._models(self._built_through("assessments"))
        models.stage("staging/dirty_assessments")
        fragments = _record_fragments(assessments) | {"flags": "payload->'$.\"flags\"'"}
        with self._warehouse.transaction():
            changed = [self._renew(models, "assessments", fragments | {"open_columns": columns})]
            changed.append(self._renew(models, "assessment_flags", fragments | {"open_columns": flags}))
            fragments |= {"flag_history": _json(assessments.paths("flag_history")), "open_columns": history}
            changed.append(self._renew(models, "assessment_flag_history", fragments))
            self._mark(FAMILIES["assessments"], changed, ["assessments"])

    def schedules(self, schedules: Shape) -> None:
        """Schedules."""
        models = self._models(self._built_through("schedules"))
        if not models.stage("staging/dirty_schedules"):
            return
        payloads = _latest_dirty("schedules", "property_id, assessment_type_id")
        columns = self._learn(SCHEDULES, schedules, "schedules", payloads)
        models = self._models(self._built_through("schedules"))
        models.stage("staging/dirty_schedules")
        with self._warehouse.transaction():
            changed = self._renew(models, "schedules", _record_fragments(schedules) | {"open_columns": columns})
            self._mark(FAMILIES["schedules"], [changed], ["schedules"])
            keys = "select property_id || '/' || assessment_type_id from staging.dirty_schedules"
            self._renew_issues(models, "schedules", keys, "schedule_value_issues")

    def _build_types(self, models: Models, shape: Shape, open_columns: str) -> None:
        models = models.with_fragments(open_columns=open_columns, **_definition_fragments(shape))
        models.stage("staging/type_definitions")
        models.stage("staging/field_definitions")
        stage_type_names(self._warehouse)
        stage_field_names(self._warehouse)
        self._warehouse.execute("create or replace table staging.previous_fields as from main.asset_type_fields")
        with self._warehouse.transaction():
            for table in _TYPE_TABLES:
                models.replace(f"main/{table}")
            self._mark(_TYPE_TABLES, [True] * len(_TYPE_TABLES), ["asset_types"])

    def _build_assets(self, models: Models, shape: Shape, open_columns: str) -> None:
        with self._warehouse.transaction():
            self._renew(models, "assets", _record_fragments(shape) | {"open_columns": open_columns})

    def _build_values(self, models: Models, types: Shape, assets: Shape) -> None:
        values = _value_paths(assets)
        stage_exact_numbers(self._warehouse, {*values.values(), _DOCUMENTED_VALUE})
        models = models.with_fragments(
            **_result_fragments(assets.paths("result_field"), values),
            option_reference=coalesced("option", (*types.paths("option_id"), ("id",))),
        )
        models.stage("staging/asset_results")
        with self._warehouse.transaction():
            changed = self._renew(models, "asset_field_values", {})
            self._mark(FAMILIES["assets"], [True, changed], ["assets", "asset_types"])
            wide = ByType(self._warehouse, self._run.run_id)
            written = list(wide.write(wide.plan(), models))
            mark_tables(self._warehouse, self._run.run_id, "by_type", [name for name, count in written if count])
            self._renew_issues(models, "assets", "select asset_id from staging.dirty_assets", "asset_value_issues")

    def _renew_issues(self, models: Models, resource: str, records: str, model: str) -> None:
        self._warehouse.execute(
            f"delete from ops.value_issues where resource = {text(resource)} and record_id in ({records})"
        )
        models.open(f"staging/{model}", "ops.value_issues")

    def _build_assessment_types(self, shape: Shape) -> None:
        if not self._has_news("assessment_types"):
            return
        columns = self._learn(ASSESSMENT_TYPES, shape, "assessment_types", _latest("assessment_types"))
        models = self._models(_NEVER).with_fragments(
            name=coalesced("payload", shape.paths("name")), open_columns=columns
        )
        with self._warehouse.transaction():
            models.replace("main/assessment_types")
            self._mark(["assessment_types"], [True], ["assessment_types"])

    def _learn_flags(self, payloads: str, shape: Shape) -> tuple[str, str]:
        flags = f"select unnest(from_json(payload->'$.flags', '[\"JSON\"]')) as payload from ({payloads})"
        path = _json(shape.paths("flag_history"))
        entries = f"select unnest(from_json({path}, '[\"JSON\"]')) as payload from ({flags})"
        history = {(*path, "*") for path in shape.paths("flag_history")}
        return (
            self._learn_table("assessment_flags", history, flags).select_list(),
            self._learn_table("assessment_flag_history", set(), entries).select_list(),
        )

    def _learn(self, resource: Resource, shape: Shape, table: str, payloads: str) -> str:
        roles = {path for role in resource.roles for path in shape.paths(role.name)}
        members = {(name,) for name in resource.members} | {(name,) for name in resource.dropped}
        whole = {(name, "*") for name in (*_WITH_TABLES, *resource.dropped, *resource.sets)}
        columns = self._learn_table(table, roles | members | whole, payloads)
        self._tell_absent(resource, columns.members, payloads)
        return columns.select_list()

    def _tell_absent(self, resource: Resource, seen: set[str], payloads: str) -> None:
        """Notes documented members that no record has; a column of theirs is NULL throughout (correctness.md §5)."""
        optional = {name for role in resource.roles if not role.required for name in role.documented}
        absent = sorted((optional | resource.members.keys()) - seen)
        looked_at = self._warehouse.value(f"select count(*) from ({payloads})")
        if not absent or looked_at < self._warehouse.value(f"select count(*) from ({_latest(resource.name)})"):
            return
        for name in absent:
            self._warehouse.execute(
                "insert into ops.schema_changes select $1, $2, 'documented member absent', $3, null, null "
                "where not exists (from ops.schema_changes where resource = $2 and name = $3 and change like '%absent')",
                [self._run.run_id, resource.name, name],
            )

    def _learn_table(self, table: str, excluded: Iterable[Path], payloads: str) -> OpenColumns:
        columns = OpenColumns(self._warehouse, TABLES[f"main.{table}"], set(excluded))
        moved = columns.learn(payloads, self._run.run_id)
        rows = [(self._run.run_id, table, change, name, None, kind) for change, name, kind in moved]
        self._warehouse.add("ops.schema_changes", rows)
        return columns

    def _models(self, built_through: datetime) -> Models:
        values = {"run_id": self._run.run_id, "built_through": built_through, "exact_mark": MARK}
        return Models(self._warehouse, values)

    def _renew(self, models: Models, table: str, fragments: dict[str, str]) -> bool:
        models = models.with_fragments(**fragments)
        return bool(models.close(f"main/{table}.close") + models.open(f"main/{table}.open"))

    def _built_through(self, family: str) -> datetime:
        """Up to which run all tables of a family were built; the beginning of time for one never built."""
        tables = FAMILIES[family]
        marks = self._warehouse.rows(
            "select built_through from ops.tables where table_schema = 'main' and list_contains(?, table_name)",
            [list(tables)],
        )
        return min(mark or _NEVER for (mark,) in marks) if len(marks) == len(tables) else _NEVER

    def _has_news(self, types: str) -> bool:
        """Whether a list of types has a version that its table does not show yet."""
        mark = (
            self._warehouse.value(
                "select built_through from ops.tables where table_schema = 'main' and table_name = ?", [types]
            )
            or _NEVER
        )
        return bool(self._warehouse.value(f"select count(*) from history.{types} where valid_from > ?", [mark]))

    def _mark(self, tables: Sequence[str], changed: Sequence[bool], sources: Sequence[str]) -> None:
        """Notes, inside the transaction that built them, which tables changed, and up to which version they go."""
        marked = self._warehouse.rows("select table_name from ops.tables where table_schema = 'main'")
        # a table that stays empty is marked too, or its family would be built anew every night
        names = [name for name, is_changed in zip(tables, changed, strict=True) if is_changed or (name,) not in marked]
        mark_tables(self._warehouse, self._run.run_id, "main", names)
        latest = [self._warehouse.value(f"select max(valid_from) from history.{source}") for source in sources]
        self._warehouse.execute(
            "update ops.tables set built_through = ? where table_schema = 'main' and list_contains(?, table_name)",
            [max((time for time in latest if time), default=None), list(tables)],
        )


_WITH_TABLES = ("fields", "flags")
"""Members whose contents have tables of their own."""


def _latest(resource: str) -> str:
    return f"select payload from history.{resource} where valid_to is null and change <> 'delete'"


def _latest_dirty(resource: str, key: str) -> str:
    return (
        f"select payload from history.{resource} semi join staging.dirty_{resource} using ({key}) "
        "where valid_to is null and change <> 'delete'"
    )


def _record_fragments(shape: Shape) -> dict[str, str]:
    return {role: coalesced("payload", shape.paths(role)) for role in ("property", "type", "status")}


def _definition_fragments(shape: Shape) -> dict[str, str]:
    options = shape.paths("field_options")
    return {
        "field_id": coalesced("definition", shape.paths("field_id")),
        "field_label": f"definition->>{text(json_path(shape.paths('field_label')[0]))}"
        if shape.has("field_label")
        else "null::varchar",
        "field_options": _json(options),
        "option_id": coalesced("option", shape.paths("option_id")),
        "option_label": coalesced("option", shape.paths("option_label")),
    }


def _json(paths: Sequence[Path]) -> str:
    """The JSON at the first of `paths`; a piece of SQL."""
    return f"payload->{text(json_path(paths[0]))}" if paths else "null::json"


def _value_paths(shape: Shape) -> dict[str, Path]:
    """Where results of each kind keep their value."""
    found = {part.partition(":")[2]: choice.paths for part, choice in shape.choices.items() if ":" in part}
    return {kind: paths[0] for kind, paths in found.items() if paths}


def _result_fragments(references: Sequence[Path], values: dict[str, Path]) -> dict[str, str]:
    """What is asked of a field result; `members` are taken from it in the order of `result_members`, its kind first."""
    paths = list(dict.fromkeys([KIND, *references, *(path for _, path in sorted(values.items()))]))
    member = {path: f"members[{place}]" for place, path in enumerate(paths, 1)}
    return {
        "result_members": f"[{', '.join(text(json_path(path)) for path in paths)}]",
        "result_field": _first(coalesced(member[path], [()]) for path in references),
        "result_value": _value_by_kind({kind: member[path] for kind, path in sorted(values.items())}),
    }


def _first(tried: Iterable[str]) -> str:
    return f"coalesce({', '.join(['null::varchar', *tried])})"


def _value_by_kind(members: dict[str, str]) -> str:
    """A result's value as JSON; a kind that was never met before is looked for under `value`, then under its name."""
    told = "".join(f" when {text(kind)} then {member}" for kind, member in members.items())
    kind = "members[1]->>'$'"
    unknown = f"coalesce(result->'$.\"value\"', result->('$.\"' || replace({kind}, '\"', '') || '\"'))"
    return f"case {kind}{told} else {unknown} end" if told else unknown
