"""Permanent names of tables and columns, whatever later names types or fields have.

A name follows from history, in the order in which types and fields first appeared, unless it exists already. Existing
names are in `main`, and in `staging.given_*` if propsync rebuilds the tables from nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from propsync.warehouse import Models, Warehouse, snake_case, statement, unique_name

BY_TYPE_COLUMNS = ("asset_id", "property_id")
TYPE_NAMES = statement("merge/tables/type_names")
FIELD_NAMES = statement("merge/tables/field_names")
GIVEN_TYPES, GIVEN_FIELDS = "given_type_names", "given_field_names"


def stage_type_names(warehouse: Warehouse, models: Models) -> None:
    """Makes `staging.type_names`: asset_type_id, table_name for every type in `staging.type_definitions`."""
    models.stage("staging/type_appearances")
    before = [*_given(warehouse, GIVEN_TYPES), *warehouse.rows(TYPE_NAMES)]
    kept = {asset_type_id: table for asset_type_id, table, _ in before}
    # a type that assets name before any list does gets its table's name once it has one itself
    provisional = {asset_type_id for asset_type_id, _, name in before if name is None}
    taken = set(kept.values())
    for asset_type_id, name in warehouse.rows(statement("merge/tables/types_to_name")):
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
    for asset_type_id, field_id, label in warehouse.rows(statement("merge/tables/fields_to_name")):
        if (asset_type_id, field_id) not in kept:
            of_type = taken.setdefault(asset_type_id, set(BY_TYPE_COLUMNS))
            kept[asset_type_id, field_id] = unique_name(snake_case(label, "field"), of_type)
            of_type.add(kept[asset_type_id, field_id])
    rows = ((*key, column) for key, column in kept.items())
    _stage(warehouse, "field_names", ("asset_type_id", "field_id", "column_name"), rows)


def _given(warehouse: Warehouse, table: str) -> list[tuple[Any, ...]]:
    """Names carried over from the tables that a rebuild replaces; none in all other runs."""
    is_there = warehouse.value(statement("merge/tables/is_staged"), {"table": table})
    return warehouse.rows(statement("merge/tables/given_names", table=table)) if is_there else []


def _stage(warehouse: Warehouse, name: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    kinds = ", ".join(f"{column} varchar" for column in columns)
    warehouse.execute(statement("warehouse/replace_table", table=f"staging.{name}", columns=kinds))
    warehouse.add(f"staging.{name}", rows)
