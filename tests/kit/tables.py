"""The tables that propsync promises, derived from a world by hand and read from what propsync published."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection
from datetime import date, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
from kit.encoding import Literal
from kit.world import Asset, Field, Result, World

Row = tuple[Any, ...]
Tables = dict[str, Counter[Row]]

PROMISED = {
    "asset_types": "asset_type_id, name, name_singular, table_name, is_listed",
    "asset_type_fields": "asset_type_id, field_id, kind, label, position, column_name, is_listed",
    "asset_field_options": "asset_type_id, field_id, option_id, label, is_listed",
    "assets": "asset_id, property_id, asset_type_id, asset_type",
    "asset_field_values": "asset_id, property_id, asset_type_id, field_id, label, kind, position, value_text, "
    "value_number, value_date, value_time, value_options, value_option_labels, value_json",
    "assessment_types": "assessment_type_id, name, is_listed",
    "assessments": "assessment_id, property_id, assessment_type_id, status, schedule_custom_reference, "
    "performed_for, performed_by",
    "assessment_flags": "assessment_id, flag_position, label, raised_at",
    "assessment_flag_history": 'assessment_id, flag_position, position, "at", state',
    "schedules": "property_id, assessment_type_id, status, due_date, description, custom_reference, assigned_users",
}


def published_tables(home: Path, *, with_positions: bool = True, leaving_out: Collection[str] = ()) -> Tables:
    """The promised columns of the published tables, in no order."""
    wanted = {name: columns for name, columns in PROMISED.items() if name not in leaving_out}
    with duckdb.connect(home / "published" / "warehouse.duckdb", read_only=True) as connection:
        found = {name: _rows(connection, f"select {columns} from {name}") for name, columns in wanted.items()}
        named = connection.execute("select table_name from asset_types").fetchall()
        for (name,) in named:
            described = connection.execute(f'select column_name from (describe by_type."{name}")').fetchall()
            columns = ", ".join(f'"{column}"' for column in sorted(column for (column,) in described))
            found[f"by_type.{name}"] = _rows(connection, f'select {columns} from by_type."{name}"')
    return found if with_positions else _without_positions(found)


def expected_tables(world: World, *, with_positions: bool = True) -> Tables:
    """The rows that the promised columns must hold once propsync has read this world."""
    names = {one.id: one.name for one in world.asset_types}
    found: dict[str, list[Row]] = {
        "asset_types": [(one.id, one.name, one.singular, one.table, True) for one in world.asset_types],
        "asset_type_fields": [
            (one.id, defined.id, defined.kind, defined.label, position, defined.column, True)
            for one in world.asset_types
            for position, defined in enumerate(one.fields, 1)
        ],
        "asset_field_options": [
            (one.id, defined.id, *option, True)
            for one in world.asset_types
            for defined in one.fields
            for option in defined.options
        ],
        "assets": [(one.id, one.property, one.type, names[one.type]) for one in world.assets],
        "asset_field_values": [
            _value_row(asset, world.type(asset.type).field(result.field), position, result)
            for asset, position, result in world.results()
        ],
        "assessment_types": [(one.id, one.name, True) for one in world.assessment_types],
        "assessments": [
            (one.id, one.property, one.type, one.status, one.reference, "For" in one.performed, "By" in one.performed)
            for one in world.assessments
        ],
        "assessment_flags": [
            (one.id, place, flag.label, flag.raised_at)
            for one in world.assessments
            for place, flag in enumerate(one.flags, 1)
        ],
        "assessment_flag_history": [
            (one.id, place, position, at, state)
            for one in world.assessments
            for place, flag in enumerate(one.flags, 1)
            for position, (at, state) in enumerate(flag.history, 1)
        ],
        "schedules": [
            (
                one.property,
                one.type,
                one.status,
                date.fromisoformat(one.due) if one.due else None,
                one.description,
                one.reference,
                tuple(one.users),
            )
            for one in world.schedules
        ],
    }
    for of_type in world.asset_types:
        assets = [one for one in world.assets if one.type == of_type.id]
        found[f"by_type.{of_type.table}"] = [_wide_row(one, of_type.fields) for one in assets]
    tables = {name: Counter(rows) for name, rows in found.items()}
    return tables if with_positions else _without_positions(tables)


def _value_row(asset: Asset, defined: Field, position: int, result: Result) -> Row:
    value, kind = result.value, result.kind
    labels = dict(defined.options)
    is_options, is_scalar = kind == "option" and value is not None, isinstance(value, str)
    return (
        asset.id,
        asset.property,
        asset.type,
        result.field,
        defined.label,
        kind,
        position,
        str(value) if is_scalar else None,
        _canonical_number(value) if isinstance(value, Literal) else None,
        date.fromisoformat(value) if kind == "date" and value else None,
        time.fromisoformat(value) if kind == "time" and value else None,
        tuple(value) if is_options else None,
        tuple(labels[chosen] for chosen in value) if is_options else None,
        _frozen(_plain(value)) if isinstance(value, dict) else None,
    )


def _wide_row(asset: Asset, fields: list[Field]) -> Row:
    cells = {"asset_id": asset.id, "property_id": asset.property}
    recorded = {result.field: result for result in asset.results}
    for one in fields:
        cells[one.column] = _cell(one, recorded.get(one.id))
    return tuple(cells[name] for name in sorted(cells))


def _cell(one: Field, result: Result | None) -> Any:
    value = result.value if result else None
    if value is None:
        return None
    if one.shown == "option":
        labels = dict(one.options)
        return "; ".join(labels[chosen] for chosen in value)
    made = {"number": _canonical_number, "date": date.fromisoformat, "time": time.fromisoformat}
    return made[one.shown](value) if one.shown in made else _frozen(_plain(value))


def _canonical_number(literal: str) -> float:
    return float(literal) + 0.0


def _plain(value: Any) -> Any:
    """A world's value as JSON would be read: number literals as numbers."""
    if isinstance(value, Literal):
        return Decimal(value)
    return {name: _plain(inner) for name, inner in value.items()} if isinstance(value, dict) else value


def _rows(connection: duckdb.DuckDBPyConnection, query: str) -> Counter[Row]:
    cursor = connection.execute(query)
    is_json = [str(column[1]) == "JSON" for column in cursor.description]
    return Counter(
        tuple(_read(value, is_told) for value, is_told in zip(row, is_json, strict=True)) for row in cursor.fetchall()
    )


def _read(value: Any, is_json: bool) -> Any:
    if value is not None and is_json:
        return _frozen(json.loads(value, parse_float=Decimal, parse_int=Decimal))
    return tuple(value) if isinstance(value, list) else value


def _frozen(value: Any) -> Any:
    """JSON that can be counted; a link's signature is no part of it."""
    if isinstance(value, dict):
        return tuple(sorted((name, _frozen(inner)) for name, inner in value.items()))
    if isinstance(value, list):
        return tuple(map(_frozen, value))
    if isinstance(value, int) and not isinstance(value, bool):
        return Decimal(value)
    return value.partition("?signature=")[0] if isinstance(value, str) else value


def _without_positions(tables: Tables) -> Tables:
    """The same without the places of field results, which an API that shows them in any order does not keep."""
    place = PROMISED["asset_field_values"].split(", ").index("position")
    values = tables["asset_field_values"]
    bare = Counter((*row[:place], *row[place + 1 :]) for row in values.elements())
    return tables | {"asset_field_values": bare}


def difference(found: Tables, expected: Tables) -> list[str]:
    """The differences in words, a few rows a table."""
    told = [f"tables {sorted(found.keys() ^ expected.keys())}"] if found.keys() != expected.keys() else []
    for name in found.keys() & expected.keys():
        lacking, extra = expected[name] - found[name], found[name] - expected[name]
        if lacking or extra:
            told.append(f"{name}: lacks {lacking.total()}, such as {list(lacking)[:3]}")
            told.append(f"{name}: has {extra.total()} others, such as {list(extra)[:3]}")
    return told
