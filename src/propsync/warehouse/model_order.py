"""Finds the tables that a model reads with DuckDB's own parser: the order of models follows, and no list holds it."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from graphlib import TopologicalSorter
from typing import Any, Protocol

import duckdb

from propsync.warehouse.templates import without_comments

_READ: dict[str, frozenset[str]] = {}
"""The tables that each model reads: a process parses a model once, as its file does not change."""


class Parser(Protocol):
    """A connection that parses; it needs no table."""

    def execute(self, sql: str, parameters: Sequence[Sequence[str]], /) -> duckdb.DuckDBPyConnection: ...


def sources(parser: Parser, sql: str) -> set[str]:
    """The tables that a select reads, as schema.table: base tables without the names of its CTEs."""
    (read,) = all_sources(parser, [sql])
    return read


def all_sources(parser: Parser, selects: Sequence[str]) -> list[set[str]]:
    """The same for each of many selects: one query parses them in half the time. Raises ValueError for other SQL."""
    query = "select list_transform(?, lambda sql: json_serialize_sql(sql, skip_default := true))"
    ((parsed,),) = parser.execute(query, [[without_comments(sql) for sql in selects]]).fetchall()
    return [_sources(one) for one in parsed]


def _sources(parsed: str) -> set[str]:
    bases: list[tuple[str | None, str]] = []
    named: set[str] = set()

    def look(node: dict[str, Any]) -> dict[str, Any]:
        if node.get("type") == "BASE_TABLE":
            bases.append((node.get("schema_name"), node["table_name"]))
        named.update(entry["key"] for entry in node.get("cte_map", {}).get("map", ()))
        return node

    tree = json.loads(parsed, object_hook=look)
    if "statements" not in tree:
        is_other = tree["error_type"] == "not implemented"  # DuckDB's words are of its JSON
        raise ValueError("it is not one SELECT" if is_other else tree["error_message"])
    return {f"{schema or 'main'}.{table}" for schema, table in bases if schema or table not in named}


def tables_read(sql: str) -> set[str]:
    """The same for a select of which the caller has the text alone."""
    with duckdb.connect() as parser:
        return sources(parser, sql)


def model_sources(parser: Parser, models: Iterable[str], text: Callable[[str], str]) -> dict[str, frozenset[str]]:
    """The tables that each model reads. `text` gives the text of one; its fragments make no difference."""
    models = list(models)
    unread = [model for model in models if model not in _READ]
    if unread:
        _READ.update(zip(unread, map(frozenset, all_sources(parser, list(map(text, unread)))), strict=True))
    return {model: _READ[model] for model in models}


def in_order(reads: Mapping[str, Collection[str]]) -> list[str]:
    """Models such that each comes after those whose tables it reads; `reads` has the tables that each model reads."""
    made = {table_of(model): model for model in sorted(reads)}
    before = {model: {made[table] for table in reads[model] if table in made} - {model} for model in sorted(reads)}
    return list(TopologicalSorter(before).static_order())


def table_of(model: str) -> str:
    """The table that a model makes or fills, as schema.table."""
    return model.removesuffix(".open").removesuffix(".close").replace("/", ".")
