"""Runs a case as propsync runs the model: its own warehouse, macros, fragments, and the models that are read."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from typing import Any

from sql.case import FOLDER, Case, Row, cell, read_toml

from propsync.desk import DeskChoices
from propsync.merge.tables.builder import WITH_PARTS
from propsync.merge.tables.by_type import ByType
from propsync.merge.tables.flag_history import history_at
from propsync.merge.tables.fragments import (
    definition_fragments,
    exact,
    open_columns,
    record_fragments,
    result_fragments,
    value_fragments,
)
from propsync.merge.tables.latest_versions import (
    DIRTY_PAYLOADS,
    dirty_versions,
    latest_payloads,
    show_versions,
    stage_readable_types,
    stage_readable_versions,
)
from propsync.merge.tables.open_columns import OpenColumnFinder
from propsync.merge.tables.record_tables import RecordTables
from propsync.resources import BUILT_IN, Resource
from propsync.shapes import Choice, Shape
from propsync.shapes.results.shape import value_paths
from propsync.shipped import shipped
from propsync.warehouse import TABLES, Models, Warehouse, coalesced, quoted, resource_fragments, statement
from propsync.warehouse.macros import macros

RUN = "run 2"
STAGED = read_toml(FOLDER / "staged.toml")
SHAPES = read_toml(FOLDER / "shapes.toml")
DEFAULTS = {
    "run_id": RUN,
    "run_time": "2026-01-02",
    "built_through": "1970-01-01",
    "is_whole": False,
    "hash_version": "1",
    "since": None,
    "is_concluded": False,
    **DeskChoices(datetime(2026, 1, 2, tzinfo=UTC), date(2026, 1, 2), "Europe/London").values(),
}
PLACES = {
    "open_columns": "",
    "of_dirty": "",
    "placed": "main.assets",
    "by_asset": "by_asset as (from field_values)",
    "lot": "staging.lot",
    "listed": "staging.listed",
    "assessments": "main.assessments",
}
SAID: dict[str, dict[str, Any]] = {
    "history": {"valid_from": "2026-01-01", "change": "insert"},
    "history.bundle_actions": {},
    "staging.changed": {"is_concluded": False},
    **{table: {} for table in TABLES if table.startswith("history.") and "change" not in TABLES[table].columns},
}
"""The values of rows of a table or schema, unless a case says otherwise."""
FOR_EACH = {"staging/known", "staging/last_known", "staging/dirty_records", "staging/dirty_assets"}
"""Models of one resource; a case gives their rows."""
_READ_AS_IT_IS = ("macros/", "checks/", "views/", "dashboard/")


class Running:
    """One case on a warehouse that nothing else uses meanwhile."""

    def __init__(self, warehouse: Warehouse, case: Case) -> None:
        self._warehouse = warehouse
        self._case = case
        self._models = Models(warehouse, DEFAULTS | case.given.get("values", {}))
        if of := case.given.get("of"):
            self._models = self._models.with_fragments(**resource_fragments(BUILT_IN[of]))

    def rows(self) -> list[tuple[Any, ...]]:
        """The rows that come out, with the columns to compare."""
        for one in self._case.given.get("made", ()):
            self._warehouse.execute(one)
        for table, rows in self._case.tables().items():
            self._put(table, rows)
        if self._case.model.startswith("macros/sheet/"):
            self._warehouse.execute("".join(macros("sheet")))
        if self._case.model.startswith("statements/"):
            return self._asked()
        shown = self._made() if not self._case.model.startswith(_READ_AS_IT_IS) else self._case.model
        query = self._case.given.get("query") or self._query(shown)
        columns = ", ".join(map(quoted, self._case.columns)) or "*"
        found = self._warehouse.rows(f"select {columns} from ({query})")
        return [tuple(map(_plain, row)) for row in found]

    def _query(self, shown: str) -> str:
        if shown.startswith("views/"):
            return f"from {shown.removeprefix('views/').replace('/', '.')}"
        return self._models.sql(shown) if shown.startswith(("checks/", "dashboard/")) else f"from {shown}"

    def _asked(self) -> list[tuple[Any, ...]]:
        """The rows that a statement finds, or that a query finds after a statement that changes something."""
        given = self._case.given
        sql = statement(self._case.model.removeprefix("statements/"), **given.get("fragments", {}))
        query, values = given.get("query", "{statement}"), given.get("values")
        values = values and {name: cell(told) for name, told in values.items()}
        if "{statement}" not in query:
            self._warehouse.execute(sql, values)
            values = None
        found = self._warehouse.execute(query.replace("{statement}", sql), values)
        names = [name for name, *_ in found.description]
        places = [names.index(column) for column in self._case.columns]
        return [tuple(_plain(row[place]) for place in places) for row in found.fetchall()]

    def _put(self, table: str, rows: Sequence[Row]) -> None:
        if table.startswith("staging."):
            self._stage_empty(table)
        said = SAID.get(table, SAID.get(table.partition(".")[0], {}))
        rows = [said | row for row in rows]
        columns = list(dict.fromkeys(name for row in rows for name in row))
        if rows:
            marks = ", ".join(f"({', '.join('?' * len(columns))})" for _ in rows)
            given = [cell(row.get(name)) for row in rows for name in columns]
            names = ", ".join(map(quoted, columns))
            self._warehouse.execute(f"insert into {table} ({names}) values {marks}", given)

    def _stage_empty(self, table: str) -> None:
        columns = STAGED[table.removeprefix("staging.")].items()
        defined = ", ".join(f"{quoted(name)} {kind}" for name, kind in columns)
        self._warehouse.execute(f"create or replace table {table} ({defined})")

    def _made(self) -> str:
        """Makes what the case is about; returns the table that it is in."""
        model = self._case.model
        if resource := self._case.given.get("resource"):
            self._stage_versions(BUILT_IN[resource])
        self._models = self._models.with_fragments(**self._fragments(), **self._case.given.get("fragments", {}))
        unmade = self._unmade()
        self._stage_rest(unmade)
        for name in self._models.in_order(unmade):
            self._models.stage(name)
        return self._run(model)

    def _run(self, model: str) -> str:
        schema, _, name = model.removesuffix(".open").partition("/")
        target = f"{schema}.{name}"
        if schema == "by_type":
            wide = ByType(self._warehouse, RUN)
            list(wide.write(wide.plan(), self._models))
        elif into := self._case.given.get("into"):
            self._models.open(model, into)
            return str(into)
        elif schema == "staging":
            name = name.rpartition("/")[2]
            self._models.stage(model, name)
            return f"{schema}.{name}"
        elif not model.endswith(".open"):
            self._models.replace(model)
        else:
            self._close(schema, name)
            self._models.open(model, self._target(target))
            return self._target(target)
        return target

    def _target(self, target: str) -> str:
        of = self._case.given.get("of")
        return f"history.{of}" if of else target

    def _close(self, schema: str, name: str) -> None:
        resource = self._case.given.get("resource")
        if self._models.has(f"{schema}/{name}.close"):
            self._models.close(f"{schema}/{name}.close")
        elif resource:
            models = self._models.with_fragments(**resource_fragments(BUILT_IN[resource]))
            models.close("main/records.close", f"{schema}.{name}")

    def _stage_versions(self, resource: Resource) -> None:
        """Makes what models read of a resource's history."""
        if resource not in BUILT_IN.families:
            stage_readable_types(self._warehouse, resource)
            return
        if "staging.dirty_records" not in self._case.tables():
            model = WITH_PARTS.get(resource.name, RecordTables).dirty_model
            self._models.with_fragments(**resource_fragments(resource)).stage(model, "dirty_records")
        count = self._warehouse.value("select count(*) from staging.dirty_records")
        show_versions(self._warehouse, dirty_versions(self._warehouse, resource, count))
        stage_readable_versions(self._warehouse, resource)

    def _unmade(self) -> set[str]:
        """The models that are read and whose rows the case does not give."""
        given = {table.replace(".", "/") for table in self._case.tables()}
        pair = self._case.model.replace(".open", ".close")
        read = [self._case.model, *([pair] if (shipped("sql") / f"{pair}.sql").exists() else [])]
        made = {name.replace(".", "/") for name in self._staged()}
        return set(self._models.staged_for(read, given | made | FOR_EACH)) - {self._case.model}

    def _staged(self) -> set[str]:
        query = "select 'staging.' || table_name from duckdb_tables() where database_name = 'staging'"
        return {name for (name,) in self._warehouse.rows(query)}

    def _stage_rest(self, unmade: set[str]) -> None:
        """Makes a table empty if Python makes it and the case does not give it."""
        query = "select view_name from duckdb_views() where database_name = 'staging'"
        there = self._staged() | {f"staging.{name}" for (name,) in self._warehouse.rows(query)}
        there |= {model.replace("/", ".") for model in unmade}
        for name in STAGED:
            if f"staging.{name}" not in there:
                self._stage_empty(f"staging.{name}")

    def _shape(self, resource: str) -> Shape:
        told = SHAPES.get(resource, {}) | self._case.given.get("shapes", {}).get(resource, {})
        choices = {
            part: Choice(tuple(tuple(path.split(".")) if path else () for path in paths), "found", "")
            for part, paths in told.items()
        }
        return Shape(resource, choices)

    def _fragments(self) -> dict[str, str]:
        """The fragments that the builder inserts into the models of a resource; other models read none of them."""
        types, assets = self._shape("asset_types"), self._shape("assets")
        made = definition_fragments(types) | result_fragments(assets.paths("result_field"), value_paths(assets))
        made |= value_fragments(types) | PLACES
        resource = self._case.given.get("resource")
        return made | self._of_resource(BUILT_IN[resource]) if resource else made

    def _of_resource(self, resource: Resource) -> dict[str, str]:
        finder, shape = OpenColumnFinder(self._warehouse, RUN), self._shape(resource.name)
        if "assessment_flag" in self._case.model:
            columns = dict(zip(("flag", "entry"), finder.flags(DIRTY_PAYLOADS, shape), strict=True))
            column = "entry" if "history" in self._case.model else "flag"
            entries = history_at(shape.paths("flag_history"), "flag")
            return {"flag_history": entries, "open_columns": open_columns(columns[column], column)}
        if resource in BUILT_IN.families:
            return record_fragments(shape, finder.resource(resource, shape, DIRTY_PAYLOADS))
        learnt = finder.resource(resource, shape, latest_payloads(resource))
        return {
            "name": exact(coalesced("readable", shape.paths("name"))),
            "open_columns": open_columns(learnt, "readable"),
        }


def emptied(warehouse: Warehouse) -> None:
    """Takes away what a case left: rows, columns that its data made, and all that was staged."""
    learnt = "ops.columns where table_schema = 'main' and column_name is not null"  # a case may name members alone
    for table, column in warehouse.rows(f"select table_name, column_name from {learnt}"):
        warehouse.execute(f"alter table main.{table} drop column {quoted(column)}")
    query = "select view_name from duckdb_views() where database_name = 'staging' and not internal"
    views = [f"drop view staging.{quoted(name)}" for (name,) in warehouse.rows(query)]
    query = "select schema_name, table_name, estimated_size from duckdb_tables() where database_name = "
    staged = warehouse.rows(f"{query}'staging'")
    dropped = [f"drop table staging.{quoted(name)}" for _, name, _ in staged]
    made = warehouse.rows(f"{query}current_database()")
    dropped += [f"drop table {schema}.{quoted(name)}" for schema, name, _ in made if schema in ("by_type", "reference")]
    full = [f"{schema}.{name}" for schema, name, rows in made if rows and f"{schema}.{name}" in TABLES]
    emptying = [f"delete from {table}" for table in full if table != "ops.schema_version"]
    for one in (*views, *dropped, *emptying):
        warehouse.execute(one)


def _plain(value: Any) -> Any:
    """A value as cases write it: moments in UTC, those of midnight as their day alone."""
    if isinstance(value, datetime):
        return value.isoformat(" ").removesuffix("+00:00").removesuffix(" 00:00:00")
    return str(value) if isinstance(value, date | time) else value
