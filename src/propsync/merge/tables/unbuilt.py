"""The tables of a build that did not end: of assets, say, some may be tonight's and others still yesterday's."""

from __future__ import annotations

from propsync.merge.tables.builder import WITH_PARTS
from propsync.merge.tables.family import tables_of_family
from propsync.merge.tables.record_tables import RecordTables
from propsync.resources import ASSETS, Resource
from propsync.warehouse import Warehouse, quoted, statement


def unbuilt_tables(warehouse: Warehouse) -> frozenset[str]:
    """The tables of each resource whose history has versions that its tables do not all show, as schema.table."""
    behind = (one for one in warehouse.catalogue.families if _is_behind(warehouse, one))
    return frozenset[str]().union(*(tables_of_family(warehouse, one) for one in behind))


def _is_behind(warehouse: Warehouse, resource: Resource) -> bool:
    newest = (statement("merge/freshness/latest_version", table=quoted(name)) for name in _sources(resource))
    latest = max((time for query in newest if (time := warehouse.value(query))), default=None)
    tables = [resource.name, *WITH_PARTS.get(resource.name, RecordTables).further]
    values = {"tables": tables, "latest": latest}
    return latest is not None and bool(warehouse.value(statement("merge/freshness/is_behind"), values))


def _sources(resource: Resource) -> tuple[str, ...]:
    """The histories up to which a build marks the tables: values of assets are read by the definitions of types."""
    return (resource.name, resource.types) if resource == ASSETS and resource.types else (resource.name,)
