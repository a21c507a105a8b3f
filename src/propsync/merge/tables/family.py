"""The tables of a resource's family: what propsync publishes of it, or withholds, as one."""

from __future__ import annotations

from propsync.merge.tables.builder import WITH_PARTS
from propsync.merge.tables.earlier_values import VALUE_TABLES
from propsync.merge.tables.record_tables import RecordTables
from propsync.resources import ASSETS, Resource
from propsync.warehouse import Warehouse, statement

_OF_TYPES = ("asset_type_fields", "asset_field_options")


def tables_of_family(warehouse: Warehouse, resource: Resource) -> frozenset[str]:
    """The tables of a resource and of its types, as schema.table: history, main, and by_type for assets."""
    types = warehouse.catalogue.types_of(resource)
    names = [resource.name, *([types.name] if types else [])]
    parts = WITH_PARTS.get(resource.name, RecordTables).further
    main = [*names, *parts, *(_OF_TYPES if resource.name == ASSETS.name else ())]
    wide = warehouse.rows(statement("merge/tables/by_type/existing")) if resource.name == ASSETS.name else []
    return frozenset(
        [f"main.{name}" for name in main]
        + [f"history.{name}" for name in names]
        + [f"history.{resource.name}_earlier"]
        + ([f"history.{name}" for name in VALUE_TABLES] if resource.name == ASSETS.name else [])
        + [f"by_type.{name}" for (name,) in wide]
    )
