"""Permanent names of tables and columns, whatever later names types or fields have.

A name follows from history, in the order in which types and fields first appeared, unless it exists already. Existing
names are in `main`, and in `staging.given_*` if propsync rebuilds the tables from nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from propsync.warehouse import Models, Warehouse, snake_case, unique_name

BY_TYPE_COLUMNS = ("asset_id", "property_id")
TYPE_NAMES = "select asset_type_id, table_name, name from main.asset_types"
FIELD_NAMES = "select asset_type_id, field_id, column_name from main.asset_type_fields"
GIVEN_TYPES, GIVEN_FIELDS = "given_type_names", "given_field_names"


def stage_type_names(warehouse: Warehouse, models: Models) -> None:
    """Makes `staging.type_names`: asset_type_id, table_name for every type in `staging.type_definitions`."""
    models.stage("staging/type_appearances")
    before = [*_given(warehouse, GIVEN_TYPES), *warehouse.rows(TYPE_NAMES)]
    kept = {asset_type_id: table for asset_type_id, table, _ in before}
    # a type that assets name before any list does gets its table's name once it has one itself
    provisional = {asset_type_id for asset_type_id, _, name in before if name is None}
    unnamed = warehouse.rows(
        "select asset_type_id, name from staging.type_appearances "
        "order by named_at nulls last, was_listed desc, name, asset_type_id"
    )
    taken = set(kept.values())
    for asset_type_id, name in unnamed:
        if asset_type_id not in kept or (asset_type_id in provisional and name is not None):
            kept[asset_type_id] = unique_name(snake_case(name or asset_type_id, "type"), taken)
            taken.add(kept[asset_type_id])
    _stage(warehouse, "type_names", ("asset_type_id", "table_name"), kept.items())


def stage_field_names(warehouse: Warehouse) -> None:
    """Makes `staging.field_names`: asset_type_id, field_id, column_name for every field defined now or before."""
    before = [*_given(warehouse, GIVEN_FIELDS), *warehouse.rows(FIELD_NAMES)]
    kept = {(asset_type_id, field_id): column for asset_type_id, field_id, column in before}
    taken: dict[str, set[str]] = {}
    for (asset_type_id, _), column in kept.items():
        taken.setdefault(asset_type_id, set(BY_TYPE_COLUMNS)).add(column)
    defined = warehouse.rows(
        "select asset_type_id, field_id, label from staging.field_versions "
        "qualify row_number() over (partition by asset_type_id, field_id order by valid_from) = 1 "
        "order by asset_type_id, valid_from, position"
    )
    for asset_type_id, field_id, label in defined:
        if (asset_type_id, field_id) not in kept:
            of_type = taken.setdefault(asset_type_id, set(BY_TYPE_COLUMNS))
            kept[asset_type_id, field_id] = unique_name(snake_case(label, "field"), of_type)
            of_type.add(kept[asset_type_id, field_id])
    rows = ((*key, column) for key, column in kept.items())
    _stage(warehouse, "field_names", ("asset_type_id", "field_id", "column_name"), rows)


def _given(warehouse: Warehouse, table: str) -> list[tuple[Any, ...]]:
    """Names carried over from the tables that a rebuild replaces; none in all other runs."""
    is_there = "select count(*) from duckdb_tables() where database_name = 'staging' and table_name = ?"
    return warehouse.rows(f"from staging.{table}") if warehouse.value(is_there, [table]) else []


def _stage(warehouse: Warehouse, name: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    warehouse.execute(
        f"create or replace table staging.{name} ({', '.join(f'{column} varchar' for column in columns)})"
    )
    warehouse.add(f"staging.{name}", rows)
