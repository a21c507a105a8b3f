"""Runs the models under `sql/`: a file is a select, its folder the schema, its name the table.

A model's `-- grain:` line names the columns that are unique together. `$name` in a file is a bound value, `{{name}}` a
piece of SQL from a shape or the column registry (quoted names and literals only). An incremental model is a pair:
`x.close.sql` selects the keys of the rows to delete, `x.open.sql` the rows to insert.

A `-- batches:` line names the staging table that decides how many rows there are. It numbers them in `place`, from 1,
and the model takes those from `$first` to `$last`. These are 100,000 at once, so that memory does not grow with the
data.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Any

from propsync.shipped import shipped
from propsync.warehouse.connection import Warehouse
from propsync.warehouse.declared_tables import quoted, text
from propsync.warehouse.model_order import in_order, model_sources, table_of
from propsync.warehouse.scalars import json_path
from propsync.warehouse.templates import filled, without_comments
from propsync.warehouse.views import view_sources

_PARAMETER = re.compile(r"\$([a-z_]+)")
_GRAIN = re.compile(r"^-- grain: (.+)$", re.MULTILINE)
_BATCHES = re.compile(r"^-- batches: (.+)$", re.MULTILINE)
_BATCH = 100_000  # rows


class Models:
    """The models, run on one warehouse with `values` to bind and `fragments` to insert."""

    def __init__(
        self, warehouse: Warehouse, values: Mapping[str, Any], fragments: Mapping[str, str] | None = None
    ) -> None:
        self._warehouse = warehouse
        self.values = dict(values)
        self._fragments = dict(fragments or {})

    def with_values(self, **values: Any) -> Models:
        """The same with further values to bind."""
        return Models(self._warehouse, self.values | values, self._fragments)

    def with_fragments(self, **fragments: str) -> Models:
        """The same with further fragments."""
        return Models(self._warehouse, self.values, self._fragments | fragments)

    def has(self, model: str) -> bool:
        """Whether such a model exists."""
        return _is_there(model)

    def sql(self, model: str) -> str:
        """The model's select, `model` being its path under `sql/` without the suffix; fragments are in place."""
        return filled(_written(model), self._fragments)

    def stage(self, model: str, table: str | None = None) -> int:
        """Makes `staging.<name>` from a model; returns its rows."""
        name = table or model.rpartition("/")[2]
        return self._run(f"create or replace table staging.{quoted(name)} as\n", model)

    def open(self, model: str, target: str | None = None) -> int:
        """Puts a model's rows into its table, column by name; returns how many."""
        into = f"insert into {target or _target(model)} by name\n"
        counted = _BATCHES.search(_written(model))
        if counted is None:
            return self._run(into, model)
        rows = int(self._warehouse.value(f"select count(*) from {counted[1]}"))
        starts = range(1, rows + 1, _BATCH)
        return sum(self.with_values(first=at, last=at + _BATCH - 1)._run(into, model) for at in starts)

    def close(self, model: str, target: str | None = None) -> int:
        """Deletes from its table the rows whose key the model selects; returns how many."""
        keys = ", ".join(quoted(name.strip('"')) for name in grain(self.sql(model)))
        return self._run(f"delete from {target or _target(model)} where ({keys}) in (\n", model, "\n)")

    def replace(self, model: str) -> int:
        """Replaces all rows of a small table and keeps its comments."""
        self._warehouse.execute(f"delete from {_target(model)}")
        return self.open(model)

    def stage_for(self, *models: str, made: Collection[str] = ()) -> list[str]:
        """Makes the staging models that `models` read, directly or not, but for those `made`; returns them in order."""
        staged = in_order(self.staged_for(models, made))
        for model in staged:
            self.stage(model)
        return staged

    def in_order(self, models: Iterable[str]) -> list[str]:
        """The same models, each after those whose tables it reads."""
        return in_order(self._reads(models))

    def staged_for(self, models: Iterable[str], made: Collection[str] = ()) -> dict[str, frozenset[str]]:
        """The tables of each staging model that `models` read, without those `made`; Python's own staging tables
        have no file.
        """
        found: dict[str, frozenset[str]] = {}
        waiting = set(models)
        while waiting:
            read = frozenset[str]().union(*self._reads(waiting).values())
            staged = {table.replace(".", "/") for table in read if table.startswith("staging.")}
            waiting = {model for model in staged - found.keys() - {*made} if _is_there(model)}
            found |= self._reads(waiting)
        return found

    def read_by(self, *models: str) -> frozenset[str]:
        """The tables that `models` read, directly or through views and staging models with a file."""
        staged = self.staged_for(models)
        read = frozenset[str]().union(*self._reads([*models, *staged]).values())
        of_views = view_sources()
        through = (of_views.get(table, {table}) for table in read - {table_of(model) for model in staged})
        return frozenset[str]().union(*through)

    def bound_by(self, *models: str) -> frozenset[str]:
        """The names of the values that `models` bind, directly or through staging models with a file; no batches."""
        every = (*models, *self.staged_for(models))
        return frozenset(name for model in every for name in _bound(model)) - {"first", "last"}

    def _reads(self, models: Iterable[str]) -> dict[str, frozenset[str]]:
        # an unknown fragment is an expression or a name, and neither affects the order
        fragments = defaultdict(lambda: "unknown", self._fragments)
        return model_sources(self._warehouse, models, lambda model: filled(_written(model), fragments))

    def _run(self, before: str, model: str, after: str = "") -> int:
        # from the file alone: a fragment may name an API member called $type
        named = {name: self.values[name] for name in _bound(model)}
        body = self.sql(model).rstrip().rstrip(";")
        counted = self._warehouse.rows(f"{before}{body}{after}", named or None)
        return int(counted[0][0]) if counted and isinstance(counted[0][0], int) else 0


def coalesced(payload: str, paths: Iterable[tuple[str, ...]]) -> str:
    """The first scalar that one of `paths` leads to in the JSON column `payload`, as text; a piece of SQL.

    An empty text is no identifier, and an object's text is not one either.
    """
    tried = [_scalar(payload, text(json_path(path))) for path in paths]
    return f"coalesce({', '.join(tried)})" if tried else "null::varchar"


def _scalar(payload: str, path: str) -> str:
    return f"nullif(if(json_type({payload}, {path}) in ('OBJECT', 'ARRAY'), null, {payload}->>{path}), '')"


def grain(sql: str) -> list[str]:
    """The columns that a model's header names as unique together."""
    found = _GRAIN.search(sql)
    return [name.strip() for name in found[1].split(",")] if found else []


# a run asks hundreds of times for the text of a model
@cache
def _is_there(model: str) -> bool:
    return (shipped("sql") / f"{model}.sql").exists()


@cache
def _written(model: str) -> str:
    return (shipped("sql") / f"{model}.sql").read_text(encoding="utf-8")


@cache
def _bound(model: str) -> tuple[str, ...]:
    return tuple(_PARAMETER.findall(without_comments(_written(model))))


def _target(model: str) -> str:
    schema, _, name = table_of(model).partition(".")
    return f"{quoted(schema)}.{quoted(name)}"
