"""The views of the published file: a select each under `sql/views/<schema>/`, with its comments beside it.

The template of typed versions gives one for each resource too.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from functools import cache

import duckdb

from propsync.resources import BUILT_IN, Resource
from propsync.shipped import shipped
from propsync.warehouse.model_order import all_sources, in_order
from propsync.warehouse.typed_versions import Rows, TypedVersions, declared_typed_view
from propsync.warehouse.view import View


@cache
def views() -> dict[str, View]:
    """Every view by schema.name, each after those that it reads."""
    declared = {view.full_name: view for view in _declared()}
    return {name: declared[name] for name in in_order(_reads())}


@cache
def view_sources() -> dict[str, frozenset[str]]:
    """The tables that each view reads, directly or through other views, by the view's schema.name."""
    found: dict[str, frozenset[str]] = {}
    reads = _reads()
    for name in views():
        found[name] = frozenset[str]().union(*(found.get(table, frozenset({table})) for table in reads[name]))
    return found


def views_for_people(resources: Iterable[Resource], rows: Rows) -> list[str]:
    """The statements that make every view in the file that `rows` queries, with the columns that its tables have."""
    typed = [TypedVersions(resource, rows).view() for resource in resources]
    others = [view for view in views().values() if view.full_name not in {one.full_name for one in typed}]
    return [";\n".join(view.ddl()) for view in (*typed, *others)]


@cache
def _declared() -> tuple[View, ...]:
    typed = [declared_typed_view(resource) for resource in BUILT_IN.families]
    return (*typed, *_others())


def _others() -> Iterator[View]:
    for path in sorted((shipped("sql") / "views").glob("*/*.toml")):
        spec = tomllib.loads(path.read_text(encoding="utf-8"))
        columns = {name: (kind, comment) for name, (kind, comment) in spec["columns"].items()}
        sql = path.with_suffix(".sql").read_text(encoding="utf-8")
        yield View(path.parent.name, path.stem, sql, spec["comment"], columns)


@cache
def _reads() -> dict[str, set[str]]:
    """The tables and views that each view reads itself."""
    declared = _declared()
    with duckdb.connect() as parser:  # DuckDB's parser needs a connection, and no table
        read = all_sources(parser, [view.sql for view in declared])
    return {view.full_name: of_view for view, of_view in zip(declared, read, strict=True)}
